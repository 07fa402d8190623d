"""The activation of Section 5 of Bassily, Mohri & Suresh (2022), tanh(eta a/4): its true Lipschitz constant."""

from __future__ import annotations

from typing import Any

from bounds.papers import BMS22
from bounds.theorem import positive, theorem


@theorem(
    "bms22.thm5.1.lipschitz",
    says=r"|\sigma_\eta(a)-\sigma_\eta(b)|\le\eta|a-b|,\quad "
    r"\sigma_\eta(a)=\frac{1-e^{-\eta a/2}}{1+e^{-\eta a/2}}",
    needs=[positive("eta")],
    source=f"{BMS22}, Section 5",
)
def lipschitz_constant(*, eta: Any) -> Any:
    """The Lipschitz constant of the activation, as printed: eta."""
    return eta


@lipschitz_constant.explicit(
    says=r"\sup_{a\ne b}\frac{|\sigma_\eta(a)-\sigma_\eta(b)|}{|a-b|}=\frac\eta4", source="ours: its slope at 0"
)
def slope_at_zero(*, eta: Any) -> Any:
    """The Lipschitz constant of tanh(eta a/4): its slope at 0, eta/4."""
    return eta / 4
