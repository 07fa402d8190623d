"""A mechanism is total: on neighbours it ends in the same kind of outcome, whatever a record holds.

Every function of mechanisms/ that is given private records stands in `valid_calls.TABLE` with X (`CASES`), and every
estimator in `LEARNERS` or `SCALERS`. One of its records is replaced by one that could overflow, vanish, tie or be no
number, in every container; errors with their messages, warnings, the types and shapes of all that is handed back, two
releases included, and all that a law shows of itself (scales, steps, budgets: the fields in its repr) must be those of
the valid call. `test_a_planted_refusal_is_caught` and `test_a_planted_size_is_caught` show that it can fail.
"""

import inspect
import tempfile
import warnings
from dataclasses import fields, is_dataclass

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from lemmata.mechanisms.estimators import margin_classifier, regression, scaling, search, statistics
from lemmata.mechanisms.features import kernel_features, random_features, sign_projection
from lemmata.mechanisms.learners.erm import efficient_learner, output_perturbation, private_svm
from lemmata.mechanisms.learners.glm import glm_output
from lemmata.mechanisms.noise import gaussian
from lemmata.mechanisms.numerics import arguments
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP, disclosure
from lemmata.mechanisms.solvers import perturbed_risk
from tests.mechanisms.estimators.learners import CLASSIFIERS as LEARNERS, known_classes
from tests.mechanisms.nasty import objects
from tests.mechanisms.test_fuzz import built, name_of, released, rng
from tests.mechanisms.valid_calls import NAMED, TABLE, X, Y

# What is given records and promises no privacy: solvers for whoever holds the data, projections and feature maps.
OPEN = {"solvers", "solve", "check_rows", "check_points", "walsh_hadamard", "angles_of", "gram", "truncated"}
CASES = [
    function
    for function, call in TABLE.items()
    if call and "X" in call and not OPEN & {*function.__module__.split("."), function.__name__}
]
SCALERS = [scaling.PrivateScaler, regression.PrivateRidge]
VALUES = {
    "zero": 0.0,
    "minus zero": -0.0,
    "subnormal": 1e-320,
    "tiny": 1e-160,
    "far": 1e120,
    "farther": 1e160,
    "largest": 1.7e308,
    "minus largest": -1.7e308,
    "infinite": np.inf,
    "minus infinite": -np.inf,
    "NaN": np.nan,
}
LABELS = {"the other": -1.0, "none": 0.0, "NaN": np.nan, "infinite": np.inf, "largest": 1.7e308, "subnormal": 1e-320}


def first(record):
    """The records with another one in the first place."""
    return np.vstack([np.broadcast_to(record, (1, X.shape[1])), X[1:]]).astype(float)


NEIGHBOURS = {f"all entries {name}": (first(value), Y) for name, value in VALUES.items()}
NEIGHBOURS |= {f"one entry {name}": (first([0.6, value]), Y) for name, value in VALUES.items()}
NEIGHBOURS |= {f"label {name}": (X, np.concatenate([[value], Y[1:]])) for name, value in LABELS.items()}
NEIGHBOURS |= {"a duplicate": (first(X[1]), Y), "its opposite": (first(-X[1]), Y), "a tie": (first(X[1]), -Y)}
# These differ in more than one record: a chain of neighbours.
DATASETS = {name: (np.full_like(X, value), Y) for name, value in VALUES.items()}
DATASETS |= {"one label": (X, np.ones(4)), "the other label": (X, -np.ones(4)), "no label": (X, np.full(4, np.nan))}
DATASETS |= {
    "equal records": (np.tile(X[:1], (4, 1)), Y),
    "equal records, one label": (np.tile(X[:1], (4, 1)), -(Y**2)),
}


def shapes(result, depth=0, shown=False):
    """Types and shapes of all that is handed back; of numbers also whether they are finite, their value if `shown`."""
    if shown and isinstance(result, bool | int | float | str):
        return result
    if isinstance(result, np.ndarray | np.number | float):
        array = np.asarray(result)
        return array.dtype.str, array.shape, bool(np.isfinite(array).all())
    if depth == 6:
        return type(result).__name__
    if isinstance(result, dict):
        return {name: shapes(part, depth + 1) for name, part in result.items()}
    if isinstance(result, list | tuple):
        return [shapes(part, depth + 1) for part in result]
    if is_dataclass(result):
        public = shown or hasattr(result, "sample")  # a law; what a model shows was released
        named = {
            entry.name: shapes(getattr(result, entry.name), depth + 1, public and entry.repr)
            for entry in fields(result)
        }
        return type(result).__name__, named
    return type(result).__name__


def outcome(run):
    """What a call ends in, as far as it may not depend on a record: an error and its message, warnings, or shapes.

    What a process is warned of once is heard in every call; not counted is that it has a seed.
    """
    disclosure.WARNED.clear()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            ended = shapes(run())
        except Exception as error:
            ended = type(error).__name__, str(error)
    told = [(each.category.__name__, str(each.message)) for each in heard]
    return ended, [one for one in told if not one[1].startswith("random_state is a seed")]


def call(function, records, labels):
    """The valid call with other data, and two releases of a law."""
    valid = NAMED.get(function, {}) | built(TABLE[function])
    given = {name: value for name, value in (("X", records), ("y", labels)) if name in valid}
    return released(function, function(**valid | given))


class Forgetful(set):
    """What was said before; every fit says it again here."""

    def add(self, _):
        """Nothing is kept."""


def complaints(ended):
    """The warnings of an outcome, but for those that are about seeds and classes and say so every time."""
    return [one for one in ended[1] if one[0] != "PrivacyLeakWarning"]


@pytest.fixture(autouse=True)
def _same_start_of_every_run(same_entropy, monkeypatch):
    monkeypatch.setattr("lemmata.mechanisms.privacy.disclosure.WARNED", Forgetful())


def test_every_law_and_release_is_tried():
    tried = {function.__module__.split(".")[-1] for function in CASES}
    assert len(CASES) > 45 and {"noisy_gd", "dp_erm", "efficient_learner", "glm_output", "column_ranges"} <= tried


@pytest.mark.parametrize("function", CASES, ids=name_of)
def test_neighbours_end_alike(function):
    usual = outcome(lambda: call(function, X, Y))
    assert usual[1] == [] and not isinstance(usual[0][1], str), usual  # no warning, and no error
    for name, data in (NEIGHBOURS | DATASETS).items():
        if data[0] is X or not public_records(function):
            assert outcome(lambda data=data: call(function, *data)) == usual, name


CONTAINERS = {
    "list": lambda records, y: (records.tolist(), y.tolist()),
    "tuple": lambda records, y: (tuple(map(tuple, records.tolist())), tuple(y.tolist())),
    "frame": lambda records, y: (pd.DataFrame(records, columns=["a", "b"]), pd.Series(y)),
    "nullable frame": lambda records, y: (pd.DataFrame(records).astype("Float64"), y),
    "Fortran": lambda records, y: (np.asfortranarray(records), y),
    "long double": lambda records, y: (records.astype(np.longdouble), y.astype(np.longdouble)),
    "single": lambda records, y: (np.nan_to_num(records, posinf=np.inf, neginf=-np.inf).astype(np.float32), y),
    "objects": lambda records, y: (records.astype(object), y),
    "texts": lambda records, y: (records.astype(str), y),
    "complex": lambda records, y: (records.astype(complex), y),
    "masked": lambda records, y: (np.ma.masked_invalid(records), y),
    "sparse": lambda records, y: (sparse.csr_array(records), y),
    "columns sparse": lambda records, y: (sparse.csc_matrix(records), y),
    "frame of extension types": lambda records, y: (pd.DataFrame(records).astype("Float32"), pd.array(y, "Float64")),
    "matrix": lambda records, y: (np.asmatrix(records), y),
    "read-only": lambda records, y: (frozen(records), frozen(y)),
    "memmap": lambda records, y: (in_a_file(records), in_a_file(y)),
    "column of labels": lambda records, y: (records, y[:, None]),
}


def frozen(array):
    """A copy that cannot be written to."""
    held = array.copy()
    held.flags.writeable = False
    return held


def in_a_file(array):
    """A memory map of a file that lasts as long as it."""
    with tempfile.TemporaryFile() as file:
        held = np.memmap(file, dtype=float, mode="w+", shape=array.shape)
    held[:] = array
    return held


SLOW = {search.PrivateSearchCV, margin_classifier.TunedMargin}  # hundreds of fits each
FEW = ["all entries largest", "one entry NaN", "all entries subnormal", "label NaN", "label subnormal", "a tie"]
DENSE = ("list", "nullable frame", "objects")  # read in ways of their own
LEAKY = [*CASES, *(kind for kind in [*LEARNERS, *SCALERS] if kind not in SLOW)]
ONCE = [one for one in LEAKY if not one.__name__.endswith("release")]  # a release hands its records to its law


def ended(function, records, labels):
    """What a law, a fit or an estimator ends in."""
    learns = inspect.isclass(function)
    return outcome(lambda: fitted(function, records, labels) if learns else call(function, records, labels))


@pytest.mark.filterwarnings("ignore:overflow encountered in cast", "ignore::PendingDeprecationWarning")  # by the test
@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("function", ONCE, ids=name_of)
def test_a_container_is_refused_or_read_whatever_it_holds(function, container):
    def run(records, labels):
        with np.errstate(over="ignore"):
            given = CONTAINERS[container](records, labels)
        return ended(function, *given)

    usual = run(X, Y)
    assert {kind for kind, _ in complaints(usual)} <= {"PendingDeprecationWarning"}  # numpy's, of a matrix
    for name in FEW if container in DENSE else FEW[:2]:
        if NEIGHBOURS[name][0] is X or not public_records(function):
            assert run(*NEIGHBOURS[name]) == usual, name


def public_records(function):
    """Features of the label learner are public: only labels are private."""
    return function.__module__.endswith("label_learner")


ENTRIES = [2**70, 10**400, "secret", "3", None, 1j, b"4", {}, {"a": 1}, True, pd.NA, pd.Timestamp(0), np.timedelta64(1)]
HOLDERS = {
    "list": lambda rows: rows,
    "tuple of tuples": lambda rows: tuple(map(tuple, rows)),
    "objects": lambda rows: objects(rows),
    "frame of objects": lambda rows: pd.DataFrame(objects(rows)),
}


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("function", LEAKY, ids=name_of)
def test_no_entry_of_any_type_is_told_apart(function, holder):
    """Lists are read entry by entry, whatever they hold; arrays of objects are read or refused, whatever they hold."""
    if public_records(function):
        return
    held, records = HOLDERS[holder], X.tolist()
    usual = ended(function, held(records), Y.tolist())
    for entry in [*ENTRIES, Raising()][:: 1 if holder == "list" else 3]:
        assert ended(function, held([[entry, 0.1], *records[1:]]), Y.tolist()) == usual, entry


class Raising:
    """An entry that raises whenever it is looked at."""

    def __float__(self):
        raise KeyError("secret")

    __eq__ = __array__ = __bool__ = __float__
    __hash__ = None


@pytest.mark.parametrize("function", [glm_output.law, margin_classifier.NoisyGD])
@pytest.mark.parametrize("entry", [*ENTRIES, Raising()], ids=lambda entry: type(entry).__name__)
def test_what_is_no_label_is_read_as_none_and_not_refused(entry, function):
    """In a list, which declares no type; by the estimators beside arrays of objects and frames that hold it too."""
    records, wrong = X.tolist(), [entry, *Y.tolist()[1:]]
    usual = ended(function, records, Y.tolist())
    assert ended(function, records, wrong) == usual
    if function is margin_classifier.NoisyGD:
        held = objects([[entry, 0.1], *records[1:]])
        assert ended(function, held, Y.tolist()) == usual
        frame = pd.DataFrame(held, dtype=object)  # else pandas 2.2 itself looks at what stands in it, and fails
        assert ended(function, frame, np.fromiter(wrong, object, 4)) == usual


def test_the_label_of_one_record_changes_no_other():
    """A text among numbers made texts of all of them, none of which was a class any more. Its record is left out."""
    model = margin_classifier.NoisyGD(classes=(-1, 1), random_state=0)
    without = [*np.asarray(X)[:-1], np.zeros(np.shape(X)[1])]
    spoilt = model.fit(X, [1, 1, 1, "text"]).coef_
    assert np.array_equal(spoilt, model.fit(without, [1, 1, 1, -1]).coef_)


# Estimators -----------------------------------------------------------------------------------------------------------


def fitted(kind, records, labels, **settings):
    """What one fit learns, with the labels known."""
    known = known_classes(kind, (-1.0, 1.0))
    model = kind(**{"random_state": 7} | known | settings).fit(records, labels)
    return {name: value for name, value in vars(model).items() if name.endswith("_")}


@pytest.mark.parametrize("kind", [*LEARNERS, *SCALERS], ids=name_of)
def test_estimators_end_alike(kind):
    usual = outcome(lambda: fitted(kind, X, Y))
    assert complaints(usual) == [] and isinstance(usual[0], dict), usual
    for name, data in list((NEIGHBOURS | DATASETS).items())[:: 3 if kind in SLOW else 1]:
        found = outcome(lambda data=data: fitted(kind, *data))
        if kind is search.PrivateSearchCV:  # the setting chosen is released: its number and its values, of any length
            found[0].pop("best_params_", None), usual[0].pop("best_params_", None)
        assert found == usual, name


def read(kind, records, labels, ways=("predict", "decision_function", "predict_proba"), **settings):
    """What one fit learns, and what it answers for public rows."""
    model = kind(**{"random_state": 7} | settings).fit(records, labels)
    learnt = {name: value for name, value in vars(model).items() if name.endswith("_")}
    return learnt | {way: getattr(model, way)([[0.5, -0.5], [9.0, np.nan]]) for way in ways if hasattr(model, way)}


THREE, UNIT = {"classes": (1.0, 0.0, -1.0)}, {"bounds": (-1.0, 1.0)}
OPTIONS = {  # of releases that the default of a class, or the valid call of a function, does not reach
    "balanced": (margin_classifier.MarginClassifier, {"class_weight": "balanced", "classes": (-1.0, 1.0)}),
    "a prior": (margin_classifier.MarginClassifier, THREE | {"class_weight": {-1.0: 1.0, 0.0: 2.0, 1.0: 9.0}}),
    "probabilities": (margin_classifier.MarginClassifier, {"probability": True, "classes": (-1.0, 1.0)}),
    "three classes": (margin_classifier.MarginClassifier, THREE | {"probability": True, "class_weight": "balanced"}),
    "rows as they are": (margin_classifier.MarginClassifier, THREE | {"probability": True, "ranges": None}),
    "logistic odds": (margin_classifier.PrivateSVM, THREE | {"loss": "logistic"}),
    "a search of three": (search.PrivateSearchCV, THREE | {"beta": 0.4}),
    "given ranges": (regression.PrivateRidge, UNIT | {"target_bounds": (-1.0, 1.0), "ranges": None}),
    "few users": (regression.PrivateRidge, {"records_per_user": 2}),
    "a pure mean": (statistics.private_mean, UNIT | {"epsilon": 1.0}),
    "a pure histogram": (statistics.private_histogram, {"edges": [-1.0, 0.0, 1.0], "epsilon": 1.0}),
    "a median": (statistics.private_quantile, UNIT | {"q": 0.5, "epsilon": 1.0}),
    "categories": (statistics.private_histogram, {"categories": [-1.0, 1.0], "epsilon": 1.0}),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options_end_alike(name):
    kind, settings = OPTIONS[name]

    def run(records, labels):
        if inspect.isclass(kind):
            return read(kind, records, labels, **settings)
        return kind(labels if "categories" in settings else records, rng=rng(), **settings)

    usual = outcome(lambda: run(X, Y))
    assert complaints(usual) == [] and (isinstance(usual[0], dict) or usual[0][-1] is True), usual  # finite numbers
    for each, data in list((NEIGHBOURS | DATASETS).items())[:: 3 if kind in SLOW else 1]:
        found = outcome(lambda data=data: run(*data))
        for one in (found, usual) if kind in SLOW else ():
            one[0].pop("best_params_", None)  # the setting chosen is released
        assert found == usual, each


@pytest.mark.parametrize("given", [X, X.tolist(), "12345", 12345.5, -12345, 2**40, 1j, {"a": X}], ids=str)
def test_a_random_state_is_not_quoted_beyond_a_number(given):
    with pytest.raises(ValueError, match=r"^random_state ") as raised:
        margin_classifier.NoisyGD(random_state=given).fit(X, Y)
    assert "\n" not in str(raised.value) and "0.6" not in str(raised.value)


@pytest.mark.parametrize("kind", [np.array, pd.DataFrame, sparse.csr_array])
def test_complex_numbers_are_refused_and_not_shown(kind):
    with pytest.raises(ValueError, match=r"^Complex data not supported: X (is|has)") as raised:
        margin_classifier.NoisyGD().fit(kind(X + 0.123j), Y)
    assert "\n" not in str(raised.value) and "0.123" not in str(raised.value)


@pytest.mark.parametrize("k", ["", None, 1j, np.ones(3), 0, 1.5])
def test_rows_of_a_projection_are_named(k):
    with pytest.raises(ValueError, match=r"^k must be (a real number|an integer >= 1|in .*), got "):
        margin_classifier.ProjectedGD(k=k).fit(X, Y)


# Solvers, projections and features: what was found --------------------------------------------------------------------

FEATURES = {
    "tensor sketch": kernel_features.tensor_sketch(2, 3, 5, rng=rng()),
    "tensor sketch of degree 9": kernel_features.tensor_sketch(2, 9, 5, rng=rng()),
    "fastfood": kernel_features.fastfood(2, 5, rng=rng()),
    "arc cosine": kernel_features.arc_cosine(2, 5, rng=rng()),
    "tangent": kernel_features.tangent(2, 5, rng=rng()),
    "monomials": kernel_features.monomials(2, 2),
    "Fourier": random_features.fourier_map("laplacian", 2, 3, rng=rng()),
}


@pytest.mark.parametrize("features", FEATURES)
def test_no_record_overflows_a_feature_map(features):
    """Before a projection, and in an SVM: with the map alone, a record of 1e120 was enough."""
    f = FEATURES[features]
    sizes = dict(rho=0.5, radius=1.0, norm_bound=1.0, beta=0.1)

    def run(record):
        data = first(record)
        svm_law = private_svm.law(data, Y, privacy=PureDP(1.0), C=1.0, feature_map=f)
        maps = kernel_features.projected(f, sign_projection.sign_projection(2, f.dimension, rng=rng()))
        if features == "Fourier":
            return svm_law.sample(rng(), 2)
        trained = efficient_learner.law(data, Y, privacy=ApproxDP(1.0, 1e-3), **sizes, projection=maps)
        return svm_law.sample(rng(), 2), trained.sample(rng(), 2)

    usual = outcome(lambda: run(1.0))
    assert usual[1] == [] and "Error" not in str(usual[0])
    for name, value in VALUES.items():
        assert outcome(lambda value=value: run(value)) == usual, name


@pytest.mark.parametrize("loss", ["logistic", "squared", "squared_hinge", "huber"])
@pytest.mark.parametrize("ridge", [1e-30, 1e-11, 1e-9, 1e-3, 1.0, 1e9])
def test_no_ridge_makes_a_minimiser_fail(loss, ridge):
    """Records that agree and records that do not, singular Hessians among them."""
    data = np.ones((300, 2))
    usual, broken = np.ones(300), np.concatenate([np.ones(299), [-1.0]])
    sizes = dict(privacy=GaussianDP(1.0), loss=loss, label_bound=1.0, norm_bound=2.0, ridge=ridge)
    laws = [glm_output.law(data, y, **sizes) for y in (usual, broken, -usual)]
    laws.append(glm_output.law(np.zeros((300, 2)), usual, **sizes))
    assert len({one.sigma for one in laws}) == 1 and all(np.linalg.norm(one.value) <= 2 for one in laws)


@pytest.mark.slow
def test_a_million_records_are_charged_for_their_roundings(monkeypatch):
    """m unit records and zeros besides: at 1,404,480 of them the solver missed, and said so. A few steps are enough."""
    monkeypatch.setattr(perturbed_risk, "STEPS", 6)
    rates = set()
    for m in (1_404_479, 1_404_480):
        data = np.zeros((2_000_000, 1))
        data[:m] = 1.0
        rates.add(output_perturbation.law(data, np.ones(len(data)), privacy=PureDP(1.0), C=1.0).rate)
    assert len(rates) == 1 and 0.98 * 1e6 < rates.pop() < 1e6


# The negative control -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "planted",
    [
        lambda records: arguments.check_finite("X", records),  # refuses by what a record holds
        lambda records: records * records * records,  # warns
        lambda records: records[np.abs(records).max(axis=1) > 0],  # drops a record
        lambda records: np.nan_to_num(records / np.abs(records).max(axis=1, keepdims=True), nan=np.inf),
    ],
)
def test_a_planted_refusal_is_caught(planted):
    def leaky(records, labels):
        clean = planted(np.asarray(records, dtype=float))
        return gaussian.law(clean.clip(-1, 1).ravel(), privacy=GaussianDP(1.0), sensitivity=4.0).sample(rng(), 2)

    usual = outcome(lambda: leaky(X, Y))
    assert any(outcome(lambda data=data: leaky(*data)) != usual for data in NEIGHBOURS.values())


def test_a_planted_size_is_caught():
    """A law whose scale is calibrated to the largest record that it saw ends in the same shapes, and shows it."""

    def leaky(records):
        held = arguments.clip_rows(records, 1.0)
        return gaussian.law(held.ravel(), privacy=GaussianDP(1.0), sensitivity=1.0 + float(np.abs(held).max()))

    usual = outcome(lambda: leaky(X))
    assert any(outcome(lambda data=data: leaky(data[0])) != usual for data in NEIGHBOURS.values())
