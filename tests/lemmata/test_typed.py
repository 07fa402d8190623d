"""`py.typed` is true: what `lemmata` hands out is annotated."""

import dataclasses
import inspect
from pathlib import Path

import pytest

import lemmata
from lemmata import paper
from lemmata.experiments.engine.claims.claim import Claim, describe_keywords


def unannotated(function):
    """The parameters without a type, and "return" where the result has none."""
    signature = inspect.signature(function)
    bare = [p.name for p in signature.parameters.values() if p.annotation is p.empty and p.name not in ("self", "cls")]
    return bare + ["return"] * (signature.return_annotation is signature.empty)


def methods(thing):
    """A function itself, or the public methods of a class, our own ones."""
    if inspect.isfunction(thing):
        return {thing.__qualname__: thing}
    found = inspect.getmembers(thing, inspect.isfunction) if inspect.isclass(thing) else []
    return {f.__qualname__: f for name, f in found if f.__module__.startswith("lemmata.") and not name.startswith("__")}


@pytest.mark.parametrize("name", sorted(lemmata.__all__))
def test_what_is_handed_out_is_annotated(name):
    assert {at: missing for at, f in methods(getattr(lemmata, name)).items() if (missing := unannotated(f))} == {}


def test_what_is_not_annotated_is_found():
    """Negative control."""

    class Half:
        def typed(self, x: int) -> int:
            return x

        def bare(self, x, y: int = 0) -> int:
            return x

    Half.typed.__module__ = Half.bare.__module__ = "lemmata.half"
    assert [unannotated(f) for f in methods(Half).values()] == [["x"], []]
    assert unannotated(lambda x: x) == ["x", "return"]


def test_one_marker_speaks_for_the_package():
    root = Path(lemmata.__file__).parent
    assert (root / "py.typed").is_file()
    assert not [folder for folder in ("bounds", "mechanisms", "experiments") if (root / folder / "py.typed").exists()]


def test_every_keyword_of_a_claim_is_described():
    said_otherwise = {"theorem", "style", "trial", "law", "attack"}  # in the name of the decorator, or by attack_claim
    heads = [line[4:20] for line in describe_keywords().splitlines() if line[4:5].islower() or line[4:5] == " "]
    described = set(",".join(heads).replace(" ", "").split(",")) - {""}
    assert described == {field.name for field in dataclasses.fields(Claim)} - said_otherwise
    assert describe_keywords() in paper.__doc__
