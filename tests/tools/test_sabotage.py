"""The sabotage matrix: every planted mistake can still be planted; what catches it is tested in test_audits."""

from lemmata.tools.sabotage import matrix


def test_what_is_mutated_still_stands_in_the_code():
    assert matrix.PLANTED and all(planted.applied() for planted in matrix.PLANTED)
