"""Changed statements: what a function returns is scaled, and a return without a value stays one."""

from lemmata.experiments.conformance import edit


def itself_up_to_one(x):
    """A return without a value, and one with."""
    if x > 1:
        return
    return x


def test_a_return_without_a_value_stays_one():
    edit.scale_return(itself_up_to_one, 2.0)
    assert [itself_up_to_one(1), itself_up_to_one(2)] == [2, None]
