"""Algorithm 5 and the proof of Lemma C.1 of Wang, Zhu & Wang (2025), line by line.

Names as in `bounds.wzw25.noisy_gd`; D is `distance`. Two lines of the algorithm and two of the proof are wrong as they
stand (s1, s2, s3, s5); for hinge losses none of them is needed.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from bounds.theorem import at_least, integer, positive, theorem
from bounds.wzw25.hinge_gradient import Real
from bounds.wzw25.noisy_gd import averaged_rate, noise_std, printed_steps

ALGORITHM = ", Algorithm 5, line Set"


@theorem(
    "wzw25.lemC.1.s1",
    part="set",
    kind="identity",
    says=r"\sup_{S\sim S'}|\hat L(\mathbf{w};S)-\hat L(\mathbf{w};S')|=\Delta",
    needs=[positive("radius"), positive("width"), at_least("norm", 0)],
    source=ALGORITHM,
)
def value_sensitivity(*, norm: Real, radius: Real, width: Real) -> Real:
    """The line "L2 sensitivity of L-hat is Delta", taken word by word: the sensitivity of the *value* at ||w|| = norm.

    One record replaced: values range over [0, 1 + norm radius / width]. It grows with ||w|| without bound, while
    the noise is for the gradient; the callers use Lemma A.10's Delta = 2 radius / width, which is meant.

    >>> value_sensitivity(norm=3.0, radius=1.0, width=0.5)
    7.0
    """
    return 1 + norm * radius / width - max(0.0, 1 - norm * radius / width)


@theorem(
    "wzw25.lemC.1.s2",
    part="noise",
    kind="privacy",
    says=r"T=\lceil n^2\mu^2\rceil,\ \sigma=n\Delta\ \Rightarrow\ \frac{\sqrt T\,\Delta}{\sigma}\le\mu",
    needs=[integer("n"), positive("mu")],
    source=ALGORITHM,
)
def rounded_gdp(*, n: int, mu: float) -> float:
    """The line "sigma = Delta sqrt(T) / mu = n Delta" where T = n^2 mu^2 is not whole and is rounded up.

    The two expressions differ then. With n Delta the steps spend sqrt(ceil(n^2 mu^2)) / n > mu; at least one
    step is 1/n-GDP, so no mu < 1/n is reached. Rounded down, as the range t = 0..T-1 does, they spend less than mu.

    >>> rounded_gdp(n=1, mu=0.1)
    1.0
    """
    return sqrt(printed_steps(n, mu)) / n


@rounded_gdp.corrected(
    says=r"\sigma=\frac{\Delta\sqrt{T}}{\mu}\ \Rightarrow\ \frac{\sqrt T\,\Delta}{\sigma}=\mu,\quad T=1,2,\ldots",
    needs=[integer("steps"), positive("mu"), positive("sensitivity")],
    source=ALGORITHM,
)
def whole_steps_gdp(*, steps: int, mu: float, sensitivity: float) -> float:
    """sigma computed from the whole number of steps: exactly mu for every T, also where n mu < 1.

    >>> whole_steps_gdp(steps=4, mu=0.1, sensitivity=1.0)
    0.1
    """
    return sqrt(steps) * sensitivity / noise_std(steps, sensitivity, mu)


@theorem(
    "wzw25.lemC.1.s3",
    part="second-moment",
    says=r"\mathbb{E}[\|\hat g_t\|^2\mid\mathbf{w}_t]\le n^2\Delta^2+d\sigma^2",
    needs=[integer("n"), integer("d"), at_least("sensitivity", 0), at_least("sigma", 0)],
)
def squared_gradient_printed(*, n: int, d: int, sensitivity: Real, sigma: Real) -> Real:
    """Second moment of a noisy gradient of any loss, which Algorithm 5 takes.

    A sensitivity bounds differences, not gradients: the convex loss <a, w> + hinge has the sensitivity of the hinge,
    and a gradient sum of norm up to n (||a|| + Delta / 2).

    >>> squared_gradient_printed(n=2, d=3, sensitivity=1.0, sigma=1.0)
    7.0
    """
    return n**2 * sensitivity**2 + d * sigma**2


@squared_gradient_printed.corrected(
    says=r"\|\nabla\ell\|\le\Delta\ \Rightarrow\ \mathbb{E}[\|\hat g_t\|^2\mid\mathbf{w}_t]\le n^2\Delta^2+d\sigma^2"
)
def squared_gradient(*, n: int, d: int, sensitivity: Real, sigma: Real) -> Real:
    """Second moment of a noisy gradient, for per-record gradients of norm at most Delta.

    E ||g + xi||^2 = ||g||^2 + d sigma^2 and ||g|| <= n Delta; for the hinge ||g|| <= n Delta / 2.

    >>> squared_gradient(n=2, d=3, sensitivity=1.0, sigma=1.0)
    7.0
    """
    return n**2 * sensitivity**2 + d * sigma**2


@theorem(
    "wzw25.lemC.1.s4",
    part="one-step",
    says=r"\mathbb{E}\|\mathbf{w}_{t+1}-\mathbf{w}_{ref}\|^2\le\mathbb{E}\|\mathbf{w}_t-\mathbf{w}_{ref}\|^2"
    r"-2\eta(\mathbb{E}\hat L(\mathbf{w}_t)-\hat L(\mathbf{w}_{ref}))+\eta^2(n^2\Delta^2+d\sigma^2)",
)
def one_step(*, squared_distance: Real, excess: Real, eta: Real, second_moment: Real) -> Real:
    """One step of the recursion: its right-hand side.

    >>> one_step(squared_distance=1.0, excess=0.5, eta=0.5, second_moment=1.0)
    0.75
    """
    return squared_distance - 2 * eta * excess + eta**2 * second_moment


@theorem(
    "wzw25.lemC.1.s5",
    part="telescoped",
    says=r"\mathbb{E}\hat L(\bar{\mathbf{w}})-\hat L(\mathbf{w}_{ref})\le\frac{D^2}{T\eta}"
    r"+\eta(n^2\Delta^2+d\sigma^2)-\frac{\mathbb{E}\|\mathbf{w}_T-\mathbf{w}_{ref}\|^2}{T}",
    needs=[integer("steps"), positive("eta")],
)
def telescoped(*, distance: Any, eta: Any, steps: int, second_moment: Any, final: Any) -> Any:
    """The telescoped sum as printed; `final` is E ||w_T - w_ref||^2. Its last term lacks a factor 1 / (2 eta).

    >>> telescoped(distance=1.0, eta=1.0, steps=1, second_moment=1.0, final=1.0)
    1.0
    """
    return distance**2 / (steps * eta) + eta * second_moment - final / steps


@telescoped.corrected(
    says=r"\mathbb{E}\hat L(\bar{\mathbf{w}})-\hat L(\mathbf{w}_{ref})\le\frac{D^2}{2T\eta}"
    r"+\frac{\eta}{2}(n^2\Delta^2+d\sigma^2)-\frac{\mathbb{E}\|\mathbf{w}_T-\mathbf{w}_{ref}\|^2}{2T\eta}",
)
def telescoped_corrected(*, distance: Any, eta: Any, steps: int, second_moment: Any, final: Any) -> Any:
    """The telescoped sum: step s4 summed over t < T and divided by 2 eta T.

    >>> telescoped_corrected(distance=1.0, eta=1.0, steps=1, second_moment=1.0, final=1.0)
    0.5
    """
    return (distance**2 - final) / (2 * steps * eta) + eta * second_moment / 2


@theorem(
    "wzw25.lemC.1.s6",
    part="balance",
    kind="identity",
    says=r"\frac{D^2}{T\eta}+\eta(n^2\Delta^2+d\sigma^2)=2\sqrt{\frac{D^2(n^2\Delta^2+d\sigma^2)}{T}}",
    needs=[integer("steps"), positive("second_moment"), positive("distance")],
)
def balanced(*, distance: float, steps: int, second_moment: float) -> float:
    """The chosen eta balances the two terms. (The proof's eta has L for Delta; L appears nowhere else.)

    >>> balanced(distance=1.0, steps=4, second_moment=4.0)
    2.0
    """
    return 2 * distance * sqrt(second_moment / steps)


@theorem(
    "wzw25.lemC.1.s7",
    part="last-line",
    says=r"\frac{2n\Delta D}{\sqrt T}+\frac{2\sqrt d\,\sigma D}{\sqrt T}\le\frac{4\Delta\sqrt d\,D}{\mu},"
    r"\quad\sigma=\frac{\Delta\sqrt T}{\mu},\ T\ge n^2\mu^2",
    needs=[integer("d"), positive("mu"), positive("sensitivity"), positive("distance")],
)
def last_line(*, d: int, mu: float, sensitivity: float, distance: float) -> float:
    """The proof's last line, 4 Delta sqrt(d) ||w_ref - w_0|| / mu: the constant 4 the O(.) hides.

    >>> last_line(d=1, mu=1.0, sensitivity=1.0, distance=1.0)
    4.0
    """
    return 4 * averaged_rate(d=d, mu=mu, sensitivity=sensitivity, distance=distance)
