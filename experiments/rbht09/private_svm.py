"""Is the SVM as stable, and its output perturbation as private, as Rubinstein et al. 2009 print?

Both are decided by derivation (the docstrings of `bounds.rbht09.private_svm`), an exact worst pair in rational numbers,
and a search over thousands of neighbours that are solved with a certificate and never exceed the bound. Usefulness,
Theorem 8, is in `experiments.rbht09.svm_accuracy`; what floating point does to the noise is in
`experiments.instances.reachable_floats`.
"""

from __future__ import annotations

from fractions import Fraction
from math import log

import numpy as np

from bounds.rbht09 import private_svm
from experiments import data
from experiments.engine.claim import Control, attack_claim, exact_claim, grid
from experiments.engine.streams import generator
from experiments.engine.verdict import holds, inconclusive, refuted
from experiments.instances import svm_neighbours
from experiments.instances.reachable_floats import neighbours, watched
from experiments.instances.svm_neighbours import ROUNDING, flipped, witness
from mechanisms import private_svm as mechanism
from mechanisms.laplace import GridLaplace, grid_for, reachable
from mechanisms.privacy import PureDP


@exact_claim(
    private_svm.textbook_release,
    quick=({"beta": 1.0},),
    full=({"beta": 0.01},),
    corrected_by="rbht09.thm7.float64/corrected",
    cost=0.05,
    note="a finding about implementations, ours included where `sampler='float64'` is asked for; the theorem stands",
)
def textbook_sampler(*, beta, factor=1):
    """One double that is noise + 0 for a uniform k / 2^53, and noise + 1 for none.

    The noise is monotone in k, so it is enough that the two uniforms whose sums with 1 enclose y both miss it.
    """
    scale = 1.0 / beta  # centres 0 and 1: sensitivity 1
    for k in range(2**52 + 1, 2**52 + 1000):
        y = -scale * log(2.0 - 2 * (k * 2.0**-53))  # numpy's inversion at the uniform k / 2^53
        if reachable(y, 0.0, scale) and not reachable(y, 1.0, scale, margin=64) and y % 2.0**-53 != 0:
            code = f"""
from math import fmod, log
y, scale = {y!r}, {scale!r}
assert y == 0.0 + -scale * log(2.0 - 2 * ({k} * 2.0**-53))  # numpy's Laplace at the uniform {k} / 2^53, centre 0
# From centre 1 noise z is at most -1/2 where |1 + z| < 1/2, so 1 + z is exact: a multiple of 2^-53. y is none.
assert 0 < y < 0.5 and fmod(y, 2.0**-53) != 0
"""
            return refuted(
                "enumeration",
                {
                    "setting": {"beta": beta},
                    "claimed": beta,
                    "found": "infinite",
                    "python": code.strip(),
                    "a": "centre 0",
                    "b": "centre 1",
                    "output": y,
                    "p_a": f">= 2^-53, uniform {k} / 2^53",
                    "p_b": 0.0,
                },
            )
    return holds("enumeration", "settings")


@exact_claim(
    private_svm.grid_scale,
    quick=({"sensitivity": 1.0, "beta": 1.0, "F": 1}, {"sensitivity": 0.02, "beta": 0.3, "F": 7}),
    full=({"sensitivity": 5.0, "beta": 20.0, "F": 3},),
    control=Control("grid steps of noise / {}", (1.01, 1.5)),
    cost=0.05,
    note="the sampler's probabilities are products of whole-number comparisons; its grid is a power of two",
)
def grid_sampler(*, sensitivity, beta, F, factor=1):
    """Whole-number centres at the largest distance that rounding allows: the exact log-ratio against beta.

    Pairs are pushed to the corners of the rounding: coordinates just either side of a half step.
    """
    grid, steps = grid_for(sensitivity, beta, F)
    scale = private_svm.grid_scale(sensitivity=sensitivity, grid=grid, F=F, beta=beta)
    if steps * grid < scale * (1 - 1e-12):
        return refuted("enumeration", {"setting": {"F": F}, "claimed": scale, "found": steps * grid, "python": ""})
    worst, below = Fraction(0), (0.5 - 1e-9) * grid
    for split in range(1, F + 1):  # the whole distance in one coordinate, or spread over several
        a, b = np.full(F, below), np.full(F, below)
        b[:split] += sensitivity / split
        b[split:] += 2e-9 * grid  # just past the half step: rounds one further
        laws = [GridLaplace(centre, grid, steps) for centre in (a, b)]
        moved = Fraction(int(np.abs(laws[0].point - laws[1].point).sum()))
        worst = max(worst, moved * factor / steps)
        at = laws[0].point * grid
        seen = float(laws[0].log_density(at)[0] - laws[1].log_density(at)[0])
        if abs(seen - moved / steps) > 1e-9:
            return refuted(
                "enumeration", {"setting": {"F": F}, "claimed": float(moved / steps), "found": seen, "python": ""}
            )
    if worst > Fraction(beta):
        record = {"setting": {"sensitivity": sensitivity, "beta": beta, "F": F}, "claimed": beta, "found": float(worst)}
        return refuted("enumeration", record | {"log_ratio": float(worst), "python": ""})
    return holds("derivation", "everywhere", tightness=(float(worst) / beta,) * 2)


@attack_claim(
    private_svm.grid_scale,
    law="svm.bits",
    attack="pure",
    bound=lambda *, beta, **_: beta,
    quick=({"beta": 0.5, "n": 10, "F": 3, "sensitivity": 0.35, "grid": 2.0**-24},),
    control=Control("the textbook float64 sampler", (2,)),
    chunk=lambda **_: 400,
    cap=4,
    cost=1e-4,
    note="bit-level: the attacker knows both centres and the scale, and sees whether a release is possible under each",
)
def bit_level_pair(*, beta, n, F, sensitivity, grid, factor=1):
    """The law we ship under the bit-level attack; the control is the textbook sampler of the same calibration."""
    laws = neighbours("grid" if factor == 1 else "float64", n, F, beta)
    return watched(laws)


# ---- Definition 1: the log-ratio of Laplace noise ----------------------------------------------------------


@exact_claim(
    private_svm.laplace_worst_log_ratio,
    quick=grid(F=[1, 4]),
    full=grid(F=[3, 9]),
    control=Control("the distance / {}", (1.5, 2)),
    cost=0.02,
    note="per coordinate |t - b| - |t - a| is piecewise linear, so its extremes are at a and b",
)
def laplace_log_ratio_is_distance(*, F, factor=1):
    """Enumerate the breakpoints of the log-ratio in exact rationals, coordinates apart, ties included."""
    rng = generator(1, "svm.def1", {"F": F}, "main", 0)
    for lam in (Fraction(1, 7), Fraction(5, 2)):
        for _ in range(200):
            a, b = ([Fraction(int(k), 4) for k in rng.integers(-3, 4, F)] for _ in range(2))
            worst = sum(max(abs(t - q) - abs(t - p) for t in (p, q)) for p, q in zip(a, b, strict=True)) / lam
            claimed = private_svm.laplace_worst_log_ratio(
                first=[*map(float, a)], second=[*map(float, b)], lam=float(lam)
            )
            if abs(float(worst) - claimed / factor) > ROUNDING * (1 + claimed):
                centres = [list(map(float, a)), list(map(float, b))]
                return refuted(
                    "enumeration", witness({"F": F}, claimed / factor, float(worst), a=centres[0], b=centres[1])
                )
    return holds("derivation", "everywhere", tightness=(1.0, 1.0))


# ---- Lemmas 6 and 21 ---------------------------------------------------------------------------------------


def sensitivity(bound, loss, *, n, C, F, L, kappa, factor):
    """Exact worst pair, then a certified search, against bound / factor; what a HOLDS rests on is the derivation.

    The search covers hypotheses (loss, dimension, data) that the pair does not: a hole in the derivation would show.
    """
    setting = {"n": n, "C": C, "F": F, "L": L, "kappa": kappa}
    claimed = bound(**setting) / factor
    first, second = svm_neighbours.worst_weights(n=n, C=C, F=F, L=L, kappa=kappa)
    distance = sum(abs(p - q) for p, q in zip(first, second, strict=True))
    if distance > Fraction(claimed) * (1 + Fraction(ROUNDING)):
        code = f"""
from fractions import Fraction
from bounds.rbht09 import private_svm
n, C, F, L, kappa = {n}, Fraction({C}), {F}, Fraction({L}), Fraction({kappa})
phi = kappa / round(F ** 0.5)  # each of the F features of the last row; the other rows have none
w = [L * C / n * phi] * F  # minimises -(L C / n) <w, phi> + |w|^2 / 2; the flipped label gives -w
assert sum(2 * abs(x) for x in w) > private_svm.{bound.__name__}(n=n, C=C, F=F, L=L, kappa=kappa) / {factor}
"""
        sides = {"point": setting, "lhs": [float(distance)] * 2, "rhs": [claimed] * 2}
        return refuted("enumeration", witness(setting, claimed, float(distance), code, **sides))
    found, kind, where = svm_neighbours.search(F, n, C, L, kappa, loss)
    if found > claimed * (1 + 1e-9):
        constructor = f"svm_pairs.searched({F}, {n}, {C * L}, {kappa}, {loss!r}, {kind!r}), rows {where}"
        object = {"object": constructor, "property": "certified L1 distance of the minimisers", "value": found}
        return refuted("certificate", witness(setting, claimed, found, **object))
    reached = float(distance) / claimed
    note = f"search over {loss} reaches {found / claimed:.3f} of the bound, the worst pair {reached:.3f}"
    sizes = [2, 5, 10, 20, 50, 100]
    curve = [bound(**setting | {"n": m}) for m in sizes]
    worst = [float(2 * sum(map(abs, svm_neighbours.worst_weights(n=m, C=C, F=F, L=L, kappa=kappa)[0]))) for m in sizes]
    series = {"n": list(map(float, sizes)), "bound": curve, "worst pair": worst}
    return holds("derivation", "everywhere", tightness=(reached, reached), note=note, series=series)


def diameter(**setting):
    """No two minimisers are farther apart, neighbours or not: ||w||_2 <= L C kappa, since w = -(C/n) sum slope phi."""
    return 2 * setting["L"] * setting["C"] * setting["kappa"] * setting["F"] ** 0.5


def trivial(bound):
    """The sentence that a setting is vacuous, for the sensitivity `bound`."""
    sentence = "the bound is at least the distance of any two minimisers, 2 L C kappa sqrt(F)"
    return lambda **setting: sentence if bound(**setting) >= diameter(**setting) else None


def informative_from(bound):
    """The smallest n at which `bound` is below the diameter: every other argument cancels."""
    one = {"C": 1.0, "F": 1, "L": 1.0, "kappa": 1.0}
    return lambda: next(n for n in range(2, 100) if bound(n=n, **one) < diameter(n=n, **one))


DATABASES = (
    {"n": 10, "C": 1.0, "F": 4, "L": 1.0, "kappa": 1.0},
    {"n": 30, "C": 200.0, "F": 16, "L": 0.5, "kappa": 2.0},
)
MORE = (
    {"n": 2, "C": 1e-3, "F": 1, "L": 1.0, "kappa": 1.0},
    {"n": 2, "C": 100.0, "F": 1, "L": 1.0, "kappa": 1.0},
    {"n": 2, "C": 1.0, "F": 25, "L": 3.0, "kappa": 0.01},
    {"n": 60, "C": 1000.0, "F": 4, "L": 1.0, "kappa": 10.0},
)


@exact_claim(
    private_svm.weight_sensitivity_smooth,
    quick=DATABASES,
    full=MORE,
    trivial=trivial(private_svm.weight_sensitivity_smooth),
    nonvacuous_from=informative_from(private_svm.weight_sensitivity_smooth),
    control=Control("sensitivity / {}", (1.5, 2.1, 3)),
    given=("rbht09.lem6/explicit",),
    cost=0.3,
    note="loose by exactly 2 over the whole range",
)
def smooth_sensitivity(*, factor=1, **setting):
    """Lemma 6 as printed, logistic loss in the search."""
    return sensitivity(private_svm.weight_sensitivity_smooth, "logistic", factor=factor, **setting)


@exact_claim(
    private_svm.weight_sensitivity_smooth_sharp,
    quick=DATABASES,
    full=MORE,
    trivial=trivial(private_svm.weight_sensitivity_smooth_sharp),
    nonvacuous_from=informative_from(private_svm.weight_sensitivity_smooth_sharp),
    control=Control("sensitivity / {}", (1.1, 2)),
    cost=0.3,
)
def smooth_sensitivity_sharp(*, factor=1, **setting):
    """Half of Lemma 6: attained by the linear loss for every n, C, L, kappa and F."""
    return sensitivity(private_svm.weight_sensitivity_smooth_sharp, "logistic", factor=factor, **setting)


@exact_claim(
    private_svm.weight_sensitivity,
    quick=DATABASES,
    full=MORE,
    trivial=trivial(private_svm.weight_sensitivity),
    nonvacuous_from=informative_from(private_svm.weight_sensitivity),
    control=Control("sensitivity / {}", (1.5, 2.1, 3)),
    given=("rbht09.lem21/explicit",),
    cost=0.3,
    note="loose by exactly 2 over the whole range",
)
def any_sensitivity(*, factor=1, **setting):
    """Lemma 21 as printed, hinge loss in the search."""
    return sensitivity(private_svm.weight_sensitivity, "hinge", factor=factor, **setting)


@exact_claim(
    private_svm.weight_sensitivity_sharp,
    quick=DATABASES,
    full=MORE,
    trivial=trivial(private_svm.weight_sensitivity_sharp),
    nonvacuous_from=informative_from(private_svm.weight_sensitivity_sharp),
    control=Control("sensitivity / {}", (1.1, 2)),
    cost=0.3,
    note="the hinge loss attains it when L C kappa^2 <= n, the linear loss always",
)
def any_sensitivity_sharp(*, factor=1, **setting):
    """Half of Lemma 21: attained."""
    return sensitivity(private_svm.weight_sensitivity_sharp, "hinge", factor=factor, **setting)


def privacy_loss(scale, setting, factor):
    """The worst pair's exact log-ratio at lambda = scale / factor, and what the law of our mechanism says it is.

    The supremum over all neighbours is S / lambda with S the sharp sensitivity, which is attained; so the claim is
    decided in both directions.
    """
    beta, n, C, F, kappa = (setting[k] for k in ("beta", "n", "C", "F", "kappa"))
    lam = scale(beta=beta, n=n, C=C, F=F, kappa=kappa) / factor
    first, second = svm_neighbours.worst_weights(n=n, C=C, F=F, kappa=kappa)
    worst = sum(abs(p - q) for p, q in zip(first, second, strict=True)) / Fraction(lam)
    if svm_neighbours.hinge_saturates(n=n, C=C, kappa=kappa):
        X, y, z = flipped(F, n, kappa)
        a, b = (mechanism.law(X, t, C=C, scale=lam, kappa=kappa, sampler="float64") for t in (y, z))
        seen = float(a.log_density(a.noise.centre)[0] - b.log_density(a.noise.centre)[0])
        if abs(seen - worst) > 1e-6 * worst:
            return inconclusive("FAILED", f"the law's log-ratio is {seen}, not {float(worst)}")
    if worst > Fraction(beta) * (1 + Fraction(ROUNDING)):
        code = f"""
import numpy as np
from bounds.rbht09 import private_svm
from mechanisms.private_svm import law
X = np.zeros(({n}, {F})); X[-1] = {kappa} / {F} ** 0.5
y = np.ones({n}); z = np.append(y[:-1], -1.0)
lam = private_svm.{scale.__name__}(beta={beta}, n={n}, C={C}, F={F}, kappa={kappa}) / {factor}
a, b = (law(X, t, C={C}, kappa={kappa}, scale=lam, sampler="float64") for t in (y, z))
at = a.noise.centre
assert a.log_density(at)[0] - b.log_density(at)[0] > {beta} * (1 + 1e-9)
"""
        found = float(worst)
        pair = {"a": "last row flipped, other rows 0", "b": "the same, label -1", "output": "w(a)", "log_ratio": found}
        return refuted("enumeration", witness(setting, beta, found, code, **pair))
    distance, kind, _ = svm_neighbours.search(F, n, C, 1.0, kappa, "hinge")
    if distance / lam > beta * (1 + 1e-9):
        return refuted("certificate", witness(setting, beta, distance / lam, object=kind))
    reached = float(worst) / beta
    note = (
        f"largest privacy loss found by search {distance / lam / beta:.3f} beta, of the worst pair {reached:.3f} beta"
    )
    ratios = [0.25, 0.5, 0.75, 1.0, 2.0, 4.0]
    series = {"lambda / printed": ratios, "bound": [beta] * 6, "worst pair": [float(worst) / r for r in ratios]}
    series["lambda / printed"] = [
        lam * r / private_svm.noise_scale(beta=beta, n=n, C=C, F=F, kappa=kappa) for r in ratios
    ]
    return holds("derivation", "everywhere", tightness=(reached, reached), note=note, series=series)


PRIVATE = (
    {"beta": 1.0, "n": 10, "C": 1.0, "F": 4, "kappa": 1.0},
    {"beta": 0.01, "n": 30, "C": 200.0, "F": 16, "kappa": 2.0},
)
PRIVATE_MORE = (
    {"beta": 20.0, "n": 2, "C": 1.0, "F": 1, "kappa": 1.0},
    {"beta": 1e-6, "n": 2, "C": 1e-3, "F": 25, "kappa": 10.0},
)


@exact_claim(
    private_svm.noise_scale,
    quick=PRIVATE,
    full=PRIVATE_MORE,
    control=Control("noise / {}", (1.5, 2.1, 3)),
    given=("rbht09.def1/explicit/laplace", "rbht09.lem21/printed", "rbht09.lem21/explicit"),
    cost=0.1,
    note="loose by exactly 2: twice the noise that is needed",
)
def printed_noise_is_private(*, factor=1, **setting):
    """Theorem 7 as printed."""
    return privacy_loss(private_svm.noise_scale, setting, factor)


@exact_claim(
    private_svm.noise_scale_sharp,
    quick=PRIVATE,
    full=PRIVATE_MORE,
    control=Control("noise / {}", (1.1, 2)),
    given=("rbht09.def1/explicit/laplace", "rbht09.lem21/explicit"),
    cost=0.1,
)
def sharp_noise_is_private(*, factor=1, **setting):
    """Half of Theorem 7's noise: exactly enough."""
    return privacy_loss(private_svm.noise_scale_sharp, setting, factor)


def attacked(X, y, z, *, C, beta, calibration, factor, counts=None):
    """Our mechanism on two label vectors over the same rows, its noise divided by `factor`."""
    return tuple(
        mechanism.law(X, t, C=C, privacy=PureDP(beta * factor), calibration=calibration, counts=counts) for t in (y, z)
    )


@attack_claim(
    private_svm.noise_scale_sharp,
    law="svm.sharp",
    attack="pure",
    bound=lambda *, beta, **_: beta,
    quick=({"beta": 1.0, "n": 10, "C": 1.0, "F": 1},),
    full=({"beta": 2.0, "n": 40, "C": 1.0, "F": 1}, {"beta": 2.0, "n": 10, "C": 1.0, "F": 2}),
    control=Control("noise / {}", (1.2, 1.41, 2)),
    chunk=lambda **_: 2000,
    cap=100,
    cost=2e-6,
    note="worst pair: kappa = 1",
)
def sharp_law_pair(*, beta, n, C, F, factor=1):
    """The label of the extreme row flipped, all other rows alike: the sharp sensitivity is spent to the full."""
    return attacked(*flipped(F, n, others=1.0), C=C, beta=beta, calibration="sharp", factor=factor)


@attack_claim(
    private_svm.noise_scale,
    law="svm",
    attack="pure",
    bound=lambda *, beta, **_: beta,
    quick=({"beta": 1.0, "n": 10, "C": 1.0, "F": 1},),
    control=Control("noise / {}", (1.5, 2.5, 4)),
    chunk=lambda **_: 2000,
    cap=50,
    cost=2e-6,
    note="worst pair: kappa = 1/2, because the printed calibration is twice what is needed",
)
def printed_law_pair(*, beta, n, C, F, factor=1):
    """The same pair under the printed calibration, our default."""
    return attacked(*flipped(F, n, others=1.0), C=C, beta=beta, calibration="printed", factor=factor)


@attack_claim(
    private_svm.noise_scale_sharp,
    law="svm.randhie",
    attack="pure",
    bound=lambda *, beta, **_: beta,
    quick=({"beta": 2.0, "n": 2000, "C": 1.0},),
    full=({"beta": 2.0, "n": 20190, "C": 1.0},),
    control=Control("noise / {}", (2, 4)),
    chunk=lambda **_: 2000,
    cap=30,
    cost=6e-6,
)
def randhie_pair(*, beta, n, C, factor=1):
    """Health-insurance records; the last person is at a corner of the codebook and changes the answer."""
    X, y = data.load("randhie")
    X, y = X[:n].copy(), y[:n].copy()
    X[-1] = np.abs(X[0]).max() * np.ones(X.shape[1])  # the constant column's entry in every column: norm 1
    y[-1] = 1.0
    return attacked(X, y, np.append(y[:-1], -1.0), C=C, beta=beta, calibration="sharp", factor=factor)


if __name__ == "__main__":
    from experiments.__main__ import script

    script(__spec__.name)
