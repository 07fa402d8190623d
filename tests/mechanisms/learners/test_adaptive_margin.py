"""Algorithm 3: a slow twin, calibrations, the exact density of the white box, bad input."""

from fractions import Fraction
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import norm

from lemmata import AdaptiveMargin, ApproxDP, GaussianDP, compose, gaussian_epsilon
from lemmata.bounds.wzw25 import algorithms as bounds
from lemmata.bounds.wzw25.gaussian_privacy import gaussian_delta
from lemmata.bounds.wzw25.projected_margins import third_margin_rows
from lemmata.experiments.instances.pairs.adaptive_pairs import stretched
from lemmata.experiments.wzw25 import gaussian_privacy
from lemmata.mechanisms.features import sign_projection
from lemmata.mechanisms.learners.descent import adaptive_margin, noisy_gd, projected_gd
from tests.streams import streams

rng = streams("adaptive_margin")


def problem(n=9, d=3, seed=0):
    """n rows of norm up to 1.5, both classes."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    X *= random.uniform(0.1, 1.5, size=(n, 1)) / np.linalg.norm(X, axis=1, keepdims=True)
    return X, np.where(np.arange(n) % 3, 1.0, -1.0)


X0, Y0 = problem()


def small_projections(n, d, seed=0):
    """One column fewer for every other margin, the identity for the rest."""
    random = np.random.default_rng(seed)
    return [
        sign_projection.sign_projection(d - 1, d, rng=random) if j % 2 else None
        for j in range(len(bounds.margin_grid(n)))
    ]


# The numbers ----------------------------------------------------------------------------------------------------------


@given(delta=st.floats(1e-12, 0.9), share=st.floats(1e-3, 0.999))
@settings(derandomize=True, deadline=None)
def test_exact_calibration_buys_more_and_both_keep_the_promise(delta, share):
    epsilon = share * 8 * log(1 / delta)
    printed, exact = (adaptive_margin.budget(epsilon, delta, kind) for kind in ("printed", "exact"))
    assert printed < exact and gaussian_delta(epsilon=epsilon, mu=exact) <= delta
    assert gaussian_delta(epsilon=epsilon, mu=printed) <= delta / 2
    assert gaussian_epsilon(exact, delta) == pytest.approx(epsilon, rel=1e-9)


def test_projections_have_the_rows_of_lemma_6_2():
    n, d = 40, 3000
    margins = bounds.margin_grid(n)
    drawn = adaptive_margin.draw_projections(n, d, rng=rng("rows"))
    wanted = [third_margin_rows(n=n, gamma=g, beta=1 / n**2 / len(margins)) for g in margins]
    assert [d if phi is None else phi.k for phi in drawn] == [min(k, d) for k in wanted]
    assert any(phi is None for phi in drawn) and any(phi is not None for phi in drawn)


# The laws -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("output", ["average", "last"])
@pytest.mark.parametrize("band", [7, 2**7, 2**20])
def test_runs_abreast_are_noisy_gradient_descent(output, band, monkeypatch):
    """Bands of one row, of three, and all rows in one, against one row and one run at a time."""
    monkeypatch.setattr(noisy_gd, "BAND", band)
    law = projected_gd.law(X0, Y0, privacy=GaussianDP(0.7), width=0.3, output=output, steps=20)
    ours, noise = law.sample(rng("abreast"), 5), rng("abreast").normal(size=(20, 3, 5)) * law.descent.sigma
    for run in range(5):
        w, visited = np.zeros(3), []
        for eta, xi in zip(law.descent.strides, noise[:, :, run], strict=True):
            visited.append(w)
            w = w - eta * (sum(-z / 0.3 for z in law.descent.Z if z @ w < 0.3) + xi)
        assert ours[run] == pytest.approx(w if output == "last" else np.mean(visited, axis=0), abs=1e-12)


def test_single_precision_keeps_the_noise_and_the_radius():
    """float32 rows are no longer than `radius` in exact arithmetic, sigma is that of float64, and runs stay near."""
    X, y = problem(n=200, d=7)
    settings = dict(privacy=GaussianDP(0.7), width=0.3, steps=30)
    single, double = (noisy_gd.law(X, y, **settings, precision=name) for name in ("single", "double"))
    assert single.sigma == double.sigma and single.Z.dtype == np.float32
    assert max(sum(Fraction(float(z)) ** 2 for z in row) for row in single.Z) <= 1
    far = np.abs(single.gradients(np.zeros((7, 1))) - double.gradients(np.zeros((7, 1)))).max()
    assert 0 < far < 1e-3 and single.sample(rng("single"), 3).dtype == np.float64
    spread = [np.std(law.sample(rng("spread"), 4000), axis=0) for law in (single, double)]
    assert np.abs(spread[0] / spread[1] - 1).max() < 0.07  # of 4,000 runs each: six standard deviations


@pytest.mark.parametrize("steps", ["balanced", "sampled"])
def test_algorithm_3_in_single_precision(steps):
    """The same noise, budget and random numbers; float32 rows within the radius; releases that stay near."""
    X, y = problem(n=300, d=9)
    known = dict(privacy=ApproxDP(2.0, 1e-5), steps=steps, output="last", stride="decaying", ties="wrong")
    laws = [adaptive_margin.law(X, y, **known, precision=name) for name in ("double", "single")]
    for one, other in zip(*(law.candidates for law in laws), strict=True):
        assert (one.descent.sigma, one.descent.steps) == (other.descent.sigma, other.descent.steps)
        assert other.descent.Z.dtype == np.float32 and one.descent.Z.dtype == np.float64
        assert max(sum(Fraction(float(z)) ** 2 for z in row) for row in other.descent.Z[:50]) <= 1
    double, single = (law.sample(rng("precisions"), 3) for law in laws)
    assert single["weights"].dtype == np.float64 and np.array_equal(single["index"], double["index"])
    assert single["weights"] == pytest.approx(double["weights"], abs=1e-3 * np.abs(double["weights"]).max())
    assert laws[0].privacy == laws[1].privacy and laws[0].gdp == laws[1].gdp


@pytest.mark.parametrize("size", ["radius", "width"])
def test_single_precision_knows_its_range(size):
    """At 1e-45 float32 would round a row to more than its length."""
    X, y = problem(n=20, d=3)
    with pytest.raises(ValueError, match=f"{size} must be in .*, got 1e-45"):
        noisy_gd.law(X, y, **dict(privacy=GaussianDP(1.0), width=0.3, steps=3, precision="single") | {size: 1e-45})


def obvious(random, X, y, epsilon, delta, *, projections, steps, output, score):
    """Algorithm 3 as it is printed, one run, one record at a time."""
    n, d = X.shape
    mu = epsilon / (2 * sqrt(2 * log(1 / delta)))
    X = [x / max(1.0, np.linalg.norm(x)) for x in X]
    best = None
    grid = sorted({2**j / n for j in range(n) if 2**j <= n} | {1.0})
    for j, (gamma, phi) in enumerate(zip(grid, projections, strict=True)):
        Phi = np.eye(d) if phi is None else phi.apply(np.eye(d)).T
        k, c, share = len(Phi), gamma / 3, mu / sqrt(2 * len(grid))
        P = [Phi @ x for x in X]
        if phi is not None:
            P = [p * min(1.0, 2 / np.linalg.norm(p)) for p in P]
        sensitivity = (2 if phi is None else 4) / c
        sigma = sensitivity * sqrt(steps) / share
        eta = 1 / sqrt(steps * (n**2 * sensitivity**2 + k * sigma**2))
        w, visited = np.zeros(k), []
        for _ in range(steps):
            visited.append(w)
            gradient = sum((-label * p / c for p, label in zip(P, y, strict=True) if label * (p @ w) < c), np.zeros(k))
            w = w - eta * (gradient + sigma * random.normal(size=(k, 1))[:, 0])
        lifted = Phi.T @ (w if output == "last" else np.mean(visited, axis=0))
        errors = sum(label * (x @ lifted) < 0 for x, label in zip(X, y, strict=True))
        price = 2.5 * (k * log(2 * n) + log(1 / n**2 / 4)) if score == "penalised" else 0.0
        noisy = errors + price + random.normal(size=1)[0] / share
        if best is None or noisy < best[0]:
            best = noisy, lifted, j, gamma
    return best[1:]


@pytest.mark.parametrize("output", ["average", "last"])
@pytest.mark.parametrize("score", adaptive_margin.SCORES)
@pytest.mark.parametrize("seed", [0, 1])
def test_law_agrees_with_the_printed_algorithm(output, score, seed):
    X, y = problem(seed=seed)
    settings = dict(projections=small_projections(*X.shape), steps=6, output=output, score=score)
    law = adaptive_margin.law(X, y, privacy=ApproxDP(5.0, 1e-5), calibration="printed", **settings)
    released = law.sample(rng(f"twin{seed}"))
    weights, index, margin = obvious(rng(f"twin{seed}"), X, y, 5.0, 1e-5, **settings)
    assert released["weights"][0] == pytest.approx(weights, abs=1e-9)
    assert (released["index"][0], released["margin"][0]) == (index, pytest.approx(margin))


def test_many_runs_have_the_law_of_one():
    law = adaptive_margin.law(X0, Y0, privacy=ApproxDP(8.0, 1e-2), steps=3, projections=small_projections(*X0.shape))
    together = law.sample(rng("together"), 4000)
    single = [law.sample(rng("single", str(i))) for i in range(400)]
    assert together["weights"].shape == (4000, 3)
    shares = np.bincount(together["index"], minlength=5) / 4000
    ones = np.bincount([int(s["index"][0]) for s in single], minlength=5) / 400
    assert np.abs(shares - ones).max() < 5 * sqrt(0.25 / 400)
    assert (together["margin"] == law.margins[together["index"]]).all()


@pytest.mark.parametrize("steps", [1, 5])
def test_density_of_the_white_box(steps):
    """Against scipy, one factor after another."""
    X, y = problem(n=3, d=2)
    settings = dict(steps=steps, output="last", score="penalised", projections=small_projections(3, 2), white_box=True)
    law = adaptive_margin.law(X, y, privacy=ApproxDP(8.0, 1e-2), **settings)
    seen = law.sample(rng("density"), 2)
    expected = np.zeros(2)
    for r in range(2):
        for j, candidate in enumerate(law.candidates):
            run, w = candidate.descent, np.zeros(candidate.descent.Z.shape[1])
            for t, after in enumerate(seen[f"iterates{j}"][r]):
                centre = w - run.strides[t] * run.gradients(w[:, None])[:, 0]
                expected[r] += norm.logpdf(after, centre, run.strides[t] * run.sigma).sum()
                w = after
            score = (run.Z @ w < 0).sum() + law.penalties[j]
            expected[r] += norm.logpdf(seen["scores"][r, j], score, law.sigma)
    assert law.log_density(seen) == pytest.approx(expected, rel=1e-10)
    honest = gaussian_privacy.SharedNoise(**vars(law), factor=1.0)
    assert honest.log_density(seen) == pytest.approx(expected, rel=1e-10)


def test_white_box_averages_what_the_release_averages():
    law = adaptive_margin.law(X0, Y0, privacy=ApproxDP(5.0, 1e-5), steps=4, white_box=True)
    seen = law.sample(rng("average"), 2)
    for j, weights in enumerate(law.outputs(seen)):
        visited = np.concatenate([np.zeros((2, 1, 3)), seen[f"iterates{j}"][:, :-1]], axis=1)
        assert weights == pytest.approx(visited.mean(axis=1))


def test_budgets_of_the_law_compose_to_its_guarantee():
    law = adaptive_margin.law(X0, Y0, privacy=ApproxDP(1.0, 1e-5), projections=small_projections(*X0.shape))
    total = compose(*[c.privacy for c in law.candidates], *[GaussianDP(1 / law.sigma)] * len(law.margins))
    assert total.mu == pytest.approx(law.gdp.mu, rel=1e-12) and total.mu <= law.gdp.mu * (1 + 1e-15)
    assert law.privacy == ApproxDP(1.0, 1e-5)


def test_everything_scales_with_the_radius():
    small, large = (
        adaptive_margin.law(s * X0, Y0, privacy=ApproxDP(4.0, 1e-5), radius=s, steps=5).sample(rng("scale"), 20)
        for s in (1.0, 2.0**10)
    )
    assert (small["weights"] == large["weights"]).all() and (small["margin"] * 2**10 == large["margin"]).all()


def test_one_copy_of_the_rows_for_all_candidates_without_a_projection():
    runs = adaptive_margin.law(X0, Y0, privacy=ApproxDP(1.0, 1e-5)).candidates
    assert all(run.descent.Z is runs[0].descent.Z for run in runs)


def test_ties_are_no_errors_and_clipping_turns_no_record():
    X, y = problem(d=64)
    phi, _ = stretched(seed=0, k=2, d=64)
    law = projected_gd.law(X, y, privacy=GaussianDP(1.0), width=0.3, projection=phi)
    W = rng("ties").normal(size=(50, 2))
    assert (law.errors(W) == ((X @ law.lift(W).T) * y[:, None] < 0).sum(axis=0)).all()
    assert law.errors(np.zeros((1, 2))) == 0


def test_noise_after_a_projection_is_for_rows_of_twice_the_radius():
    """2 (2 R) sqrt(T) / (width mu), which grows with the radius R of the records."""
    phi, _ = stretched(seed=0, k=2, d=64)
    asked = {"privacy": GaussianDP(0.5), "width": 0.3, "projection": phi, "steps": 9}
    sigmas = [projected_gd.law(np.eye(4, 64), np.ones(4), radius=r, **asked).descent.sigma for r in (1.0, 3.0)]
    assert sigmas == pytest.approx([80.0, 240.0])


def test_fit_projects_where_that_saves_noise_and_nowhere_else():
    """A projection doubles the rows' length, so d > 4 k; what is drawn is drawn as `draw_projections` does."""
    d = 4000
    every = adaptive_margin.draw_projections(6, d, rng=rng("pays"))
    ours = adaptive_margin.choose_projections(np.zeros((6, d)), 1.0, None, rng("pays"))
    kept = [None if phi is None or 4 * phi.k >= d else phi for phi in every]
    assert ours == kept != list(every) and any(kept)
    assert adaptive_margin.choose_projections(np.zeros((6, d)), 1.0, every, rng("pays")) is every


def test_steps_are_chosen_where_they_are_asked_to_be(monkeypatch):
    asked = []
    monkeypatch.setattr(adaptive_margin, "choose_step_kind", lambda *sizes: asked.append(sizes) or "printed")
    X, y = np.array([[0.9, 0.0], [-0.9, 0.1], [0.8, 0.0]]), [1, -1, 1]
    sizes = {"privacy": ApproxDP(5.0, 1e-3), "output": "last", "stride": "decaying"}
    for steps, times in (("balanced", 0), (5, 0), ("auto", 1)):
        adaptive_margin.law(X, y, steps=steps, **sizes)
        assert len(asked) == times
    assert asked[0][:2] == (3, 2)
    adaptive_margin.law(X, y, steps="auto", **sizes | {"output": "average"})
    assert len(asked) == 1, "random batches release the last iterate"


def learned(X, y, **asked):
    """What the estimator releases, at epsilon = 1 unless asked."""
    return AdaptiveMargin(classes=(-1, 1), **asked).fit(X, y).model_


# Bad input ------------------------------------------------------------------------------------------------------------

BAD = {
    "epsilon at the end": (dict(epsilon=8 * log(1 / 0.5), delta=0.5), r"epsilon must be in \(0, 8 log"),
    "epsilon zero": (dict(epsilon=0.0), r"epsilon must be in .*, got 0\.0"),
    "epsilon NaN": (dict(epsilon=float("nan")), "epsilon must be in .*, got nan"),
    "delta one": (dict(delta=1.0), r"delta must be in \(0, 1\), got 1\.0"),
    "delta zero": (dict(delta=0.0), r"delta must be in \(0, 1\), got 0\.0"),
    "labels": (dict(y=np.array(["a"] * 9)), "y must be an array of numbers, got dtype <U1"),
    "texts": (dict(X=np.full((9, 3), "a")), "X must be an array of numbers, got dtype <U1"),
    "empty": (dict(X=np.empty((0, 3)), y=np.empty(0)), r"X must have shape \(n, d\) with n, d >= 1, got \(0, 3\)"),
    "lengths": (dict(y=Y0[:5]), r"y must have shape \(9,\), got \(5,\)"),
    "radius": (dict(radius=0.0), r"radius must be in \[1e-100, 1e\+100\], got 0\.0"),
    "calibration": (dict(calibration="tight"), "calibration must be one of printed, exact, got 'tight'"),
    "score": (dict(score="hinge"), "score must be one of empirical, penalised, got 'hinge'"),
    "output": (dict(output="iterates"), "output must be one of average, last, got 'iterates'"),
    "steps": (dict(steps=0), "steps must be an integer >= 1, got 0"),
    "projections": (dict(projections=[None]), "projections must be a sequence of length 5"),
    "dimension": (
        dict(projections=[sign_projection.sign_projection(2, 4, rng=np.random.default_rng(0))] * 5),
        r"projection must project from R\^3, as X has shape \(9, 3\)",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named(case):
    changed, message = BAD[case]
    arguments = dict(X=X0, y=Y0, epsilon=1.0, delta=1e-5) | changed
    with pytest.raises(ValueError, match=message) as raised:
        privacy = ApproxDP(arguments.pop("epsilon"), arguments.pop("delta"))
        adaptive_margin.law(**arguments, privacy=privacy)
    text = str(raised.value)
    assert "\n" not in text and not any(f"{x:.4f}"[:6] in text for x in X0.ravel())


def test_projections_are_asked_for_where_they_are_needed():
    X = np.zeros((4, 2000))
    with pytest.raises(ValueError, match=r"projections are required: the margin 1\.0 needs one from R\^2000 to"):
        adaptive_margin.law(X, [1, -1, 1, -1], privacy=ApproxDP(1.0, 1e-5))
    assert learned(X, [1, -1, 1, -1], random_state=rng("wide")).weights.shape == (2000,)


def test_long_rows_are_clipped_and_nothing_is_said():
    """A warning would tell whether there are any; here warnings are errors."""
    assert np.linalg.norm(X0, axis=1).max() > 1
    clipped = X0 / np.maximum(np.linalg.norm(X0, axis=1, keepdims=True), 1.0)
    long, short = (learned(X, Y0, random_state=rng("long")) for X in (X0, clipped))
    assert (long.weights == short.weights).all()
