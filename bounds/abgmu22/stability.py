r"""Loss bounds: abgmu22, Appendix D.4, what a base algorithm's output can lose on a record.

For a non-negative H-smooth phi with phi(0) <= ||Y||^2 and |t| <= r the largest value is (||Y|| + sqrt(H/2) r)^2: the
square with its minimum 0 at distance sqrt(2/H) ||Y|| attains it. Opened, the cross term sqrt(2H) ||Y|| r is what
||Y||^2 + H r^2 has no room for while r sqrt(H) < 2 sqrt(2) ||Y||.

Names: `label_bound` ||Y||, `radius` ||X||, `smoothness` H, `norm_bound` B, `sigma` the noise of output perturbation,
`level` K/delta.
"""

from __future__ import annotations

from typing import Any

from bounds.exact.numbers import sqrt
from bounds.theorem import at_least, positive, theorem

LOSS = [at_least("label_bound", 0), positive("smoothness"), at_least("norm_bound", 0), at_least("radius", 0)]

# Noisy gradient descent -----------------------------------------------------------------------------------------------

BALL = r"\|w\|\le B,\ \|x\|\le\|\mathcal X\|\ \Rightarrow\ \ell(w;(x,y))\le"


@theorem(
    "abgmu22.lem.stab-sgd",
    says=BALL + r"\Delta(B)=\|\mathcal Y\|^2+HB^2\|\mathcal X\|^2",
    needs=LOSS,
    source=", Appendix D.4",
)
def printed_loss_bound(*, label_bound: Any, smoothness: Any, norm_bound: Any, radius: Any) -> Any:
    """The loss of noisy SGD's output on any record, as printed.

    >>> printed_loss_bound(label_bound=1.0, smoothness=2.0, norm_bound=1.0, radius=0.5)
    1.5
    """
    return label_bound**2 + smoothness * (norm_bound * radius) ** 2


@printed_loss_bound.corrected(
    says=BALL + r"\frac32\left(\|\mathcal Y\|^2+HB^2\|\mathcal X\|^2\right)",
    source=", Appendix D.4, times 3/2",
)
def loss_bound(*, label_bound: Any, smoothness: Any, norm_bound: Any, radius: Any) -> Any:
    """3/2 times the printed number: (a + b)^2 <= (3/2)(a^2 + 2 b^2), with equality at a = 2b; b = sqrt(H/2) B ||X||."""
    return (
        3
        * printed_loss_bound.theorem.formula(
            label_bound=label_bound, smoothness=smoothness, norm_bound=norm_bound, radius=radius
        )
        / 2
    )


@printed_loss_bound.explicit(
    says=BALL + r"\left(\|\mathcal Y\|+\sqrt{H/2}\,B\|\mathcal X\|\right)^2",
    source=", Appendix D.4, the exact maximum",
)
def ball_loss_bound(*, label_bound: Any, smoothness: Any, norm_bound: Any, radius: Any) -> Any:
    """The largest loss over the ball: phi(t) <= phi(0) + sqrt(2 H phi(0)) |t| + H t^2/2 is a square, and attained.

    >>> float(ball_loss_bound(label_bound=1.0, smoothness=2.0, norm_bound=2.0, radius=0.5))
    4.0
    """
    return (label_bound + sqrt(smoothness / 2) * norm_bound * radius) ** 2
