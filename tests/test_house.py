"""Every statement stands where the contents page of its paper says, in bounds and in experiments alike."""

import pytest

from lemmata.bounds.library import library
from lemmata.bounds.theorem import THEOREMS
from tests.claims import CLAIMS, registry


def home(theorem):
    """`wzw25/margin_grid`: the module below bounds/ that the record stands in."""
    return library.stem(theorem.formula.__module__)


@pytest.mark.parametrize("key", THEOREMS)
def test_a_record_stands_in_the_module_that_the_contents_name(key):
    theorem = THEOREMS[key]
    named = library.modules[theorem.parent or theorem.id]
    assert home(theorem) in (named, f"{named}_proof")


@pytest.mark.parametrize("key", CLAIMS)
def test_a_claim_stands_at_the_path_of_its_bound(key):
    bound = home(CLAIMS[key].theorem)
    assert registry.module_of(CLAIMS[key]) in (bound, f"{bound}_proof")  # a derivation may stand with the proof


@pytest.mark.record
def test_the_contents_name_no_module_in_vain():
    named = set(filter(None, library.modules.values()))
    decided = {library.modules[theorem.parent or theorem.id] for theorem in THEOREMS.values()}
    assert named == decided
