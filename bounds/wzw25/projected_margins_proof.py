"""The printed proof of Lemma B.2 of Wang, Zhu & Wang (2025), line by line: why random signs keep margins.

Names as in `bounds.wzw25.projected_margins`. Two links point the wrong way where gamma < e b/3, of which the lemma says
nothing; the corrected readings ask for the sign.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from bounds.exact import numbers
from bounds.theorem import at_least, in_unit_interval, positive, require, theorem

STEP = [positive("b"), in_unit_interval("e")]
POSITIVE = require("gamma >= e b/3", lambda gamma, e, b: gamma >= e * b / 3)


@theorem(
    "wzw25.lemB.2.s1",
    says=r"\min_{(x,y)\in S'}y\langle\Phi w_{S'},\Phi x\rangle\ge\min_{(x,y)\in S'}y\langle w_{S'},x\rangle"
    r"-\frac{eb}{3}=\gamma-\frac{eb}{3}",
    needs=[at_least("gamma", 0), *STEP],
)
def projected_minimum(*, gamma: float, e: float, b: float) -> float:
    """On the event of Lemma B.1 the smallest signed product falls by at most e b/3.

    The margin is clipped at 0: for gamma = 0 the set S' need not be separable, and the minimum may be as low as -b.
    Where gamma(S') > gamma, the printed "=" is ">=".
    """
    return gamma - e * b / 3


@projected_minimum.corrected(
    says=r"\gamma(S')>0\ \Rightarrow\ \min_{(x,y)\in S'}y\langle\Phi w_{S'},\Phi x\rangle\ge\gamma-\frac{eb}{3}",
    needs=[positive("gamma"), *STEP],
    source=", proof, for separable S'",
)
def projected_minimum_corrected(*, gamma: float, e: float, b: float) -> float:
    """On the event of Lemma B.1 the smallest signed product falls by at most e b/3, if S' is separable."""
    return gamma - e * b / 3


@theorem("wzw25.lemB.2.s2", says=r"\|\Phi w_{S'}\|\le\sqrt{1+\frac{e}{3}}", needs=[in_unit_interval("e")])
def projected_norm(*, e: float) -> float:
    """On the event of Lemma B.1 the separating direction grows by at most sqrt(1 + e/3)."""
    return sqrt(1 + e / 3)


RATIO = (
    r"\min_{(x,y)\in S'}\frac{y\langle\Phi w_{S'},\Phi x\rangle}{\|\Phi w_{S'}\|}\ge\frac{\gamma-eb/3}{\sqrt{1+e/3}}"
)


@theorem(
    "wzw25.lemB.2.s3",
    says=RATIO,
    needs=[at_least("gamma", 0), *STEP],
    source=", proof (which prints S for S' under the min)",
)
def ratio_step(*, gamma: float, e: float, b: float) -> float:
    """Dividing by the norm: smallest product over ||Phi w||.

    The division by sqrt(1 + e/3) >= ||Phi w|| goes the right way only if the numerator is not negative.
    """
    return (gamma - e * b / 3) / sqrt(1 + e / 3)


@ratio_step.corrected(
    says=r"\gamma\ge\frac{eb}{3}\ \Rightarrow\ " + RATIO,
    needs=[at_least("gamma", 0), *STEP, POSITIVE],
    source=", proof, with the sign of the numerator",
)
def ratio_step_corrected(*, gamma: float, e: float, b: float) -> float:
    """Dividing by the norm, where gamma >= e b/3."""
    return (gamma - e * b / 3) / sqrt(1 + e / 3)


HALF = r"\frac{\gamma-eb/3}{\sqrt{1+e/3}}\ge\frac{\gamma}{2}-\frac{eb}{6}"


@theorem(
    "wzw25.lemB.2.s4",
    says=HALF,
    needs=[at_least("gamma", 0), *STEP],
    source=", proof, 'the last inequality is by e in [0, 1]'",
)
def half_step(*, gamma: Any, e: Any, b: Any) -> Any:
    """The factor 1/sqrt(1 + e/3) is at least one half: left side minus right side.

    (gamma - e b/3)(1/sqrt(1 + e/3) - 1/2), negative where gamma < e b/3; of numbers or balls.
    """
    return (gamma - e * b / 3) * (1 / numbers.sqrt(1 + e / 3) - 1 / 2)


@half_step.corrected(
    says=r"\gamma\ge\frac{eb}{3}\ \Rightarrow\ " + HALF,
    needs=[at_least("gamma", 0), *STEP, POSITIVE],
    source=", proof, with the sign of the numerator",
)
def half_step_corrected(*, gamma: Any, e: Any, b: Any) -> Any:
    """The factor 1/sqrt(1 + e/3) is at least one half, where gamma >= e b/3."""
    return (gamma - e * b / 3) * (1 / numbers.sqrt(1 + e / 3) - 1 / 2)
