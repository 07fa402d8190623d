"""Every name that the reference lists says what goes in, what comes out, what is raised, and shows it at work."""

import inspect
import re
import warnings

import numpy as np
import pytest

import lemmata
import lemmata.paper
from lemmata.mechanisms.numerics.inherited_docs import inherit_docs, split_entries, split_sections

LISTED = {name: getattr(lemmata, name) for name in lemmata.__all__ if name not in lemmata.PACKAGES}
RESULTS = "Found Audit Trace Inspection Replay OneRun Theorem Verdict".split()  # what users are handed and never make
LEARNERS = [name for name, one in LISTED.items() if hasattr(one, "fit")]
ORDER = ["", "Parameters", "Returns", "Attributes", "Raises", "Notes", "References", "Examples"]


def parts(thing):
    """The sections of a docstring."""
    return split_sections(inspect.cleandoc(thing.__doc__ or ""))


def named(lines):
    """The names that a section describes."""
    return [name for names in split_entries(lines) for name in names]


def taken(function):
    """The names of the parameters of a function or class."""
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


def amiss(thing):
    """What the docstring of a function or class leaves out, or has too much."""
    found = parts(thing)
    if isinstance(thing, type) and issubclass(thing, Exception):
        return [] if "Examples" in found else ["no Examples"]
    wrong = [title for title in found if title not in ORDER]
    wrong += ["order"] if list(found) != sorted(found, key=ORDER.index) else []
    described = named(found.get("Parameters", []))
    if thing.__name__ in RESULTS:
        wrong += sorted(set(taken(thing)) ^ set(named(found.get("Attributes", []))))
    else:
        wrong += sorted(set(taken(thing)) ^ set(described)) + (["no Examples"] if "Examples" not in found else [])
        wrong += ["order of parameters"] if described != [name for name in taken(thing) if name in described] else []
        wrong += ["no Raises"] if "Raises" not in found and thing is not lemmata.script else []
    returns = inspect.signature(thing).return_annotation not in (None, "None", inspect.Parameter.empty)
    wrong += ["no Returns"] if inspect.isfunction(thing) and returns and "Returns" not in found else []
    return wrong


@pytest.mark.parametrize("name", LISTED)
def test_a_docstring_describes_each_parameter_and_no_other(name):
    assert amiss(LISTED[name]) == []


@pytest.mark.parametrize("name", [name for name in LISTED if name not in RESULTS])
def test_numpydoc_agrees(name):
    """Parameters: all, no others, in order, each with a type and a description; Returns with a description."""
    validate = pytest.importorskip("numpydoc.validate", reason="`make docs` installs it").validate
    asked = {"PR01", "PR02", "PR03", "PR04", "PR07", "RT01", "RT04", "YD01", "GL06", "GL07"}
    found = [error for error in validate(f"lemmata.{name}")["errors"] if error[0] in asked]
    assert found == []


@pytest.mark.parametrize("name", [name for name, one in LISTED.items() if isinstance(one, type)])
def test_methods_describe_what_they_take(name):
    for method, function in vars(LISTED[name]).items():
        function = getattr(function, "__func__", function)
        if method.startswith("_") or not (inspect.isfunction(function) or isinstance(function, property)):
            continue
        assert function.__doc__, method
        if inspect.isfunction(function) and taken(function):
            assert named(parts(function).get("Parameters", [])) in ([], taken(function)), method


@pytest.mark.parametrize("method", ["fit", "predict", "decision_function", "transform", "predict_proba"])
@pytest.mark.parametrize("name", LEARNERS)
def test_methods_of_learners_have_sections(name, method):
    function = getattr(LISTED[name], method, None)
    if inspect.isfunction(function):
        found = parts(function)
        assert named(found["Parameters"]) == taken(function) and "Returns" in found, method


@pytest.mark.parametrize("name", LEARNERS)
def test_the_attributes_are_those_that_a_fit_leaves(name):
    import pandas as pd

    X = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 2)) / 3, columns=["a", "b"])
    given = {"epsilon": 8.0, "random_state": 0} | ({"classes": (0, 1)} if hasattr(LISTED[name], "classes") else {})
    given |= {"beta": 0.4} if name in ("TunedMargin", "PrivateSearchCV") else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lemmata.PrivacyLeakWarning)
        fitted = LISTED[name](**given).fit(X, (X["a"] > 0).astype(int))
    left = {one for one in vars(fitted) if re.fullmatch(r"[a-z]\w*_", one)}
    assert left == set(named(parts(LISTED[name])["Attributes"]))


def forgetful(a, b):
    """Adds.

    Parameters
    ----------
    a, c : int
        Numbers.
    """
    return a + b


def test_what_is_left_out_or_invented_is_noticed():
    assert amiss(forgetful) == ["b", "c", "no Examples", "order of parameters", "no Raises"]
    bare = type("Bare", (), {"__doc__": "Nothing.", "__init__": lambda self, n: None})
    assert amiss(bare) == ["n", "no Examples", "no Raises"]


class Base:
    """A base.

    Parameters
    ----------
    a : int
        From the base.

    Attributes
    ----------
    c_ : int
        Kept.
    """

    def __init__(self, a, b):
        self.c_ = a + b


def test_a_class_inherits_what_its_bases_describe():
    @inherit_docs
    class Inner(Base):
        """Inside.

        Parameters
        ----------
        b : int
            Its own.

        Examples
        --------
        >>> 1
        1
        """

    found = split_sections(Inner.__doc__.rstrip())
    assert list(found) == ["", "Parameters", "Attributes", "Examples"]
    assert named(found["Parameters"]) == ["a", "b"] and named(found["Attributes"]) == ["c_"]
    assert inherit_docs(type("Silent", (Base,), {"__doc__": None})).__doc__ is None


KIT = {
    name: function
    for name, function in ((name, getattr(lemmata.paper, name)) for name in lemmata.paper.__all__)
    if inspect.isfunction(function) and function.__module__ != "lemmata.experiments.engine.claims.verdict"
}


@pytest.mark.parametrize("name", sorted(set(KIT) - {"exact", "largest", "spread", "equality", "up_to_one"}))
def test_the_kit_for_papers_describes_what_it_takes(name):
    """Not the readers of ratios, which a claim is handed and nobody calls."""
    found, taken_ = parts(KIT[name]), taken(KIT[name])
    assert named(found.get("Parameters", [])) == taken_ and ("Returns" in found or name == "script")
    assert list(found) == sorted(found, key=ORDER.index)
