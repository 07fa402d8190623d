"""Integrals that are cut off enclose what lies beyond: cut where that shows."""

import pytest
from flint import arb

from lemmata.bounds.exact import privacy_curves
from lemmata.bounds.exact.balls import Phi


def closed_form(epsilon, shift):
    return Phi(arb(shift) / 2 - arb(epsilon) / shift) - arb(epsilon).exp() * Phi(-arb(shift) / 2 - arb(epsilon) / shift)


@pytest.mark.parametrize("reach", [1, 2, 30])
@pytest.mark.parametrize(("epsilon", "shift"), [(0.25, 1.0), (1.0, 0.5), (0.0, 2.0)])
def test_the_tail_is_counted(reach, epsilon, shift, monkeypatch):
    monkeypatch.setattr(privacy_curves, "REACH", reach)
    assert privacy_curves.hockey_stick(epsilon, shift).overlaps(closed_form(epsilon, shift))
    both = privacy_curves.hockey_stick_of_two(epsilon, 0.6 * shift, 0.8 * shift)
    assert both.overlaps(closed_form(epsilon, shift))
    assert reach < 30 or both.rad() < 1e-12
