"""What a fit is charged, and what it says of leaks beside its release: `lemmata.mechanisms.privacy.disclosure`."""

import warnings

import numpy as np
import pytest
from sklearn import model_selection
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, _validation
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, StandardScaler

from lemmata import Accountant, MarginClassifier, NoisyGD, OverBudget, PrivateScaler, PrivateSearchCV, PrivateSVM
from lemmata.mechanisms.estimators import margin_classifier
from lemmata.mechanisms.learners.descent import noisy_gd
from lemmata.mechanisms.privacy import ApproxDP, disclosure


def rng(seed=0):
    return np.random.default_rng(seed)


X, Y = rng(0).normal(size=(40, 2)), np.resize([0, 1], 40)
IRIS = load_iris(return_X_y=True)


@pytest.mark.parametrize("learner", [MarginClassifier(), PrivateSVM(), margin_classifier.AdaptiveMargin()])
def test_a_fit_spends_before_it_draws(learner):
    account = Accountant(ApproxDP(1.5, 1e-4))
    model = learner.set_params(classes=(0, 1)).fit(X, Y, accountant=account)
    assert account.history == ((type(learner).__name__, model.privacy_),)
    generator = rng(3)
    before = generator.bit_generator.state
    with pytest.raises(OverBudget):
        learner.__class__(classes=(0, 1), random_state=generator).fit(X, Y, accountant=account)
    assert len(account.history) == 1 and generator.bit_generator.state == before
    with pytest.raises(ValueError, match="accountant must be an Accountant, got float"):
        learner.fit(X, Y, accountant=1.0)


@pytest.mark.parametrize(
    "wrong",
    [
        margin_classifier.PhasedSGD(radius=-1),
        NoisyGD(width=0),
        PrivateSVM(C=-1),
        MarginClassifier(noise="none"),
        MarginClassifier(ranges=None, noise="none"),
        margin_classifier.DPERM(delta=0.5),
        margin_classifier.PureMargin(k=9),
        margin_classifier.AdaptiveMargin(radius=-1),
        margin_classifier.AdaptiveMargin(steps="many"),
        margin_classifier.AdaptiveMargin(noise="none"),
        margin_classifier.TunedMargin(beta=2.0),
        margin_classifier.TunedMargin(epsilon=-1.0),
        PrivateSearchCV(NoisyGD(), {"width": [-1.0]}),
        PrivateScaler(noise="none"),
    ],
)
def test_a_mistake_in_a_parameter_costs_nothing(wrong):
    account = Accountant(ApproxDP(1.5, 0.9))
    if not isinstance(wrong, PrivateScaler):
        wrong.set_params(classes=(0, 1))
    with pytest.raises(ValueError, match=r"must be|outside|requires more|needs more"):
        wrong.fit(X, Y, accountant=account)
    assert account.history == ()


def test_what_fails_after_the_charge_was_paid_for(monkeypatch):
    """The noise is out of reach, or the process is interrupted: nobody knows whether it was drawn."""
    account = Accountant(ApproxDP(1.5, 1e-4))

    def interrupted(*_):
        assert account.history == (("NoisyGD", ApproxDP(1.0, 1e-5)),)
        raise KeyboardInterrupt

    monkeypatch.setattr(noisy_gd.NoisyGDLaw, "sample", interrupted)
    model = NoisyGD(classes=(0, 1))
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y, accountant=account)
    assert len(account.history) == 1 and not hasattr(model, "coef_") and not hasattr(model, "privacy_")
    monkeypatch.undo()
    with pytest.raises(OverBudget):
        model.fit(X, Y, accountant=account)


def test_several_releases_of_one_fit_are_charged_once():
    account = Accountant(ApproxDP(9.0, 1e-4))
    MarginClassifier(epsilon=9.0, classes=(0, 1, 2)).fit(*IRIS, accountant=account)
    assert [label for label, _ in account.history] == ["MarginClassifier"]


def test_a_pipeline_is_charged_for_scaler_and_learner():
    account = Accountant(ApproxDP(1.0, 1e-5))
    scaler = PrivateScaler(epsilon=0.25, delta=2e-6, unit_ball=True)
    model = make_pipeline(scaler, NoisyGD(epsilon=0.75, delta=5e-6, classes=(0, 1)))
    model.fit(*IRIS, privatescaler__accountant=account, noisygd__accountant=account)
    assert [label for label, _ in account.history] == ["PrivateScaler", "NoisyGD"]


@pytest.mark.parametrize(
    "learner, y, name, message",
    [
        (NoisyGD(), [0, 1], "sample_weight", "sample_weight is refused"),
        (NoisyGD(), [0, 1], "weights", "unexpected keyword argument 'weights'"),
        (PrivateScaler(), None, "sample_weight", "sample_weight is refused"),
    ],
)
def test_weights_are_refused_with_a_reason(learner, y, name, message):
    with pytest.raises(TypeError if name == "weights" else ValueError, match=message):
        learner.fit([[0.0], [1.0]], y, **{name: [1, 2]})


def told(run):
    disclosure.WARNED.clear()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        run()
        run()
    return [str(one.message).split()[0] for one in heard if one.category is disclosure.PrivacyLeakWarning]


@pytest.mark.parametrize("leaky", [NoisyGD(classes=(0, 1), random_state=3), PrivateScaler(random_state=3)])
def test_a_warning_names_the_line_of_the_fit(leaky):
    disclosure.WARNED.clear()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        leaky.fit(X, Y)
    assert [one.filename for one in heard] == [__file__]


def pipeline(*steps):
    return make_pipeline(*steps, NoisyGD(classes=(0, 1)))


def of_one_fold(half=np.arange(20)):  # noqa: B008
    """What a worker sees of a validation: not its name."""
    _validation._fit_and_predict(NoisyGD(classes=(0, 1)), X, Y, half, half, method="predict", fit_params=None)


def searched(one):
    return GridSearchCV(one, {"width": [0.1, 1.0]}, cv=2)


@pytest.mark.parametrize(
    ("run", "named"),
    [
        # leaks beside the release
        (lambda: NoisyGD(classes=(0, 1)).fit(X, Y), []),
        (lambda: NoisyGD(classes=(0, 1), random_state=rng(0)).fit(X, Y), []),
        (lambda: NoisyGD().fit(X, Y), ["classes"]),
        (lambda: NoisyGD(classes=(0, 1), random_state=3).fit(X, Y), ["random_state"]),
        (lambda: NoisyGD(classes=(0, 1), delta=0.025).fit(X, Y), ["delta"]),
        (lambda: PrivateScaler(random_state=3).fit(X), ["random_state"]),
        # steps that look at the data
        (lambda: pipeline(StandardScaler()).fit(X, Y), ["Pipeline"]),
        (lambda: pipeline(make_pipeline(StandardScaler())).fit(X, Y), ["Pipeline"]),
        (lambda: pipeline(PrivateScaler()).fit(X, Y), []),
        (lambda: pipeline(FunctionTransformer(np.tanh), Normalizer(), "passthrough").fit(X, Y), []),
        (lambda: make_pipeline(StandardScaler(), PrivateScaler()).fit(X), ["Pipeline"]),
        # who fits several times, each of which spends the budget
        (lambda: searched(NoisyGD(classes=(0, 1))).fit(X, Y), ["GridSearchCV"]),
        (lambda: OneVsRestClassifier(NoisyGD(classes=(0, 1))).fit(X, Y), ["OneVsRestClassifier"]),
        (lambda: CalibratedClassifierCV(NoisyGD(classes=(0, 1)), cv=2).fit(X, Y), ["CalibratedClassifierCV"]),
        (lambda: GridSearchCV(pipeline(Normalizer()), {}, cv=2).fit(X, Y), ["GridSearchCV"]),
        (of_one_fold, ["scikit-learn's"]),
        (
            lambda: model_selection.cross_val_score(searched(NoisyGD(classes=(0, 1))), X, Y, cv=2),
            ["GridSearchCV", "cross_val_score"],
        ),
        (lambda: model_selection.train_test_split(X) and NoisyGD(classes=(0, 1)).fit(X, Y), []),
    ],
)
def test_leaks_and_further_fits_are_said_once(run, named):
    assert told(run) == named


VALIDATIONS = {
    "cross_val_score": lambda one: model_selection.cross_val_score(one, X, Y, cv=2),
    "cross_val_predict": lambda one: model_selection.cross_val_predict(one, X, Y, cv=2),
    "cross_validate": lambda one: model_selection.cross_validate(one, X, Y, cv=2),
    "learning_curve": lambda one: model_selection.learning_curve(one, X, Y, cv=2),
    "validation_curve": lambda one: model_selection.validation_curve(
        one, X, Y, param_name=f"{'noisygd__' * hasattr(one, 'named_steps')}epsilon", param_range=[1.0, 2.0], cv=2
    ),
    "permutation_test_score": lambda one: model_selection.permutation_test_score(one, X, Y, cv=2, n_permutations=2),
}


@pytest.mark.parametrize("name", VALIDATIONS)
@pytest.mark.parametrize("steps", [(), (Normalizer(),)], ids=["alone", "in a Pipeline"])
def test_functions_that_fit_several_times_are_named_too(name, steps):
    """They were not seen, as no method of theirs fits."""
    assert told(lambda: VALIDATIONS[name](pipeline(*steps) if steps else NoisyGD(classes=(0, 1)))) == [name]
