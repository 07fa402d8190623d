"""The base algorithms: slow twins, exact laws, what they enforce, and the solver's certificate."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import minimize

from lemmata.bounds.abgmu22 import baselines
from lemmata.mechanisms.features.sign_projection import sign_projection
from lemmata.mechanisms.learners.glm import glm_gd, glm_output, glm_projected
from lemmata.mechanisms.learners.glm.glm_losses import LOSSES, records
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP
from lemmata.mechanisms.solvers.ball_risk import _certificate, minimise

SMOOTH = [name for name, loss in LOSSES.items() if loss.smoothness < math.inf]


def data(n=12, d=3, seed=0, loss="half_squared", length=1.0):
    rng = np.random.default_rng(seed)
    X = length * rng.normal(size=(n, d))
    return X, rng.choice([-1.0, 1.0], size=n) if LOSSES[loss].signs else 3 * rng.normal(size=n)


@pytest.mark.parametrize("loss", LOSSES)
def test_derivatives_are_those_of_the_value(loss):
    link, t, y, h = LOSSES[loss], np.linspace(-3.03, 3.07, 41), np.ones(41), 1e-6
    slope = (link.value(t + h, y) - link.value(t - h, y)) / (2 * h)
    curve = (link.slope(t + h, y) - link.slope(t - h, y)) / (2 * h)
    np.testing.assert_allclose(link.slope(t, y), slope, atol=1e-5)
    np.testing.assert_allclose(link.second(t, y), curve, atol=1e-5)
    assert np.abs(link.slope(t, y)).max() <= link.lipschitz + 1e-12
    assert link.second(t, y).max() <= link.smoothness + 1e-12 and (link.value(t, y) >= 0).all()
    assert link.value(np.zeros(1), np.ones(1))[0] == pytest.approx(link.at_zero)


@pytest.mark.parametrize("loss", LOSSES)
def test_records_obey_their_bounds_whatever_comes_in(loss):
    X, y = data(200, 3, 1, loss, length=50.0)
    made = records(X, y, loss=loss, radius=2.0, label_bound=1.5)
    assert np.linalg.norm(made.X, axis=1).max() <= 2.0 + 1e-12
    assert made.link.value(np.zeros(200), made.y).max() <= 1.5**2 + 1e-12
    W = glm_gd.project(np.random.default_rng(2).normal(size=(300, 3)) * 9, 4.0)
    t = W @ made.X.T
    assert np.abs(made.link.slope(t, made.y)).max() <= made.slope_bound(4.0) * (1 + 1e-12)
    assert made.link.value(t, made.y).max() <= made.loss_bound(4.0) * (1 + 1e-12)


@pytest.mark.parametrize("loss, label", [("half_squared", math.sqrt(2)), ("squared", 1.0)])
def test_the_squares_reach_their_bounds(loss, label):
    made = records([[2.0]], [-9.0], loss=loss, radius=2.0, label_bound=1.0)
    assert made.y[0] == pytest.approx(-label)
    assert made.link.value(np.array([6.0]), made.y)[0] == pytest.approx(made.loss_bound(3.0))
    assert made.link.slope(np.array([6.0]), made.y)[0] == pytest.approx(made.slope_bound(3.0))


def test_clipped_losses_enter_the_mean():
    made = records([[1.0], [1.0]], [0.0, 5.0], loss="half_squared", label_bound=5.0)
    assert made.mean_losses([[2.0], [0.0]]).tolist() == [(2 + 4.5) / 2, 12.5 / 2]
    assert made.mean_losses([[2.0]], cap=3.0).tolist() == [2.5]


# Noisy gradient descent -----------------------------------------------------------------------------------------------


def slow_descent(law, noise):
    """One run, line by line, with the noise given, shape (steps, d): (average, points)."""
    w, total, points = np.zeros(law.data.X.shape[1]), 0.0, []
    for t in range(law.steps):
        total = total + w / law.steps
        gradient = sum(
            law.data.link.slope(np.array([w @ x]), np.array([y]))[0] * x
            for x, y in zip(law.data.X, law.data.y, strict=True)
        ) / len(law.data.X)
        v = w - law.stride * (gradient + noise[t])
        points.append(v)
        w = v if np.linalg.norm(v) <= law.norm_bound else v * law.norm_bound / np.linalg.norm(v)
    return total, np.array(points)


def given(noise):
    """A generator whose normal numbers are given."""
    left = iter(noise)
    return SimpleNamespace(normal=lambda scale, size: np.broadcast_to(next(left), size))


@pytest.mark.parametrize("loss", LOSSES)
def test_descent_is_that_of_the_slow_twin(loss):
    X, y = data(9, 3, 3, loss)
    parameters = dict(privacy=GaussianDP(2.0), loss=loss, norm_bound=0.7, label_bound=1.2, steps=6)
    noise = np.random.default_rng(4).normal(size=(6, 3))
    average, points = slow_descent(glm_gd.law(X, y, **parameters), noise)
    np.testing.assert_allclose(glm_gd.law(X, y, **parameters)._block(given(noise), 1)[0], average, atol=1e-12)
    white = glm_gd.law(X, y, **parameters, output="points")
    np.testing.assert_allclose(white._block(given(noise), 1)[0], points, atol=1e-12)


def test_noise_and_step_sizes_are_those_of_the_theorem():
    law = glm_gd.law(*data(40, 5), privacy=GaussianDP(0.5), loss="half_squared", norm_bound=2.0, label_bound=1.0)
    G = math.sqrt(2) + 2.0
    assert law.steps == 40**2 * 0.25 / 5
    assert law.sigma == pytest.approx(baselines.ball_noise(n=40, steps=law.steps, gradient_norm=G, mu=0.5), rel=1e-9)
    assert law.sigma >= 2 * G * math.sqrt(law.steps) / (40 * 0.5)
    assert law.stride == pytest.approx(2 / math.sqrt(law.steps * (G**2 + 5 * law.sigma**2)), rel=1e-9)


def test_white_box_density_is_one_in_all():
    sizes = dict(privacy=GaussianDP(0.5), loss="squared", norm_bound=0.5, label_bound=1.0, steps=1)
    law = glm_gd.law(*data(3, 1), **sizes, output="points")
    points = law.stride * law.sigma * np.linspace(-20, 20, 4001)
    assert np.exp(law.log_density(points[:, None, None])).sum() * (points[1] - points[0]) == pytest.approx(1)


def test_white_box_density_is_that_of_its_samples():
    """E exp(log q - log p) = 1 under p, for the law of a neighbour, within six standard errors."""
    X, y = data(3, 2)
    parameters = dict(privacy=GaussianDP(0.5), loss="squared", norm_bound=0.5, label_bound=1.0, steps=3)
    p = glm_gd.law(X, y, **parameters, output="points")
    q = glm_gd.law(-X, y, **parameters, output="points")
    drawn = p.sample(np.random.default_rng(6), 20_000)
    ratio = np.exp(q.log_density(drawn) - p.log_density(drawn))
    assert abs(ratio.mean() - 1) < 6 * ratio.std() / math.sqrt(len(ratio))
    wrong = np.exp(q.log_density(drawn) - p.log_density(1.01 * drawn))
    assert abs(wrong.mean() - 1) > 6 * wrong.std() / math.sqrt(len(ratio))


def test_many_runs_are_independent_and_stay_in_the_ball():
    sizes = dict(loss="half_squared", norm_bound=0.5, label_bound=1.0, steps=4)
    law = glm_gd.law(*data(5, 3), privacy=GaussianDP(0.5), **sizes)
    drawn = law.sample(np.random.default_rng(0), 600)
    assert drawn.shape == (600, 3) and np.linalg.norm(drawn, axis=1).max() <= 0.5 + 1e-12
    assert len(np.unique(drawn)) == drawn.size  # no number is drawn twice: not across runs, blocks or coordinates


# Output perturbation --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize(("n", "d", "norm_bound"), [(30, 3, 0.3), (30, 3, 6.0), (4, 9, 0.2), (4, 9, 9.0)])
def test_the_solver_finds_what_scipy_finds(loss, n, d, norm_bound):
    made = records(*data(n, d, n + d, loss), loss=loss, label_bound=2.0)
    link = made.link

    def objective(w):
        return link.value(made.X @ w, made.y).mean() + 0.05 * w @ w

    parts = {"value": link.value, "slope": link.slope, "second": link.second, "smoothness": link.smoothness}
    w, error = minimise(made.X, made.y, ridge=0.1, norm_bound=norm_bound, **parts)
    ball = {"type": "ineq", "fun": lambda w: norm_bound**2 - w @ w, "jac": lambda w: -2 * w}
    other = minimize(objective, w / 2, method="SLSQP", constraints=ball, options={"ftol": 1e-13, "maxiter": 400})
    assert np.linalg.norm(w) <= norm_bound and error < 1e-6 * norm_bound
    assert objective(w) <= other.fun + 1e-9
    assert np.linalg.norm(w - other.x) < 1e-3 * max(1.0, norm_bound)


def test_the_certificate_covers_points_that_are_not_solutions():
    """A point moved away from the minimiser is never certified nearer than it is."""
    for norm_bound in (0.3, 50.0):
        made = records(*data(20, 3, 7), loss="half_squared", label_bound=2.0)
        link = made.link
        parts = {"value": link.value, "slope": link.slope, "second": link.second, "smoothness": link.smoothness}
        best, _ = minimise(made.X, made.y, ridge=0.1, norm_bound=norm_bound, **parts)
        rng = np.random.default_rng(8)
        for size in (1e-4, 1e-2, 1.0):
            w = glm_gd.project((best + size * rng.normal(size=3))[None], norm_bound)[0]
            claimed = _certificate(made.X, made.y, link.slope, w, 0.1, norm_bound, link.smoothness)
            assert claimed >= np.linalg.norm(w - best) - 1e-7


def test_output_noise_is_that_of_the_theorem():
    X, y = data(50, 2)
    law = glm_output.law(X, y, privacy=GaussianDP(0.5), loss="squared", norm_bound=3.0, label_bound=1.0, ridge=0.2)
    G = 2 * (1.0 + 3.0)
    least = baselines.output_noise(n=50, gradient_norm=G, ridge=0.2, mu=0.5)
    assert least <= law.sigma <= least * (1 + 1e-3)
    with pytest.raises(ValueError, match="loss must be smooth, got 'hinge'; use noisy descent for others"):
        glm_output.law(X, np.sign(y), privacy=GaussianDP(0.5), loss="hinge", norm_bound=3.0)


def test_a_ball_smaller_than_the_sensitivity_caps_it():
    law = glm_output.law([[1.0]], [1.0], privacy=GaussianDP(1.0), loss="logistic", norm_bound=0.1, ridge=1e-3)
    assert law.sigma == pytest.approx(0.2, rel=1e-4)


def test_long_rows_and_far_labels_change_nothing():
    X, y = data(10, 3)
    far = [glm_output.law(a * X, a * y, privacy=GaussianDP(1.0), loss="squared", norm_bound=1.0, label_bound=0.01)
           for a in (1e3, 1e9)]  # fmt: skip
    np.testing.assert_allclose(far[0].value, far[1].value, atol=1e-6)


# Random projection ----------------------------------------------------------------------------------------------------


def test_projected_descent_is_descent_on_clipped_projections():
    X, y = data(8, 6)
    phi = sign_projection(2, 6, rng=np.random.default_rng(1))
    law = glm_projected.law(
        X, y, privacy=ApproxDP(1.0, 1e-5), loss="half_squared", norm_bound=1.0, label_bound=1.0, projection=phi, steps=5
    )
    norms = np.linalg.norm(phi.apply(X / np.maximum(1, np.linalg.norm(X, axis=1, keepdims=True))), axis=1)
    np.testing.assert_allclose(np.linalg.norm(law.descent.data.X, axis=1), np.minimum(norms, 2.0), atol=1e-12)
    assert law.descent.norm_bound == 2.0
    assert law.descent.sigma == pytest.approx(
        baselines.projected_noise(
            n=8, steps=5, label_bound=1.0, smoothness=1.0, norm_bound=1.0, radius=1.0, mu=law.privacy.mu
        ),
        rel=1e-9,
    )
    one, two = (law.sample(np.random.default_rng(3)), law.descent.sample(np.random.default_rng(3)))
    np.testing.assert_allclose(one, phi.transpose(two))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"loss": "cubed"}, "loss must be one of half_squared, squared, squared_hinge, logistic,.*, got 'cubed'"),
        ({"label_bound": None}, "label_bound is required for loss = 'half_squared', which has real labels"),
        ({"loss": "logistic", "label_bound": 0.5}, r"label_bound = 0\.5 is below sqrt"),
        ({"norm_bound": 0.0}, r"norm_bound must be in .*, got 0\.0"),
        ({"y": [1.0]}, r"y must have shape \(12,\), got \(1,\)"),
        ({"steps": 0}, "steps must be an integer >= 1, got 0"),
        ({"output": "last"}, "output must be one of average, points, got 'last'"),
    ],
)
def test_bad_input_is_named(changed, message):
    X, y = data()
    parameters = dict(X=X, y=np.sign(y), privacy=GaussianDP(1.0), loss="half_squared", norm_bound=1.0, label_bound=1.0)
    with pytest.raises(ValueError, match=message):
        glm_gd.law(**parameters | changed)
