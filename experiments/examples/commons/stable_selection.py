"""Releases that a stable value allows: distance to instability, smooth sensitivity, thresholds of histograms."""

from typing import Any

import numpy as np
from laws import integrate_pieces, laplace_tail

from lemmata.paper import (
    Step,
    between,
    exp,
    grid,
    in_unit_interval,
    integer,
    log,
    oracle_claim,
    positive,
    theorem,
)

PURE = [positive("epsilon")]
ANY = [*PURE, in_unit_interval("delta")]
ALGEBRA = [Step("algebra")]


@theorem(
    "ts13.dist",
    part="privacy",
    kind="privacy",
    says=r"\Pr[A_{dist}\ne\bot\mid f\text{ is unstable}]\le\delta",
    needs=ANY,
)
def propose_test_release(*, epsilon: Any, delta: Any) -> Any:
    """The threshold for the noisy distance to instability, log(1/delta)/epsilon. Use this where f rarely changes.

    >>> print(round(propose_test_release(epsilon=0.5, delta=exp(-3.0)), 6))
    6.0
    """
    return log(1 / delta) / epsilon


@theorem(
    "ts13.dist",
    part="utility",
    kind="tail",
    says=r"f\text{ is }\tfrac{\log(1/\delta)+\log(1/\beta)}{\varepsilon}\text{-stable}"
    r"\Rightarrow\Pr[A_{dist}=\bot]\le\beta",
    needs=[*ANY, in_unit_interval("beta")],
)
def stable_enough(*, epsilon: Any, delta: Any, beta: Any) -> Any:
    """The distance to instability at which the value is released. Use log(1/(2 delta)) to save a constant.

    >>> print(round(stable_enough(epsilon=0.5, delta=exp(-3.0), beta=exp(-1.0)), 6))
    8.0
    """
    return (log(1 / delta) + log(1 / beta)) / epsilon


oracle_claim(
    propose_test_release,
    oracle="exact",
    against="delta",
    caught=(1.5, 2),
    quick=grid(epsilon=[1.0, 0.1], delta=[1e-6, 0.5]),
    steps=ALGEBRA,
)(lambda level, *, epsilon, delta: exp(-epsilon * level) / 2)
oracle_claim(
    stable_enough,
    oracle="exact",
    against="beta",
    caught=(1.1, 2),
    quick=grid(epsilon=[1.0], delta=[1e-6], beta=[0.01, 0.5]),
    steps=ALGEBRA,
)(
    lambda distance, *, epsilon, delta, beta: (
        exp(-epsilon * (distance - propose_test_release(epsilon=epsilon, delta=delta))) / 2
    )
)

SMOOTH = [between("v", -1, 1), between("x", -1, 1)]  # how the smooth sensitivity, and the value, move


@theorem(
    "nrs07.cauchy",
    kind="privacy",
    says=r"f+\frac{6}{\varepsilon}S\,\eta,\ S\ \tfrac{\varepsilon}{6}\text{-smooth},\ \eta\ \text{Cauchy}"
    r"\Rightarrow\varepsilon\text{-DP}",
    needs=PURE,
)
def smooth_cauchy(*, epsilon: Any) -> Any:
    """The privacy of Cauchy noise at the smooth sensitivity. Use this for pure privacy."""
    return epsilon


def cauchy_loss(*, epsilon: Any, v: Any, x: Any, z: Any) -> Any:
    """The loss at z where S = 1 becomes e^(v epsilon/6) and the value moves by x, at most the smaller of both."""
    s, t = 6 / epsilon, 6 / epsilon * exp(v * epsilon / 6)
    return log(t / s) + log((1 + ((z - x * min(1, t / s)) / t) ** 2) / (1 + (z / s) ** 2))


oracle_claim(
    smooth_cauchy,
    over=[*SMOOTH, between("z", -1e6, 1e6)],
    caught=(2, 4, 8),
    oracle="exact",
    quick=grid(epsilon=[1.0, 5.0], v=[1.0, -1.0], x=[-1.0, 0.5], z=[0.0, 6.0, -6.0]),
    reach={"epsilon": 50},
)(cauchy_loss)


@theorem(
    "nrs07.laplace",
    kind="privacy",
    reading="quoted",
    quoted_by="us, with the constants of Vadhan 2017; versions of the paper differ",
    says=r"f+\frac2\varepsilon S\,\mathrm{Lap}(1),\ S\ \tfrac{\varepsilon}{2\log(2/\delta)}\text{-smooth}"
    r"\Rightarrow(\varepsilon,\delta)\text{-DP}",
    needs=ANY,
)
def smooth_laplace(*, epsilon: Any, delta: Any) -> Any:
    """The smoothness that Laplace noise of scale 2 S/epsilon needs. Use this for the median."""
    return epsilon / (2 * log(2 / delta))


def smooth_delta(beta: float, *, epsilon: float, delta: float, v: float) -> float:
    """The delta of Laplace noise of scale s at 0 against scale s e^(v beta) at the smaller of 1 and e^(v beta)."""
    s, t, at = 2 / epsilon, 2 / epsilon * np.exp(v * beta), min(1.0, np.exp(v * beta))
    gain = lambda z: np.maximum(laplace_tail(z / s) / s - np.exp(epsilon) * laplace_tail((z - at) / t) / t, 0)  # noqa: E731
    return integrate_pieces(gain, [0.0, at], 40 * s)


oracle_claim(
    smooth_laplace,
    against="delta",
    oracle="exact",
    over=[between("v", -1, 1)],
    caught=(0.1,),
    quick=grid(epsilon=[1.0], delta=[0.01, 0.1], v=[-1.0, 1.0]),
    reach={"epsilon": 5},
)(smooth_delta)


@theorem(
    "v17.thm3.5",
    kind="privacy",
    says=r"\text{threshold }\frac{2\log(2/\delta)}{\varepsilon n}+\frac1n\Rightarrow(\varepsilon,\delta)\text{-DP}",
    needs=ANY,
)
def stability_histogram(*, epsilon: Any, delta: Any) -> Any:
    """The least noisy count that is released, noise of scale 2/epsilon. Use this where keys are not public.

    >>> print(round(stability_histogram(epsilon=0.5, delta=2 * exp(-3.0)), 6))
    13.0
    """
    return 1 + 2 * log(2 / delta) / epsilon


@theorem(
    "dvg22.laplace",
    kind="privacy",
    says=r"\text{threshold }1-\frac{\log(2\delta)}{\varepsilon}\Rightarrow(\varepsilon,\delta)\text{-DP}",
    needs=[*PURE, between("delta", 0, 0.5), positive("delta")],
)
def laplace_threshold(*, epsilon: Any, delta: Any) -> Any:
    """The same with noise of scale 1/epsilon, one record more, one key each. Use the optimal selection instead."""
    return 1 - log(2 * delta) / epsilon


oracle_claim(
    stability_histogram,
    oracle="exact",
    cites=["Vadhan 2017, Theorem 3.5: only keys of one record cost delta"],
    against="delta",
    caught=(1.5, 2),
    quick=grid(epsilon=[1.0, 0.1], delta=[1e-6, 0.5]),
    steps=ALGEBRA,
)(lambda level, *, epsilon, delta: exp(-epsilon / 2 * (level - 1)) / 2)
oracle_claim(
    laplace_threshold,
    oracle="exact",
    against="delta",
    quick=grid(epsilon=[1.0, 0.1], delta=[1e-6, 0.25]),
    steps=ALGEBRA,
)(lambda level, *, epsilon, delta: exp(-epsilon * (level - 1)) / 2)


@theorem(
    "dvg22.thm1",
    kind="privacy",
    says=r"\pi(n+1)=\min(e^\varepsilon\pi(n)+\delta,1-e^{-\varepsilon}(1-\pi(n)-\delta),1)\text{ is the largest}",
    needs=[integer("n"), *PURE, between("delta", 0, 0.5), positive("delta")],
)
def optimal_selection(*, n: int, epsilon: Any, delta: Any) -> Any:
    """The largest chance to release a key of n records. Use this to choose keys.

    >>> print(round(optimal_selection(n=1, epsilon=1.0, delta=0.25), 6))
    0.25
    """
    kept = 0.0
    for _ in range(n):
        kept = min(np.exp(epsilon) * kept + delta, 1 - np.exp(-epsilon) * (1 - kept - delta), 1)
    return kept


def laplace_kept(*, n: int, epsilon: float, delta: float) -> float:
    """The chance that Laplace noise keeps a key of n records."""
    short = laplace_threshold(epsilon=epsilon, delta=delta) - n
    return np.exp(-epsilon * short) / 2 if short > 0 else 1 - np.exp(epsilon * short) / 2


def kept_keys(**_: Any) -> dict[str, list]:
    """The chance to keep a key of n records at epsilon = 1 and delta = 1e-5."""
    counts = list(range(1, 25))
    return {
        "n": counts,
        "laplace": [float(laplace_kept(n=n, epsilon=1.0, delta=1e-5)) for n in counts],
        "optimal": [float(optimal_selection(n=n, epsilon=1.0, delta=1e-5)) for n in counts],
    }


oracle_claim(
    optimal_selection,
    figure=kept_keys,
    oracle="exact",
    quick=grid(n=[1, 5, 50], epsilon=[1.0, 0.1], delta=[1e-6, 0.1]),
    reach={"n": 300, "epsilon": 20},
)(laplace_kept)
