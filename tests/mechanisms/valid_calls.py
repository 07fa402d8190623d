"""A valid call of every public function of mechanisms/, and of a release of every law that has exact noise."""

import inspect

import numpy as np

from lemmata.mechanisms import law, privacy
from lemmata.mechanisms.estimators import statistics
from lemmata.mechanisms.features import fast_projection, kernel_features, random_features, sign_projection, sizes
from lemmata.mechanisms.learners.covers import label_learner, network_learner, pure_learner
from lemmata.mechanisms.learners.descent import (
    adaptive_margin,
    known_margin,
    noisy_gd,
    private_perceptron,
    private_tuning,
    projected_gd,
)
from lemmata.mechanisms.learners.erm import (
    dp_erm,
    efficient_learner,
    kernel_learner,
    kernel_svm,
    objective_perturbation,
    output_perturbation,
    phased_sgd,
    private_svm,
)
from lemmata.mechanisms.learners.glm import (
    confidence_boosting,
    glm_gd,
    glm_losses,
    glm_output,
    glm_projected,
    grid_search,
)
from lemmata.mechanisms.learners.statistics import bounded_mean, histogram, quantile, score_counts, second_moments
from lemmata.mechanisms.noise import discrete_gaussian, gaussian, grid_gaussian, laplace, snapping
from lemmata.mechanisms.numerics import arguments, arithmetic
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP, losses, privacy_curve
from lemmata.mechanisms.selection import (
    exponential,
    generalized_exponential,
    majority,
    margin_selection,
    report_noisy_max,
    tnb,
    tuning_budget,
)
from lemmata.mechanisms.solvers import (
    covers,
    function_covers,
    least_loss,
    margin,
    perturbed_risk,
    svm,
)
from lemmata.mechanisms.tables import column_ranges

X, Y = np.array([[0.6, 0.1], [-0.5, 0.2], [0.3, -0.4], [0.1, 0.1]]), np.array([1.0, -1.0, 1.0, -1.0])
XY = dict(X=X, y=Y)
BUDGET = dict(epsilon=1.0, delta=1e-3)
BALL = dict(rho=0.5, radius=1.0, norm_bound=1.0)
PHI = sign_projection.sign_projection(1, 2, rng=np.random.default_rng(0))
KERNEL = dict(count=3, k=2, bandwidth=1.0, radius=1.0)
WAVES = kernel_learner.kernel_projection("gaussian", 2, **KERNEL, rng=np.random.default_rng(0))
SQUARES = kernel_features.monomials(1, 1)
FEATURES = random_features.fourier_map("gaussian", 2, 3, rng=np.random.default_rng(0))
APPROX, PURE, GDP = ApproxDP(1.0, 1e-3), PureDP(1.0), GaussianDP(1.0)
MADE = private_perceptron.law(X, Y, privacy=GDP, rounds=2, noise="exact")


def rng():
    return np.random.default_rng(1)


def COVER():
    return covers.cover(2, radius=1.0, resolution=0.5)


def MATRIX():
    return np.ones((2, 4))


def choices(mu):
    return [gaussian.law([0.0], privacy=GaussianDP(mu), sensitivity=1.0)] * 2


def learner(X, y, *, rho, privacy, beta):
    return exponential.law([0.0, 1.0], privacy=privacy, sensitivity=1.0)


def boosted_learner(X, y, *, privacy):
    return gaussian.law([0.0, 0.0], privacy=privacy, sensitivity=1.0)


def hypotheses(X):
    return np.outer([-1.0, 0.5, 1.0], X[:, 0])


BOOSTED = dict(learner=boosted_learner, candidates=2, loss="squared", loss_bound=1.0, radius=1.0, label_bound=1.0)
POOL = dict(rho=0.5, hypotheses=hypotheses, net=0.0, balls="open", calibration="printed")
NETWORKS = dict(norm_bound=1.0, radius=1.0, rho=8.0, eta=1.0, calibration="printed", lattice="thin")
MARGIN = dict(
    bound=lambda rho, t: t / rho,
    best_loss=lambda X, y, rho: 0.1,
    sensitivity=lambda rho: 0.1 / rho,
    h_max=1.0,
    beta=0.1,
    tolerance=0.0,
)
TUNED = dict(**BUDGET, score=lambda j, m: m[:, 0], sensitivity=1.0, r=0.25, eta=1.0, calibration="printed")
GLM = dict(loss="logistic", norm_bound=2.0, radius=1.0)
GRID = dict(loss="half_squared", guesses=2, radius=1.0, label_bound=1.0, beta=0.1)
DESCENT = dict(steps=3, stride="printed", distance=1.0)

# function: a valid call, by keyword
TABLE = {
    sizes.rows_needed: dict(points=10, distortion=0.2, beta=0.1, d=5),
    sizes.rows_compared: dict(points=10, distortion=0.2, beta=0.1),
    sizes.features_needed: dict(kernel="gaussian", points=10, error=0.5, beta=0.1, d=2, diameter=1.0, bandwidth=1.0),
    arithmetic.check_in_range: dict(value=0.5, low=0.0, high=1.0),
    arithmetic.as_real: dict(value=0.5),
    arithmetic.as_real_array: dict(value=[0.5]),
    law.sample_in_blocks: None,
    arguments.resolve_generator: dict(rng=None),
    arguments.spawn_two_streams: dict(rng=None),
    law.fit: dict(law=MADE, rng=rng, noise="exact"),
    law.is_exact: None,
    arguments.check_positive: dict(rho=1.0),
    arguments.check_magnitude: dict(rho=1.0),
    arguments.check_within_unit: dict(rho=0.5),
    arguments.check_integer: dict(rho=1),
    arguments.check_exactly_one: dict(privacy=None, scale=1.0),
    arguments.check_callable: dict(bound=len),
    arguments.check_choice: dict(allowed=("a", "b"), word="a"),
    arguments.check_finite: dict(values=X),
    arguments.check_moderate: dict(values=X),
    arguments.check_rows: dict(X=X),
    arguments.check_vector: dict(values=[1.0, 2.0]),
    arguments.as_float_array: dict(value=X),
    arguments.read_records: dict(X=X),
    arguments.clip_entries: dict(X=X, reach=1.0),
    arguments.read_labels: dict(y=Y, n=4),
    law.check_within_budget: None,
    arguments.clip_rows: dict(X=X, radius=1.0),
    arguments.check_signs: dict(y=Y, n=4),
    privacy.check_guarantee: None,
    arithmetic.short_repr: None,
    arithmetic.rounded_up_in_range: None,  # by way of the guarantees
    arithmetic.rounded_down_in_range: None,
    privacy.PureDP: dict(epsilon=1.0, neighbours="label"),
    privacy.ApproxDP: dict(epsilon=1.0, delta=0.1, neighbours="label"),
    privacy.GaussianDP: dict(mu=1.0, neighbours="label"),
    privacy.LabelDP: dict(epsilon=1.0, delta=0.1),
    privacy.ZCDP: dict(rho=1.0, neighbours="label"),
    privacy.RenyiDP: dict(order=(2.0, 4.0), epsilon=(0.5, 1.5), neighbours="label"),
    privacy.PrivacyCurve: dict(epsilon=(0.0, 1.0), delta=(0.2, 0.1), neighbours="label"),
    privacy.gaussian_delta: dict(epsilon=1.0, mu=1.0),
    privacy.gaussian_epsilon: dict(mu=1.0, delta=1e-5),
    privacy.gaussian_mu: dict(epsilon=1.0, delta=1e-5),
    privacy.gaussian_noise_multiplier: dict(privacy=APPROX),
    privacy.to_gaussian_budget: dict(privacy=APPROX),
    privacy.to_pure: dict(privacy=PURE),
    privacy.to_approx: dict(privacy=GDP, delta=1e-5),
    privacy.to_gaussian: dict(privacy=PURE),
    privacy.to_zcdp: dict(privacy=PURE),
    privacy.to_renyi: dict(privacy=PURE, order=2.0),
    privacy.to_curve: dict(privacy=GDP, epsilons=[0.0, 1.0]),
    privacy_curve.privacy_curve: dict(delta=lambda epsilon: 0.1, epsilons=[0.0, 1.0], neighbours="label"),
    privacy_curve.from_trade_off: dict(
        alpha=[0.0, 0.25, 1.0], beta=[1.0, 0.25, 0.0], neighbours="label", points="vertices"
    ),
    privacy_curve.trade_off: dict(privacy=privacy.PrivacyCurve((0.0, 1.0), (0.2, 0.1)), alpha=0.25),
    privacy.to_neighbours: dict(privacy=PURE, neighbours="label"),
    law.check_replacement: dict(privacy=PURE),
    privacy.compose: None,
    losses.enclosed_delta: dict(privacy=PURE, epsilon=0.5),
    privacy.group: dict(privacy=APPROX, k=3),
    gaussian.law: dict(value=[1.0, 2.0], privacy=GDP, sensitivity=1.0, bound=10.0),
    grid_gaussian.law: dict(value=[1.0, 2.0], privacy=GDP, sensitivity=1.0, bound=10.0),
    grid_gaussian.noise_deviation: dict(sensitivity=1.0, privacy=GDP),
    exponential.check_scores: dict(scores=[1.0, 2.0]),
    exponential.law: dict(scores=[1.0, 2.0], privacy=PURE, sensitivity=1.0),
    exponential.streamed_law: dict(blocks=lambda: [np.ones(2)], privacy=PURE, candidates=2, sensitivity=1.0),
    generalized_exponential.law: dict(scores=[1.0, 2.0], sensitivities=[1.0, 0.5], privacy=PURE, beta=0.1),
    discrete_gaussian.law: dict(value=[1.0, 2.0], privacy=APPROX, sensitivity=1.0, bound=10.0, steps=100),
    discrete_gaussian.discrete_gaussian: dict(rng=rng, steps=5, size=3),
    snapping.law: dict(value=[1.0, 2.0], privacy=PURE, sensitivity=1.0, bound=10.0, scale=None),
    discrete_gaussian.bernoulli_exp: dict(rng=rng, numerator=[1, 2], denominator=3),
    laplace.discrete_laplace: dict(rng=rng, steps=5, size=3),
    laplace.grid_for: dict(sensitivity=1.0, epsilon=1.0, dimension=2),
    laplace.FloatLaplace: dict(centre=[1.0, 2.0], scale=1.0),
    laplace.GridLaplace: dict(centre=[1.0, 2.0], grid=0.25, steps=5),
    laplace.reachable: dict(y=1.0, centre=0.5, scale=1.0, margin=4),
    tnb.law: dict(eta=1.0, r=0.5),
    sign_projection.sign_projection: dict(k=2, d=3, rng=rng),
    sign_projection.check_points: dict(X=X, width=2),
    fast_projection.fast_projection: dict(k=2, d=3, rng=rng),
    fast_projection.walsh_hadamard: dict(X=MATRIX),
    random_features.profile: dict(kernel="gaussian", differences=X, bandwidth=1.0),
    random_features.frequencies: dict(kernel="cauchy", d=2, count=3, bandwidth=1.0, rng=rng),
    random_features.frequency_blocks: dict(kernel="cauchy", d=2, count=3, bandwidth=1.0, block=2, rng=rng),
    random_features.FourierMap: dict(omega=X, radius=1.0),
    random_features.angles_of: dict(X=X, omega=X),
    random_features.fourier_map: dict(kernel="gaussian", d=2, count=3, bandwidth=1.0, radius=1.0, rng=rng),
    random_features.gram: dict(X=X, blocks=[np.ones((3, 2))], radius=1.0, Z=X),
    noisy_gd.noise_for: dict(steps=4, sensitivity=1.0, mu=0.5),
    noisy_gd.step_count: dict(steps="printed", n=4, mu=0.5, d=2),
    noisy_gd.law: dict(
        **XY, privacy=GDP, width=0.5, radius=1.0, loss="logistic", start=[0.0, 0.0], average=None, **DESCENT
    ),
    majority.law: dict(**XY, privacy=PURE),
    majority.count_ones: dict(X=X),
    private_perceptron.default_rounds: dict(n=4, d=2, mu=0.5),
    private_perceptron.law: dict(**XY, privacy=APPROX, rounds=3, radius=1.0),
    known_margin.draw_projection: dict(n=4, d=2, margin=0.5, beta=0.1, radius=1.0, rng=rng),
    known_margin.law: dict(**XY, privacy=APPROX, margin=0.5, projection=PHI, radius=1.0, steps=3),
    projected_gd.law: dict(**XY, privacy=GDP, width=0.5, radius=1.0, projection=PHI, **DESCENT),
    adaptive_margin.budget: dict(**BUDGET, calibration="exact"),
    adaptive_margin.draw_projections: dict(n=4, d=2, radius=1.0, beta=0.1, rng=rng),
    adaptive_margin.candidates: dict(**XY, mu=1.0, radius=1.0, projections=None, steps=3),
    adaptive_margin.law: dict(**XY, privacy=APPROX, radius=1.0, score="penalised", output="last", steps=3),
    adaptive_margin.choose_projections: None,
    private_tuning.budget: dict(**BUDGET, r=0.25, eta=1.0, calibration="printed"),
    private_tuning.law: dict(base=choices, **TUNED),
    private_tuning.selection_law: dict(scores=[0.0, 1.0], **{k: v for k, v in TUNED.items() if k != "score"}),
    private_tuning.margin_law: dict(**XY, **BUDGET, radius=1.0, calibration="printed", projections=None, steps=3),
    tuning_budget.theorem_epsilon: dict(**BUDGET, calibration="printed"),
    phased_sgd.multiplier_for: dict(privacy=APPROX, calibration="printed"),
    phased_sgd.law: dict(**XY, privacy=APPROX, **BALL, calibration="analytic", output="last", eta=0.1),
    dp_erm.check_setting: dict(m=10, **BUDGET, beta=0.1),
    dp_erm.sensitivity_for: dict(m=10, **BALL, calibration="printed"),
    dp_erm.law: dict(**XY, privacy=APPROX, **BALL, beta=0.1, calibration="tight"),
    dp_erm.sample_each: None,
    efficient_learner.rows_for: dict(m=10, **BUDGET, beta=0.1),
    efficient_learner.draw_projection: dict(m=10, d=3, **BUDGET, beta=0.1, k=2, kind="fast", rng=rng),
    efficient_learner.law: dict(**XY, privacy=APPROX, **BALL, beta=0.1, calibration="printed", projection=PHI),
    kernel_learner.frequencies_for: dict(m=10, beta=0.1),
    kernel_learner.kernel_projection: dict(kernel="cauchy", d=2, **KERNEL, rng=rng),
    kernel_learner.draw_projection: dict(m=10, d=3, kernel="laplacian", **BUDGET, beta=0.1, **KERNEL, rng=rng),
    kernel_learner.law: dict(
        **XY, privacy=APPROX, rho=0.5, norm_bound=1.0, beta=0.1, calibration="tight", projection=WAVES
    ),
    kernel_features.projected: dict(features=SQUARES, phi=PHI),
    kernel_features.monomials: dict(d=2, degree=2, constant=1.0, radius=1.0),
    kernel_features.tensor_sketch: dict(d=2, degree=2, size=5, constant=1.0, rng=rng),
    kernel_features.fastfood: dict(d=3, count=5, bandwidth=1.0, radius=1.0, rng=rng),
    kernel_features.arc_cosine: dict(d=2, count=5, rng=rng),
    kernel_features.tangent: dict(d=2, count=5, rng=rng),
    pure_learner.law: dict(**XY, privacy=PURE, **BALL, calibration="printed", lattice="thin", public=PHI),
    report_noisy_max.law: dict(scores=[0.0, 1.0], sensitivity=0.5, scale=1.0),
    confidence_boosting.sensitivity: dict(loss_bound=1.0, records=10),
    confidence_boosting.law: dict(**XY, privacy=APPROX, **BOOSTED, calibration="printed"),
    label_learner.truncated: dict(hypotheses=hypotheses, X=X, rho=0.5),
    label_learner.law: dict(**XY, privacy=PureDP(1.0, "label"), **POOL),
    network_learner.product_cover: dict(k=1, width=1, layers=2, norm_bound=1.0, resolution=0.5, lattice="thin"),
    network_learner.law: dict(**XY, privacy=PURE, **NETWORKS, public=[PHI]),
    private_svm.solve: dict(**XY, C=1.0, kappa=1.0, loss="hinge", counts=[1, 1, 2, 1], feature_map=None),
    private_svm.law: dict(**XY, privacy=PURE, C=1.0, kappa=1.0, loss="logistic", sampler="grid", counts=None),
    kernel_svm.solve: dict(**XY, C=1.0, kernel="gaussian", bandwidth=1.0, counts=[1, 1, 2, 1]),
    kernel_svm.law: dict(**XY, privacy=PURE, C=1.0, loss="logistic", sampler="grid", counts=None, public=FEATURES),
    output_perturbation.radial_noise: dict(rng=rng, rate=1.0, size=3, dimension=2),
    output_perturbation.law: dict(**XY, privacy=PURE, C=1.0, loss="huber", feature_map=None),
    objective_perturbation.split_budget: dict(epsilon=1.0, n=10, C=1.0, curvature=0.25),
    objective_perturbation.gaussian_split: dict(epsilon=1.0, delta=1e-5, n=10, C=1.0, curvature=0.25),
    objective_perturbation.law: dict(**XY, privacy=PURE, C=1.0, loss="huber", feature_map=None),
    private_svm.l1_sensitivity: dict(n=10, C=1.0, F=2, kappa=1.0, calibration="sharp"),
    margin_selection.margin_law: dict(**XY, privacy=PURE, learner=learner, **MARGIN, calibration="corrected"),
    covers.cover: dict(k=2, radius=1.0, resolution=0.5, lattice="thin"),
    covers.farthest: dict(cover=COVER, points=X),
    function_covers.nearness_matrix: dict(values=MATRIX, radius=1.0, closed=True),
    function_covers.smallest_cover: dict(values=MATRIX, radius=1.0, closed=False),
    least_loss.hinge_loss: dict(**XY, rho=0.5, norm_bound=1.0),
    least_loss.margin_loss: dict(**XY, rho=0.5, norm_bound=1.0),
    margin.signed_records: XY,
    margin.geometric_margin: XY,
    margin.margin_of: dict(w=[1.0, 0.0], **XY),
    margin.signed_normalised_margins: dict(w=[1.0, 0.0], **XY),
    margin.normalised_margin: dict(w=[1.0, 0.0], **XY),
    margin.unit_rows: dict(X=X),
    margin.subset_margins: XY,
    margin.inliers: dict(**XY, margin=0.1),
    margin.outliers: dict(**XY, margin=0.1),
    margin.min_outliers: dict(**XY, margin=0.1),
    svm.solution_tolerance: dict(C=1.0, F=2, kappa=1.0),
    svm.solve_rows: dict(V=X, y=Y, C=1.0, loss="hinge", counts=[1, 1, 2, 1]),
    svm.solve_gram: dict(K=np.eye(4), y=Y, C=1.0, counts=[1, 1, 2, 1]),
    glm_losses.records: dict(**XY, loss="squared", radius=1.0, label_bound=1.0),
    glm_gd.law: dict(**XY, privacy=GDP, **GLM, label_bound=1.0, steps=3, output="average"),
    glm_output.law: dict(**XY, privacy=GDP, **GLM, label_bound=1.0, ridge=0.5),
    glm_projected.law: dict(**XY, privacy=GDP, **GLM, label_bound=1.0, steps=3, projection=PHI),
    grid_search.law: dict(
        **XY, privacy=APPROX, **GRID, base="output", sensitivity="average", penalty="printed", accounting="printed"
    ),
    column_ranges.law: dict(X=X, privacy=GDP),
    bounded_mean.law: dict(X=X, privacy=PURE, bounds=[-1.0, 1.0]),
    histogram.law: dict(X=X, privacy=PURE, edges=[-1.0, 0.0, 1.0]),
    quantile.law: dict(X=X, privacy=PURE, q=[0.25, 0.5], bounds=[-1.0, 1.0], cells=8),
    second_moments.law: dict(**XY, privacy=GDP),
    score_counts.law: dict(**XY, weights=[[0.5, -1.0]], privacy=GDP),
    statistics.private_mean: dict(X=X, bounds=[-1.0, 1.0], **BUDGET, rng=rng),
    statistics.private_histogram: dict(X=X, edges=[-1.0, 0.0, 1.0], **BUDGET, rng=rng),
    statistics.private_quantile: dict(X=X, q=[0.25, 0.5], bounds=[-1.0, 1.0], epsilon=1.0, cells=8, rng=rng),
    perturbed_risk.minimise: dict(Z=X, linear=np.ones((3, 2)), ridge=1.0, share=0.5, loss="huber", counts=[1, 1, 2, 1]),
}


class Calls(dict):
    """{function: a valid call, by keyword}; a function without one is named in the error."""

    def __missing__(self, function):
        raise LookupError(f"tests/mechanisms/valid_calls.py has no call of {function.__module__}.{function.__name__}")


TABLE = Calls(TABLE)


def has_two_kinds(function):
    """Whether a law has a parameter `noise`, of its own or of the descent that it hands it on to."""
    parameters = inspect.signature(function).parameters
    return "noise" in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values())


def exactly(function):
    """A release of a law with exact noise, as a person asks for it."""

    def release(*, rng, **given):
        return law.fit(function(**given, noise="exact"), rng)

    release.__module__, release.__name__ = function.__module__, function.__name__.replace("law", "release")
    return release


LAWS = [one for one in TABLE if one.__name__ in ("law", "margin_law") and has_two_kinds(one)]
EXACT = {report_noisy_max.law: {"privacy": PURE, "scale": None}}  # whose exact noise has no scale of its own
RELEASED = [one for one in LAWS if one is not private_tuning.law]  # which its margin_law is a case of
TABLE |= {exactly(one): TABLE[one] | EXACT.get(one, {}) | {"rng": rng} for one in RELEASED}
# The name that a checker puts into its messages is written by us.
NAMED = {
    arithmetic.check_in_range: dict(name="rho"),
    arithmetic.as_real: dict(name="rho"),
    arithmetic.as_real_array: dict(name="X"),
    arguments.check_finite: dict(name="X"),
    arguments.as_float_array: dict(name="X"),
    arguments.check_moderate: dict(name="X"),
    arguments.check_vector: dict(name="value"),
    sign_projection.check_points: dict(name="X"),
    random_features.angles_of: dict(name="X"),
}
