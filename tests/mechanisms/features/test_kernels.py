"""Fast paths against their slow twins: the projections' tiles and transforms, the steps of phased SGD."""

import os
import subprocess
import sys

import numpy as np
import pytest
from flint import ctx
from scipy import sparse

from lemmata.bounds.wzw25.gaussian_privacy_proof import average_error
from lemmata.experiments.wzw25.gaussian_privacy_proof import phase_of
from lemmata.mechanisms.features import fast_projection as fast_projections, sign_projection as sign_projections
from lemmata.mechanisms.features.fast_projection import fast_projection
from lemmata.mechanisms.features.sign_projection import sign_projection
from lemmata.mechanisms.learners.descent import noisy_gd
from lemmata.mechanisms.learners.erm import phased_sgd
from lemmata.mechanisms.noise import grid_sums
from lemmata.mechanisms.numerics import kernels
from lemmata.mechanisms.privacy import GaussianDP
from lemmata.mechanisms.tables import column_ranges


def with_and_without_kernels(run, module, monkeypatch):
    """What `run` returns by NumPy alone, and by the kernels, which are plain Python where numba is not installed."""
    found = []
    for chosen in (None, kernels):
        monkeypatch.setattr(module, "numba_kernels_if_worthwhile", lambda work, chosen=chosen: chosen)
        found.append(run())
    return found


@pytest.mark.parametrize(("k", "d"), [(1, 1), (7, 5), (100, 1000), (1024, 20), (1030, 4101)])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_compiled_and_numpy_transforms_agree_bit_for_bit(k, d, kind, monkeypatch, rng):
    """Both add and subtract the same numbers in the same order; without numba the kernels run as plain Python."""
    phi = fast_projection(k, d, rng=rng)
    X, W = rng.normal(size=(3, d)).astype(kind), rng.normal(size=(2, k)).astype(kind)
    slow, fast = with_and_without_kernels(
        lambda: (phi.apply(X), phi.apply(X[0]), phi.transpose(W), phi.apply(np.asfortranarray(X))),
        fast_projections,
        monkeypatch,
    )
    for a, b in zip(slow, fast, strict=True):
        assert a.dtype == b.dtype == kind and np.array_equal(a, b)


@pytest.mark.parametrize("draw", [sign_projection, fast_projection])
def test_single_precision_stays_single_and_near(draw, rng):
    phi, X, W = draw(50, 3000, rng=rng), rng.normal(size=(4, 3000)), rng.normal(size=(4, 50))
    for exact, single in (
        (phi.apply(X), phi.apply(X.astype(np.float32))),
        (phi.transpose(W), phi.transpose(W.astype(np.float32))),
    ):
        assert single.dtype == np.float32
        assert np.abs(single - exact).max() < 1e-5 * np.linalg.norm(exact, axis=1).max()


def test_tiles_cover_the_sign_matrix_and_repeat_nothing(monkeypatch):
    """Tiles of 3 x 8 or less against the matrix from which `apply` computes; no two tiles are alike."""
    monkeypatch.setattr(sign_projections, "HEIGHT", 3)
    monkeypatch.setattr(sign_projections, "TILE", 24)
    phi, dense = sign_projection(7, 21, rng=np.random.default_rng(0)), np.zeros((7, 21))
    tiles = list(phi._tiles())
    for rows, columns, bits in tiles:
        assert not dense[rows, columns].any()
        dense[rows, columns] = 2.0 * np.unpackbits(bits, axis=1, count=columns.stop - columns.start) - 1
    assert np.abs(dense).min() == 1 and len(tiles) == 9
    assert len({bits.tobytes() for rows, columns, bits in tiles if rows.stop < 7 and columns.stop < 21}) == 4
    np.testing.assert_allclose(phi.apply(np.eye(21)).T * 7**0.5, dense)
    np.testing.assert_allclose(phi.transpose(np.eye(7)) * 7**0.5, dense)


@pytest.mark.parametrize(("n", "k", "d"), [(48, 128, 128), (150, 130, 1031), (64, 1100, 200), (3, 200, 300)])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_signed_sums_and_matrix_products_agree(n, k, d, kind, monkeypatch, rng):
    """Sums of the same numbers in another order: k or d of them, below 5 times the length of their record."""
    phi = sign_projection(k, d, rng=rng)
    X, W = rng.normal(size=(n, d)).astype(kind), np.asfortranarray(rng.normal(size=(n, k)).astype(kind))
    monkeypatch.setattr(sign_projections, "numba_kernels_if_worthwhile", lambda work: None)
    ours = phi.apply(X), phi.transpose(W)
    used = []
    monkeypatch.setattr(sign_projections, "numba_kernels_if_worthwhile", lambda work: used.append(work) or kernels)
    theirs = phi.apply(X), phi.transpose(W)
    assert bool(used) == (n >= sign_projections.FEWEST)
    for a, b in zip(ours, theirs, strict=True):
        assert a.dtype == b.dtype == kind
        assert np.abs(a - b).max() <= 40 * np.finfo(kind).eps * np.abs(a).max()


def test_signed_sums_are_the_sums(rng):
    """The kernel alone against the signs of its bits, a plain loop where numba is not installed."""
    X, packed = rng.normal(size=(32, 5)), rng.integers(0, 256, size=(4, 7), dtype=np.uint8)
    signs, total = 2.0 * np.unpackbits(packed, axis=0) - 1, np.ones((7, 5))
    kernels.signed_sums(X, packed, np.empty((4, 16, 5)), total)
    np.testing.assert_allclose(total, 1 + signs.T @ X, rtol=0, atol=1e-13)


@pytest.mark.parametrize("d", [31, 130])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_sums_of_rows_within_the_width_are_the_sums(kind, d, rng):
    """Rows on a grid, short and long ones: the sum is exact in either precision, and equal to that of the products."""
    Z, w, total = rng.integers(-(2**19), 2**19, size=(300, d)) / 2**19, rng.normal(size=d), np.ones(d)
    assert kernels.hinge_sums(Z.astype(kind), w, 0.5, total) is total
    assert np.array_equal(total, (Z @ w < 0.5) @ Z)


def test_octaves_are_counted_as_they_are_numbered(monkeypatch):
    """Zeros of either sign, ends of octaves, the smallest and the largest floats, columns in any order in memory."""
    ends = np.concatenate([2.0 ** np.arange(-70, 70), [0.0, -0.0, 5e-324, 1e308, np.nextafter(1, 0)]])
    X = np.random.default_rng(18).choice(np.concatenate([ends, -ends]), size=(400, 5))
    (slow, _), fast = with_and_without_kernels(
        lambda: [column_ranges.count_octaves(table) for table in (X, np.asfortranarray(X))], column_ranges, monkeypatch
    )
    assert np.array_equal(fast, [slow, slow])


def test_a_run_alone_releases_what_runs_abreast_would(monkeypatch, rng):
    """On a grid the kernel and the products give the same sums, so the same release, bit for bit."""
    X, y = rng.normal(size=(200, 140)), np.where(rng.random(200) < 0.5, 1.0, -1.0)
    law = noisy_gd.law(X, y, privacy=GaussianDP(1.0), width=0.1, steps=30, noise="exact")
    assert np.array_equal(
        *with_and_without_kernels(lambda: law.sample(np.random.default_rng(17)), grid_sums, monkeypatch)
    )


def test_a_byte_becomes_its_eight_bits():
    assert np.array_equal((sign_projections.SIGNS + 1) / 2 @ 2 ** np.arange(7, -1, -1), np.arange(256))


@pytest.mark.parametrize("draw", ["sign_projection", "fast_projection"])
def test_one_and_two_threads_give_the_same_image(draw, tmp_path):
    """The fast projection bit for bit; the sign projection up to the order in which BLAS sums, which threads change.

    A sum of d products of entries below 1 in any order errs by at most d^2 2^-53 in float64 and d^2 2^-24 in float32.
    """
    program = (
        f"import sys; import numpy as np; from lemmata.mechanisms.features.{draw} import {draw}\n"
        "rng = np.random.default_rng(1); X = rng.uniform(-1, 1, size=(300, 5000))\n"
        f"phi = {draw}(700, 5000, rng=rng)\n"
        "np.savez(sys.argv[1], a=phi.apply(X), b=phi.transpose(X[:40, :700]), c=phi.apply(X.astype(np.float32)))"
    )
    images = []
    for threads in "12":
        limits = dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"], threads)
        path = tmp_path / f"{threads}.npz"
        subprocess.run([sys.executable, "-c", program, path], env=os.environ | limits, check=True)
        images.append(np.load(path))
    for name, d, error in (("a", 5000, 2.0**-53), ("b", 700, 2.0**-53), ("c", 5000, 2.0**-24)):
        allowed = d**2 * error * 700**-0.5 if draw == "sign_projection" else 0.0
        assert np.abs(images[0][name] - images[1][name]).max() <= allowed


@pytest.mark.parametrize("own", [False, True])
def test_compiled_bootstraps_are_those_of_numpy(own, monkeypatch, rng):
    """The same records and noise, all runs on one dataset or each on its own; blocks of 7 steps."""
    Z = rng.normal(size=(300, 4)) / 4
    known = dict(rho=0.5, lipschitz=4.0, norm_bound=0.3, eta=0.7, multiplier=0.1)
    known["rows"] = rng.integers(0, 300, size=(3, 200)) if own else None
    monkeypatch.setattr(phased_sgd, "DRAWN", 21)
    slow, fast = with_and_without_kernels(
        lambda: phased_sgd.bootstrap_runs(np.random.default_rng(14), Z, 3, 200, **known), phased_sgd, monkeypatch
    )
    assert fast == pytest.approx(slow, abs=1e-12)


@pytest.mark.parametrize(("n", "k", "norm_bound"), [(2, 1, 1.0), (300, 4, 0.3), (300, 4, 50.0), (40, 33, 1.0)])
@pytest.mark.parametrize("output", phased_sgd.OUTPUTS)
def test_compiled_phases_are_those_of_numpy(n, k, norm_bound, output, monkeypatch, rng):
    """The same noise, and steps that differ by rounding: no step pulls two runs apart, so rounding only adds up."""
    X, y = rng.normal(size=(n, k)), np.where(rng.random(n) < 0.5, 1.0, -1.0)
    X[0] = 0
    settings = dict(privacy=GaussianDP(1.0), rho=0.5, radius=1.0, norm_bound=norm_bound, eta=0.7, output=output)
    law = phased_sgd.law(X, y, **settings)
    slow, fast = with_and_without_kernels(lambda: law.sample(np.random.default_rng(10), 3), phased_sgd, monkeypatch)
    assert fast == pytest.approx(slow, abs=1e-12 * np.abs(slow).max())


def sparse_units(n, k, stored, rng):
    """Rows of length 1 with that many entries each; the first is 0, the fourth and fifth are opposite."""
    X = sparse.random_array((n, k), density=stored / k, format="csr", rng=rng)
    rows = X.toarray() * rng.choice([-1.0, 1.0], size=(n, k))
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    rows[0], rows[4] = 0.0, -rows[3]
    return sparse.csr_array(rows)


@pytest.mark.parametrize(("norm_bound", "eta"), [(0.3, 0.7), (50.0, 0.7), (0.01, 40.0)])
def test_lazy_steps_on_sparse_rows_are_those_of_numpy(norm_bound, eta, monkeypatch, rng):
    """Short and long steps, projected often or never, on one order of records and on one of every run's own."""
    X, y = sparse_units(150, phased_sgd.LONG_ROW, 20, rng), np.where(rng.random(150) < 0.5, 1.0, -1.0)
    settings = dict(privacy=GaussianDP(1.0), rho=0.5, radius=1.0, norm_bound=norm_bound, eta=eta)
    law = phased_sgd.law(X, y, **settings)
    known = dict(rho=0.5, lipschitz=2.0, norm_bound=norm_bound, eta=eta, multiplier=0.1)

    def run():
        own = phased_sgd.bootstrap_runs(np.random.default_rng(14), law.Z, 3, 150, **known)
        return np.concatenate([law.sample(np.random.default_rng(10), 3), own])

    slow, fast = with_and_without_kernels(run, phased_sgd, monkeypatch)
    assert fast == pytest.approx(slow, abs=1e-12 * np.abs(slow).max())


@pytest.mark.parametrize(("pull", "cap", "norm_bound"), [(0.5, 0.05, 0.3), (0.5, 8.0, 0.5), (0.1, 0.2, 9.0)])
def test_lazy_steps_are_as_near_to_the_reals_as_is_charged(pull, cap, norm_bound, rng):
    k, sizes = phased_sgd.LONG_ROW, {"rho": 0.2, "pull": pull, "cap": cap, "norm_bound": norm_bound}
    Z = sparse_units(kernels.HELD + 8, k, 60, rng)
    start = np.full(k, norm_bound / np.sqrt(k))
    found, order = np.zeros((1, k)), np.arange(len(Z.indptr) - 1)[:, None]
    kernels.sparse_hinge_steps(start[None].copy(), Z.data, Z.indices, Z.indptr, order, *sizes.values(), found)
    with ctx.workprec(256):
        truth = phase_of(Z.toarray(), start, **sizes)
        off = np.linalg.norm([float(a - b) for a, b in zip((found[0] / len(order)).tolist(), truth, strict=True)])
    assert off <= average_error(length=len(order), k=k, longest=cap, norm_bound=norm_bound) * 1e-3


@pytest.mark.parametrize("k", [phased_sgd.LONG_ROW, 10**4, 10**6])
def test_the_kernels_sizes_are_those_of_the_proof(k):
    """`average_error`, derivation (5) to (9), in units of e n (Lambda + a)."""
    steps, m = kernels.HELD, k / kernels.SUMMED + kernels.SUMMED + 2
    one_step = 2 * (steps + 1) * (m + 17) + (m + 17)
    sums = (steps + 2) * steps + 2 * steps**2 + 6 * steps + steps + 2
    assert one_step / 2 + sums + 2 <= 4 * (k + 16)


@pytest.mark.parametrize(("draw", "module"), [(fast_projection, fast_projections), (sign_projection, sign_projections)])
@pytest.mark.parametrize(("k", "d"), [(1, 1), (7, 5), (70, 1003), (1030, 4101)])
def test_sparse_rows_meet_the_same_signs(draw, module, k, d, monkeypatch, rng):
    """The fast projection bit for bit, so that the image of a row depends on no other row."""
    phi, X = draw(k, d, rng=rng), sparse.random_array((9, d), density=0.3, format="csr", rng=rng)
    slow, fast = with_and_without_kernels(lambda: phi.apply(X), module, monkeypatch)
    assert fast == pytest.approx(slow, abs=1e-12) and fast == pytest.approx(phi.apply(X.toarray()), abs=1e-12)
    assert draw is sign_projection or np.array_equal(fast, slow)
    assert draw is sign_projection or np.array_equal(np.concatenate([phi.apply(X[:4]), phi.apply(X[4:])]), fast)


def test_which_sums_are_taken_does_not_depend_on_what_is_stored(monkeypatch, rng):
    """The kernel rounds otherwise than the products do: a record that decides between them would move all images."""
    asked = []
    monkeypatch.setattr(sign_projections, "numba_kernels_if_worthwhile", lambda work: asked.append(work))
    phi = sign_projection(70, 3000, rng=rng)
    for density in (0.0, 0.01, 0.5):
        phi.apply(sparse.random_array((9, 3000), density=density, format="csr", rng=rng))
    assert len(set(asked)) == 1
