"""An estimator or a law that is declared in one place only is missed: what has to know it, and who says so.

To add an estimator: its law, its class, a line of `hardening.TABLE`, a valid call of the law for the tests, and the
program that replays it. The rest is written by programs (`lemmata.tools.public_names`, `tests.mechanisms.test_frozen`,
`lemmata.experiments.audits.replays`), and is asked for here and in `tests/audits/test_replayed.py`.
"""

import csv
import importlib
import inspect
import pkgutil
from types import ModuleType

import pytest

import lemmata
from lemmata.mechanisms import estimators, hardening
from lemmata.mechanisms.estimators import private_classifier, private_estimator
from lemmata.mechanisms.estimators.gd_estimators import NoisyGD
from lemmata.mechanisms.selection import tnb
from lemmata.tools import public_names
from tests.mechanisms import test_frozen
from tests.mechanisms.valid_calls import TABLE

BASES = (private_classifier, private_estimator)
ROOM = [
    importlib.import_module(f"{estimators.__name__}.{one.name}") for one in pkgutil.iter_modules(estimators.__path__)
]


def lacks_guarantee(thing):
    """Whether the docstring of a law or an estimator states no guarantee."""
    return "Formal guarantee:" not in " ".join((thing.__doc__ or "").split())


@pytest.mark.record
def test_every_law_and_estimator_states_its_guarantee():
    laws = [one for one in TABLE if one.__name__ in ("law", "margin_law") and one is not tnb.law]
    kinds = [getattr(lemmata, one.name) for one in hardening.ESTIMATORS]
    assert [one for one in (*laws, *kinds) if lacks_guarantee(one)] == []
    assert lacks_guarantee(tnb.law)  # the number of runs of a search takes no data


def defined_in(modules):
    """{(name, module)} of the estimators that are defined there."""
    return {
        (name, module.__name__.rpartition(".")[2])
        for module in modules
        if module not in BASES
        for name, kind in vars(module).items()
        if inspect.isclass(kind)
        and issubclass(kind, private_estimator.PrivateEstimator)
        and kind.__module__ == module.__name__
    }


def unknown(modules):
    """Those that the table lacks, or has at another home, and those of the table that are defined nowhere."""
    return defined_in(modules) ^ {(one.name, one.home) for one in hardening.ESTIMATORS}


def places_without(name):
    """Which of the places made from the table lack an estimator."""
    with test_frozen.FILE.open(newline="") as lines:
        frozen = {line[0].rpartition(".")[2] for line in csv.reader(lines)}
    listed = {"lemmata": lemmata.__all__, "lemmata/__init__.pyi": public_names.STUB.read_text().split()}
    listed |= {"tests/mechanisms/frozen.csv": frozen | {"PrivateScaler", "PrivateRidge"}}  # whose laws have lines there
    return [place for place, names in listed.items() if name not in names]


@pytest.mark.record
def test_every_estimator_is_in_the_table():
    assert unknown(ROOM) == set()


@pytest.mark.parametrize("name", [one.name for one in hardening.ESTIMATORS])
def test_what_is_in_the_table_is_everywhere(name):
    assert places_without(name) == []


def test_an_estimator_that_the_table_lacks_is_missed():
    planted = ModuleType("lemmata.mechanisms.estimators.planted_estimators")
    planted.Planted = type("Planted", (NoisyGD,), {"__module__": planted.__name__})
    assert unknown([*ROOM, planted]) == {("Planted", "planted_estimators")}
    assert places_without("Planted") == ["lemmata", "lemmata/__init__.pyi", "tests/mechanisms/frozen.csv"]


def test_a_line_without_an_estimator_is_missed(monkeypatch):
    extra = (*hardening.ESTIMATORS, hardening.Estimator("Planted", "gd_estimators"))
    monkeypatch.setattr(hardening, "ESTIMATORS", extra)
    assert unknown(ROOM) == {("Planted", "gd_estimators")}


def laws_unknown(functions):
    """Modules whose law the table lacks, or that no valid call is for."""
    named = {law for line in hardening.TABLE for law in line.laws}
    laws = {one.__module__.rpartition(".")[2] for one in functions if one.__name__ in ("law", "margin_law")}
    return (laws - {"tnb"}) ^ named  # the number of runs of a search takes no data


@pytest.mark.record
def test_every_law_with_a_valid_call_is_in_the_table():
    """`tests/mechanisms/test_fuzz.py` asks for a valid call of every public function."""
    assert laws_unknown(TABLE) == set()


def test_a_law_that_the_table_lacks_is_missed():
    def law(X):
        return X

    law.__module__ = "lemmata.mechanisms.learners.descent.planted"
    assert laws_unknown([*TABLE, law]) == {"planted"}
    with pytest.raises(LookupError, match=r"valid_calls.py has no call of lemmata\..*\.planted\.law"):
        TABLE[law]
