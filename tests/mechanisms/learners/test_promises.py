"""A promise is read: whoever wraps a law compares what it says that it spends with what it allots, and refuses more."""

import re
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from lemmata import ZCDP, ApproxDP, GaussianDP, PrivateSearchCV, PureDP, RenyiDP, to_gaussian
from lemmata.mechanisms.estimators import margin_classifier
from lemmata.mechanisms.law import check_within_budget, fit
from lemmata.mechanisms.learners.covers import label_learner
from lemmata.mechanisms.learners.descent import private_tuning
from lemmata.mechanisms.learners.erm import phased_sgd
from lemmata.mechanisms.learners.glm import confidence_boosting, glm_output, grid_search
from lemmata.mechanisms.noise import gaussian
from lemmata.mechanisms.selection import margin_selection
from tests.mechanisms.test_fuzz import built
from tests.mechanisms.valid_calls import TABLE

X = np.random.default_rng(0).normal(size=(60, 2))
Y = np.sign(X[:, 0])
BUDGET = ApproxDP(1.0, 1e-5)
GREEDY = GaussianDP(50.0)  # what a base spends that does not ask


def learner(spends):
    """A law of weights for any wrapper: `spends` says what its privacy is, given what it is handed."""

    def made(X, y, *, privacy, **sizes):
        return glm_output.law(X, y, privacy=spends(privacy), loss="logistic", norm_bound=sizes.get("norm_bound", 1.0))

    return made


def grid(spends, accounting="disjoint"):
    return grid_search.law(
        X, Y, privacy=BUDGET, loss="logistic", guesses=2, base=learner(spends), accounting=accounting
    )


def boosting(spends, calibration="tight"):
    sizes = dict(candidates=2, loss="logistic", loss_bound=2.0, calibration=calibration)
    return confidence_boosting.law(X, Y, learner=learner(spends), privacy=BUDGET, **sizes)


def selection(spends):
    def at(X, y, *, rho, privacy, beta):
        return phased_sgd.law(X, y, rho=rho, radius=1.0, norm_bound=1.0, privacy=spends(privacy))

    functions = dict(bound=lambda rho, t: t / rho, best_loss=lambda X, y, rho: 0.1, sensitivity=lambda rho: 0.1 / rho)
    return margin_selection.margin_law(X, Y, privacy=BUDGET, learner=at, **functions, h_max=1.0, beta=0.1)


def tuning(spends):
    def base(mu):
        return [gaussian.law([0.0], privacy=spends(GaussianDP(mu)), sensitivity=1.0)] * 2

    return private_tuning.law(base, epsilon=1.0, delta=1e-5, score=lambda j, m: m[:, 0], sensitivity=1.0, r=0.25)


def spending(kind, spends):
    """The estimator, but its law spends what it likes."""

    class Other(kind):
        def _make_law(self, X, signs, privacy, public, *more):
            return super()._make_law(X, signs, spends(privacy), public, *more)

    return Other


def fitting(spends):
    return spending(margin_classifier.NoisyGD, spends)(steps=3, classes=(-1, 1), random_state=0).fit(X, Y)


def searching(spends):
    candidate = spending(margin_classifier.NoisyGD, spends)(steps=3)
    return PrivateSearchCV(candidate, {"width": [0.1, 0.3]}, classes=(-1, 1), random_state=0, beta=0.4).fit(X, Y)


def searching_pure(spends):
    candidate = spending(margin_classifier.PrivateSVM, spends)()
    return PrivateSearchCV(candidate, {"C": [0.1, 0.3]}, classes=(-1, 1), random_state=0, beta=0.4).fit(X, Y)


AS_PRINTED = [partial(grid, accounting="printed"), partial(boosting, calibration="printed")]
LAWS = [grid, boosting, partial(boosting, calibration="squared"), *AS_PRINTED, selection, tuning]
WRAPPERS = [*LAWS, fitting, searching, searching_pure]
OVERSPENT = {
    "fifty times": lambda handed: PureDP(50.0) if isinstance(handed, PureDP) else GREEDY,
    "a millionth": lambda handed: more(handed, 1 + 1e-6),
}


def more(handed, factor):
    """What is handed, `factor` times."""
    first = "mu" if isinstance(handed, GaussianDP) else "epsilon"
    return type(handed)(**vars(handed) | {first: getattr(handed, first) * factor})


@pytest.mark.parametrize("spends", OVERSPENT)
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_a_base_that_spends_more_is_refused(wrapper, spends):
    with pytest.raises(ValueError, match=r"\.privacy must be within its budget") as raised:
        wrapper(OVERSPENT[spends])
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_a_base_that_spends_what_it_is_handed_or_less_is_not(wrapper):
    wrapper(lambda handed: handed)
    wrapper(lambda handed: more(handed, 0.5))


NOTHING = {}  # what a base says that makes no promise
STRANGE = [NOTHING, *({"privacy": said} for said in ([1], {}, 0.1, np.nan, "PureDP(0.1)", np.ones(3), PureDP))]


@pytest.mark.parametrize("said", STRANGE, ids=str)
@pytest.mark.parametrize("wrap", LAWS)
def test_what_is_no_promise_is_refused_in_one_line(wrap, said, monkeypatch):
    """Whatever it is: nothing, a list, a number, a text, an array, a class."""
    strange = SimpleNamespace(sigma=1.0, sample=lambda rng, size=1: np.zeros((size, 1)), **said)
    for module in (glm_output, phased_sgd, gaussian):
        monkeypatch.setattr(module, "law", lambda *_, **__: strange)
    with pytest.raises(ValueError, match=r"\[0\]\.privacy must be within its budget") as raised:
        wrap(lambda handed: handed)
    assert "\n" not in str(raised.value) and ("got None" in str(raised.value)) == (said is NOTHING)


@pytest.mark.parametrize("wrapper", [grid, boosting, selection, tuning, fitting, searching])
def test_a_base_for_other_neighbours_is_refused(wrapper):
    with pytest.raises(ValueError, match=r"must be within its budget .*, got .*neighbours='label'"):
        wrapper(lambda handed: type(handed)(**vars(handed) | {"neighbours": "label"}))


EXAMPLES = [
    (PureDP(0.5), PureDP(0.5), True),
    (PureDP(0.5), PureDP(np.nextafter(0.5, 0)), False),
    (ApproxDP(0.5, 0.0), PureDP(0.5), True),
    (ApproxDP(0.5, 1e-300), PureDP(0.5), False),
    (GaussianDP(1e-9), PureDP(0.5), False),
    (PureDP(0.5), ApproxDP(0.5, 1e-5), True),
    (ApproxDP(0.5, 1e-5), ApproxDP(0.5, 1e-5), True),
    (ApproxDP(0.5, 2e-5), ApproxDP(0.5, 1e-5), False),
    (ApproxDP(0.6, 1e-5), ApproxDP(0.5, 1e-5), False),
    (PureDP(0.5), to_gaussian(PureDP(0.5)), True),
    (PureDP(0.51), to_gaussian(PureDP(0.5)), False),
    (ApproxDP(0.0, 1e-9), GaussianDP(10.0), False),
    (GaussianDP(0.2), GaussianDP(0.2), True),
    (GaussianDP(np.nextafter(0.2, 1)), GaussianDP(0.2), False),
    (PureDP(0.5, "label"), PureDP(0.5), False),
    (PureDP(0.5), PureDP(0.5, "label"), True),
    (PureDP(0.25, "add/remove"), PureDP(0.5), True),
    (PureDP(0.3, "add/remove"), PureDP(0.5), False),
    (PureDP(0.1), PureDP(0.5, "add/remove"), False),
    ("GaussianDP(mu=1)", GaussianDP(2.0), False),
    (PureDP(0.1), ZCDP(0.005), True),
    (PureDP(0.11), ZCDP(0.005), False),
    (ZCDP(0.1), RenyiDP((2, 4), (0.2, 0.4)), True),
    (ZCDP(0.02), ApproxDP(1.0, 1e-6), True),
    (ZCDP(0.03), ApproxDP(1.0, 1e-6), False),
    (ZCDP(0.1), PureDP(1.0), False),
]


@pytest.mark.parametrize(("promised", "allotted", "within"), EXAMPLES, ids=str)
def test_what_a_promise_implies(promised, allotted, within):
    if within:
        assert check_within_budget(promised, allotted, "base") is promised
    else:
        with pytest.raises(ValueError, match=r"base\.privacy must be within its budget"):
            check_within_budget(promised, allotted, "base")


LEARNT = [
    law
    for law, given in TABLE.items()
    if law.__name__ == "law" and "privacy" in given and not re.search("noise|exponential", law.__module__)
]


@pytest.mark.parametrize("law", LEARNT, ids=lambda law: law.__module__)
@pytest.mark.parametrize("neighbours", ["add/remove", "replace up to 5"])
def test_a_learner_promises_one_replaced_record_and_no_more(law, neighbours):
    """Its noise is for one record, and its number of records is public."""
    given = built(TABLE[law])
    with pytest.raises(ValueError, match=r"^privacy "):
        law(**{**given, "privacy": replace(given["privacy"], neighbours=neighbours)})


# A released number is of the hypothesis that was chosen ---------------------------------------------------------------

LINE = np.linspace(-1, 1, 60)[:, None]
SIDES = np.where(LINE[:, 0] > 0, 1.0, -1.0)
POOL = dict(privacy=PureDP(20.0, "label"), rho=0.4, net=0.05)


def slopes(X):
    return np.arange(-3, 3.01, 0.05 / np.abs(X).max())[:, None]


def chosen(hypotheses):
    return fit(label_learner.law(LINE, SIDES, **POOL, hypotheses=hypotheses), np.random.default_rng(0))


@pytest.mark.parametrize("rows", [LINE, 4 * LINE, LINE[20:40], LINE[:1], 0.1 * LINE])
def test_a_pool_made_at_fit_is_kept(rows):
    def pool(X):
        made = slopes(X)
        return lambda Z: Z[:, 0] * made

    assert np.array_equal(chosen(pool).predict(rows), np.where(rows[:, 0] > 0, 1.0, -1.0))


def test_a_pool_made_anew_is_right_or_refused():
    model = chosen(lambda X: X[:, 0] * slopes(X))
    assert np.array_equal(model.predict(LINE), SIDES)
    assert np.array_equal(model.predict(LINE[20:40]), SIDES[20:40])  # with the rows of the fit beside them
    with pytest.raises(ValueError, match=r"^hypotheses must be those of fit on these rows"):
        model.predict(4 * LINE)


def test_a_class_that_knows_no_data_is_what_it_was():
    assert np.array_equal(chosen(lambda X: X[:, 0] * np.linspace(-3, 3, 121)[:, None]).predict(4 * LINE), SIDES)
