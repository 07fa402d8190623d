"""A value for each line that privacy rests on and that no law, no fit and no number of a guarantee shows by itself."""

from fractions import Fraction as F
from math import inf, nextafter
from types import SimpleNamespace

import numpy as np
import pytest

from lemmata import ApproxDP, MarginClassifier, PureDP
from lemmata.mechanisms.audit.front import pair_replay
from lemmata.mechanisms.audit.play import recorded_answers
from lemmata.mechanisms.audit.subjects import other_libraries, recorder
from lemmata.mechanisms.features.sign_projection import sign_projection
from lemmata.mechanisms.learners.descent import private_perceptron, private_tuning, sampled_gd
from lemmata.mechanisms.learners.erm import dp_erm, phased_sgd
from lemmata.mechanisms.learners.glm import glm_gd, glm_losses, grid_search
from lemmata.mechanisms.noise import discrete_gaussian, grid_sums, snapping
from lemmata.mechanisms.numerics.arithmetic import group_delta, round_up
from lemmata.mechanisms.privacy import to_gaussian_budget
from lemmata.mechanisms.selection import tuning_budget
from lemmata.mechanisms.solvers import svm
from lemmata.mechanisms.tables import column_ranges
from tests.mechanisms.valid_calls import TABLE, rng


def test_a_number_beyond_the_floats_is_rounded_up_to_the_nearest_of_them():
    assert round_up(F(10) ** 400) == inf and round_up(-(F(10) ** 400)) == -nextafter(inf, 0)


@pytest.mark.parametrize("epsilon", [0.3, 0.7, 1.0, 1.3, 2.0, 3.7])
def test_all_parts_of_a_fit_spend_no_more_than_its_budget(epsilon):
    """Squares of mu, exactly: of ranges, weights and counts of scores."""
    asked = dict(classes=(0, 1), probability=True, random_state=0)
    X = np.random.default_rng(0).normal(size=(30, 2))
    for delta in (1e-5, 1e-6, 3e-7, 1e-9):
        fitted = MarginClassifier(epsilon=epsilon, delta=delta, **asked).fit(X, X[:, 0] > 0)
        spent = sum(F(part.mu) ** 2 for part in fitted.budget_.values() if part)
        assert 0 <= F(to_gaussian_budget(ApproxDP(epsilon, delta)).mu) ** 2 - spent < 1e-14
        assert fitted.budget_["calibration"].mu > 0


def test_the_budget_of_a_selection_is_at_most_half_where_half_is_no_float():
    least = 5e-324
    assert grid_search.split_shares(ApproxDP(3 * least, 1e-6), 1, "printed")[1].epsilon == least


def test_the_promise_of_discrete_noise_takes_the_shift_rounded_up(monkeypatch):
    seen = []
    monkeypatch.setattr(discrete_gaussian, "certified_delta", lambda epsilon, mu: seen.append(mu) or 0.1)
    for moved in range(1, 12):
        spent = discrete_gaussian.spent_delta(5.0, float(moved), 10_007, moved)
        assert F(seen[-1]) >= F(moved, 10_007) > F(nextafter(seen[-1], 0))
        assert F(spent) >= (1 + 2 * F(moved, 24 * 10_007**2)) * F(0.1) > F(nextafter(spent, 0))


def test_rounded_centres_are_as_far_apart_as_they_may_be(monkeypatch):
    """By sensitivity / grid + sqrt(F) steps: the sum of two numbers that are rounded up is rounded up, too."""
    seen = []
    monkeypatch.setattr(discrete_gaussian, "spent_delta", lambda epsilon, moved, *_: seen.append(moved) or 0.0)
    for size in range(2, 12):
        law = discrete_gaussian.law(np.zeros(size), sensitivity=1 + size / 7, bound=1.0, privacy=ApproxDP(1.0, 1e-6))
        assert (F(seen[-1]) - F(1 + size / 7) / F(law.grid)) ** 2 >= size


@pytest.mark.parametrize("law", [discrete_gaussian.law, snapping.law])
def test_values_beyond_the_bound_are_clipped(law):
    privacy = PureDP(1.0) if law is snapping.law else ApproxDP(1.0, 1e-6)
    made = law([1e6, -1e6], sensitivity=0.5, bound=1.0, privacy=privacy)
    assert 1 <= made.centre[0] == -made.centre[1] <= 2  # the scale of snapping may be the larger bound


def test_rows_are_counted_together_before_they_are_cut_into_bands(monkeypatch):
    """One of nine rows that float64 adds exactly is too many, if a band has one row, too."""
    monkeypatch.setattr(grid_sums, "EXACT", grid_sums.BITS + 3)
    wide = np.zeros((9, 2**16))
    assert grid_sums.clip_and_round_rows(wide[:8], 1.0, "exact")[1] > 0
    with pytest.raises(ValueError, match="X has 9 rows"):
        grid_sums.clip_and_round_rows(wide, 1.0, "exact")


def test_an_image_that_is_longer_is_clipped():
    """One sign of sixteen: the image of a row of length 1 has length 4, and counts as one of length 2."""
    phi = sign_projection(1, 16, rng=np.random.default_rng(0))
    X = np.sign(phi.transpose(np.ones(1)))[None] / 4
    asked = dict(radius=1.0, precision="double", width=1.0, projection=phi)
    for noise in ("exact", "float"):
        (image,), _ = sampled_gd.prepare_signed_rows(X, np.ones(1), noise=noise, **asked)
        assert phi.apply(X)[0, 0] == pytest.approx(4) and 2 - 1e-5 < image[0] <= 2


def test_losses_are_counted_in_whole_steps_downwards():
    """Of a third, which is no multiple of a step, from the least to the largest loss."""
    Z = np.array([[1 / 3]])
    sums, most = dp_erm.hinge_steps(np.array([[0.5]]), Z, 1.0, 1.0)
    step = F(2, most)
    assert sums[0] == (1 - F(0.5 * Z[0, 0])) // step and (1 - F(0.5 * Z[0, 0])) % step


def test_weights_beyond_1e150_count_as_that_in_losses():
    """Their scores would leave the range of floats, and the loss of every record with them."""
    data = glm_losses.Records(np.array([[1.0, 1.0, -1.0, -1.0]]), np.ones(1), "logistic", 2.0, 1.0)
    for W in (np.full((1, 4), 1e308), np.array([[inf, inf, inf, inf]])):
        assert data.mean_losses(W, cap=5.0)[0] == pytest.approx(np.log(2))
        sums, step, _ = data.loss_steps(W, cap=5.0)
        assert sums[0] * step == pytest.approx(np.log(2), rel=1e-3)


def test_what_is_near_a_centre_between_two_cells_is_in_three_of_them():
    counts = np.arange(6.0)[None] ** 2  # cells -1, 0, ..., 4
    assert column_ranges.count_around(counts, np.array([1.5])).tolist() == [1 + 4 + 9]
    assert column_ranges.count_around(counts, np.array([2.0])).tolist() == [4 + 9]


def test_runs_are_counted_exactly_where_scores_are(monkeypatch):
    law = private_tuning.margin_law(**TABLE[private_tuning.margin_law] | {"noise": "exact"}).tuning
    monkeypatch.setattr(type(law.runs), "sample", lambda *_: pytest.fail("a chance in float64"))
    assert len(law.sample(rng(), 2)["index"]) == 2


def test_batches_have_exact_chances_only_where_they_are_asked_for(monkeypatch):
    drawn = lambda exactly: [*sampled_gd.draw_batches(np.random.default_rng(0), 9, 0.5, 3, exactly=exactly)]  # noqa: E731
    exact = drawn(True)
    monkeypatch.setattr(sampled_gd, "draw_waiting_times", lambda *_: pytest.fail("another stream"))
    assert len(drawn(False)) == len(exact) == 3
    with pytest.raises(pytest.fail.Exception):
        drawn(True)


def test_a_step_of_phased_descent_is_longer_than_its_product_in_floats(monkeypatch):
    seen = []
    monkeypatch.setattr(phased_sgd, "average_error", lambda longest, **_: seen.append(longest) or 0.0)
    for lipschitz in np.random.default_rng(0).random(40).tolist():
        phased_sgd.exact_sigma(9, 3, step=0.1, lipschitz=lipschitz, multiplier=1.0, norm_bound=1.0)
        assert F(seen[-1]) >= F(lipschitz) * F(0.1) * (1 + F(1, 2**50))


def test_a_slope_counts_as_1_at_most(monkeypatch):
    """Also where its bound is too small by a last bit, or, here, by a factor."""
    law = glm_gd.law(**TABLE[glm_gd.law] | {"noise": "exact"})
    X, shape = law.data.X, (1, law.data.X.shape[1])
    monkeypatch.setattr(glm_losses.Records, "slope_bound", lambda *_: 1e-6)
    monkeypatch.setattr(glm_gd.GridNoise, "add", lambda self, sums: sums)
    total = law._noisy_gradients(rng(), shape)(np.zeros(shape)) * len(X) / 1e-6
    assert 0 < np.linalg.norm(total) <= np.linalg.norm(X, axis=1).sum() * (1 + 1e-9)


def test_rounds_are_rounded_up():
    """(500 x 0.27)^2 / (36 x 50) = 10.1."""
    assert private_perceptron.default_rounds(500, 50, mu=0.27) == 11


def test_what_the_sharp_account_leaves_is_rounded_down(monkeypatch):
    seen = []
    monkeypatch.setattr(tuning_budget, "certified_delta", lambda epsilon, mu: seen.append(epsilon) or 0.0)
    for epsilon in (1.0, 1.7, 2.3, 3.1, 4.9):
        assert tuning_budget._sharp_holds.__wrapped__(0.05, epsilon, 1e-6, 0.1, 1.0)
        growth, first = seen[-2:]
        assert F(first) <= F(epsilon) * (1 - F(tuning_budget.SPARED)) - 2 * F(growth) < F(nextafter(first, inf))


def test_a_dual_solution_is_within_its_box():
    """A row on its margin, whose equation has a solution far beyond the box."""
    _, dual, gap = svm._polish(np.array([2.0]), np.array([0.9]), inf, np.array([[0.5]]), np.array([1.0]))
    assert dual.tolist() == [1.0] and 0 <= gap < inf


def test_a_release_without_answers_has_no_answer_in_its_direction():
    answers, found = recorded_answers._same_direction(np.zeros((9, 0)), np.random.default_rng(0).normal(size=(9, 2)))
    assert len(answers) == len(found) == 0


def test_random_batches_in_floats_may_have_any_number_of_rows(monkeypatch):
    monkeypatch.setattr(grid_sums, "EXACT", grid_sums.BITS + 3)
    plan = sampled_gd.Plan(3, 0.5, 0.1)
    asked = dict(margins=np.array([0.5]), sizes=plan, privacy=ApproxDP(1.0, 1e-6), radius=1.0, projections=[None])
    assert len(sampled_gd.candidates(np.eye(9), np.ones(9), noise="float", **asked)) == 1
    with pytest.raises(ValueError, match="X has 9 rows"):
        sampled_gd.candidates(np.eye(9), np.ones(9), noise="exact", **asked)


def test_an_epsilon_of_snapping_is_raised_by_one_float():
    sizes = dict(sensitivity=0.3, scale=1.7, bound=40.0)
    told = snapping.snapping_epsilon(**sizes, F=1)
    assert snapping.law([0.0], **sizes).privacy.epsilon == nextafter(told, inf)


def test_a_group_has_so_many_times_the_delta():
    for delta in np.random.default_rng(0).random(40).tolist():
        spent = group_delta(0.0, delta / 10, 7)
        assert F(spent) >= 7 * F(delta / 10) > F(nextafter(spent, 0))


def test_another_answer_is_within_the_ends_of_a_bounded_law():
    meeting = SimpleNamespace(
        law="bounded laplace", outcome=np.zeros(9), centre=np.zeros(9), scale=np.ones(9), ends=(-0.5, 0.5)
    )
    for way in ("near", "below", "above", "far"):
        other = pair_replay._other_outcome(meeting, meeting, way, np.random.default_rng(0))
        assert np.abs(other).max() <= 0.5 and (way == "near" or np.abs(other).max() == 0.5)


def test_a_value_beyond_the_ends_of_a_bounded_law_is_at_its_end(monkeypatch):
    """As diffprivlib has it: noise is added to the value that is clipped."""
    kinds = "Laplace Gaussian Geometric LaplaceBoundedDomain Exponential Binary".split()
    made = {name: type(name, (), {"randomise": lambda self, value: value, "epsilon": 1.0}) for name in kinds}
    library = SimpleNamespace(mechanisms=SimpleNamespace(**made))
    found = {kind.__name__: patched for kind, _, patched in other_libraries._diffprivlib(library)}
    one, seen = made["LaplaceBoundedDomain"](), []
    vars(one).update(_scale=1.0, lower=0.0, upper=1.0, _check_all=lambda value: None)
    tape = SimpleNamespace(busy=False, called=lambda law, scale, centre, *more, **ends: seen.append(centre) or 0.5)
    monkeypatch.setattr(other_libraries, "running", [tape])
    assert [found["LaplaceBoundedDomain"](one, value) for value in (-3.0, 0.25, 9.0)] == [0.5] * 3
    assert seen == [0.0, 0.25, 1.0]


def test_whole_scores_stay_what_they_are(monkeypatch):
    """Exact noise is added to the errors that were counted, and to nothing else."""
    given = TABLE[private_tuning.margin_law] | {"noise": "exact"}
    law = private_tuning.margin_law(**given).tuning
    monkeypatch.setattr(private_tuning, "noisy_counts", lambda rng, counts, sigma: counts)
    drawn, scores, released = law.run_alone(rng(), 8)
    for j, score, weights in zip(drawn, scores, released, strict=True):
        assert score == law.score(j, weights[None, : law.base[j].dimension])[0]


@pytest.mark.parametrize("chance", [-0.5, 0.25, 1.5])
def test_a_coin_has_a_chance_between_0_and_1(chance):
    """Whatever it is compared with: the evidence is computed from that chance."""
    seen = []

    class Tape:
        def met(self, kind, scale, heads, result, *more):
            seen.append(float(heads))
            return np.asarray(result, dtype=float)

    number = recorder.uniform(0.75, Tape(), np.arange(1))
    assert (bool(number < chance), bool(number > chance)) == (chance > 0.75, chance < 0.75)
    assert seen == [min(max(chance, 0), 1), 1 - min(max(chance, 0), 1)]
