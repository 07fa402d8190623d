"""The privacy loss of recorded draws: the exact law of each on two datasets, composed, and read against a claim.

A part is a pair of laws (P, Q) of one observation. It is cut into outcomes; P and Q are the chances of each. To merge
outcomes is post-processing, which loses privacy loss and never adds any. So is to drop one. So with all parts that are
composed as products, for every epsilon,

    delta(epsilon) = sum max(0, P - e^epsilon Q)                                                            (1)

is at most that of the mechanism, and an excess over the claim is a proof but for rounding, which is charged against
the excess. Gaussian parts of equal scales are one part, of mu = root of the sum of squares, and are not cut.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import log_ndtr

from lemmata.mechanisms.audit.evidence.stakes import tangents
from lemmata.mechanisms.privacy import ZCDP, GaussianDP, PureDP, RenyiDP

LAWS = {
    "normal": stats.norm,
    "laplace": stats.laplace,
    "bounded laplace": stats.laplace,
    "gumbel": stats.gumbel_r,
    "logistic": stats.logistic,
    "cauchy": stats.cauchy,
}
CELLS = 1000  # outcomes of a part, and of a composition
TAIL = 1e-15  # of both laws, beyond which the outcomes of a part are one
LEAST, SURE = 1e-280, 1e-140  # a chance that may be a larger one's underflow, and one whose quotient to it is infinite
ROUNDING = 1e-10  # relative: of chances, and of what a claim is exceeded by
TAILS, LATTICE = 40, 10**7  # scales of whole noise that are counted, and its values at most
ORDERS = (1.5, 2.0, 4.0, 8.0, 16.0, 32.0)  # at which a claim of zCDP is read


@dataclass(frozen=True)
class Loss:
    """The outcomes of all parts together.

    Attributes
    ----------
    P, Q : array, shape (outcomes,)
        Chances on the data and on the neighbour, without the Gaussian part.
    mu : float
        Of the Gaussian part.
    most : float
        The largest privacy loss in either direction; infinite for Gaussian noise, and where an outcome is possible on
        one dataset alone.
    """

    P: np.ndarray
    Q: np.ndarray
    mu: float = 0.0
    most: float = 0.0

    def delta(self, epsilon: float) -> float:
        """(1) at `epsilon`, rounded down, in the direction that leaks more."""
        return max(self._delta(self.P, self.Q, epsilon), self._delta(self.Q, self.P, epsilon))

    def _delta(self, P: np.ndarray, Q: np.ndarray, epsilon: float) -> float:
        grown = np.exp(epsilon)
        if not self.mu:
            return float(np.maximum(P * (1 - ROUNDING) - grown * Q * (1 + ROUNDING), 0).sum())
        if self.mu == inf:
            return 1.0
        with np.errstate(divide="ignore"):
            at = (epsilon + np.log(Q) - np.log(P)) / self.mu
        first, second = np.exp(log_ndtr(self.mu / 2 - at)), np.exp(log_ndtr(-self.mu / 2 - at))
        return float(np.maximum(P * first * (1 - ROUNDING) - grown * Q * second * (1 + ROUNDING), 0).sum())

    def renyi(self, order: float) -> float:
        """The Renyi divergence of an order > 1, rounded down, in the direction that leaks more."""
        ways = [_renyi(P, Q, order) for P, Q in ((self.P, self.Q), (self.Q, self.P))]
        return max(ways) + order * self.mu**2 / 2

    def excess(self, claim: Any) -> str:
        """What exceeds the claim, in words; "" if nothing does."""
        more = 1 + 10 * ROUNDING
        if isinstance(claim, PureDP):
            if self.most <= claim.epsilon * more:
                return ""
            shown = f"at least {self.most:.6g}" if self.most < inf else "unbounded"
            return f"epsilon is {shown}, and delta({claim.epsilon:g}) = {self.delta(claim.epsilon):.3g}"
        if isinstance(claim, GaussianDP) and np.array_equal(self.P, [1.0]):
            return f"mu is {self.mu:.6g}" if self.mu > claim.mu * more else ""
        if isinstance(claim, ZCDP | RenyiDP):
            rho = [(order, claim.rho * order) for order in ORDERS] if isinstance(claim, ZCDP) else claim.points
            for order, allowed in rho:
                if (found := self.renyi(order)) > allowed * more:
                    return f"the Renyi divergence of order {order:g} is {found:.4g}, and {allowed:.4g} is allowed"
            return ""
        for epsilon, allowed in tangents(claim):
            if (found := self.delta(epsilon)) > allowed * more:
                return f"delta({epsilon:.4g}) = {found:.4g}, and {allowed:.3g} is allowed"
        return ""


NOTHING = Loss(np.ones(1), np.ones(1))
CERTAIN = Loss(np.array([1.0, 0.0]), np.array([0.0, 1.0]), most=inf)  # one observation tells the datasets apart


def gaussian(moved: float) -> Loss:
    """Gaussian noise of one scale on both datasets, whose centre moves by so many scales in the l2 norm."""
    return replace(NOTHING, mu=moved, most=inf if moved else 0.0)


def finite(P: ArrayLike, Q: ArrayLike) -> Loss:
    """An observation of finitely many values with these chances."""
    p, q = np.asarray(P, float), np.asarray(Q, float)
    seen = np.maximum(p, q) > SURE
    with np.errstate(divide="ignore"):
        most = float(np.abs(np.log(p[seen]) - np.log(q[seen])).max(initial=0.0))
    return Loss(p, q, most=most)


def located(law: str, one: tuple[float, float], other: tuple[float, float], ends: tuple[float, float]) -> Loss:
    """Noise of a law at (centre, scale) on either dataset, and then clipped to `ends`."""
    if one == other:
        return NOTHING
    if law.startswith("discrete"):
        return _lattice(law, one, other, ends)
    if not (one[1] and other[1] and np.isfinite([*one, *other]).all()):
        return CERTAIN  # without noise, or beyond all noise
    sides = [LAWS[law](*side) for side in (one, other)]
    reach = [side.ppf(q) for side in sides for q in (TAIL, 1 - TAIL)]
    # cells as wide as noise needs it near each centre, and the centres themselves, where Laplace's loss has its kinks
    near = [np.linspace(side.ppf(0.01), side.ppf(0.99), CELLS // 4) for side in sides]
    edges = np.unique(np.concatenate([np.linspace(min(reach), max(reach), CELLS // 2), *near, [one[0], other[0]]]))
    bounded = law == "bounded laplace"  # of no chance beyond its ends
    outer = ends if bounded else (-inf, inf)
    edges = np.concatenate([outer[:1], edges[(edges > ends[0]) & (edges < ends[1])], outer[1:]])
    P, Q = (np.maximum(_chances(side, edges), 0) for side in sides)
    found = finite(*(side / side.sum() for side in (P, Q)) if bounded else (P, Q))
    if law == "laplace" and one[1] == other[1]:  # exactly, if one of its two plateaus is in sight
        low, high = sorted([one[0], other[0]])
        seen = (ends[0] <= low or ends[1] >= high) and ends[1] > ends[0]
        return replace(found, most=abs(one[0] - other[0]) / one[1] if seen else found.most)
    if law == "normal":
        return replace(found, most=found.most if np.isfinite(ends).all() else inf)
    return found


def _lattice(law: str, one: tuple[float, float], other: tuple[float, float], ends: tuple[float, float]) -> Loss:
    """Noise on the integers."""
    if not (one[1] and other[1] and (other[0] - one[0]) % 1 == 0):
        return CERTAIN
    reach = TAILS * max(one[1], other[1])
    k = one[0] + np.arange(np.floor(min(0.0, other[0] - one[0]) - reach), max(0.0, other[0] - one[0]) + reach + 1)
    if len(k) > LATTICE:
        return NOTHING
    cells, chances = np.unique(np.clip(k, *ends), return_inverse=True)[1], []
    for centre, scale in (one, other):
        away = np.abs(k - centre) / scale
        weight = np.exp(-away if law == "discrete laplace" else -(away**2) / 2)
        chances.append(np.bincount(cells, weight / weight.sum()))
    return finite(*chances)


def _chances(side: Any, edges: np.ndarray) -> np.ndarray:
    """The chances of cells, from the nearer tail, where they keep their relative accuracy."""
    below, above = side.cdf(edges), side.sf(edges)
    return np.where(below[:-1] < 0.5, np.diff(below), -np.diff(above))


def composed(parts: Iterable[tuple[Loss, int]]) -> Loss:
    """All parts together, each so many times, as one product."""
    found = [_power(part, times) for part, times in parts if times and part is not NOTHING]
    return reduce(_product, found, NOTHING)


def _power(part: Loss, times: int) -> Loss:
    if times == 1:
        return part
    half = _power(part, times // 2)
    squared = _product(half, half)
    return _product(squared, part) if times % 2 else squared


def _product(one: Loss, other: Loss) -> Loss:
    P, Q = (np.outer(a, b).ravel() for a, b in ((one.P, other.P), (one.Q, other.Q)))
    mu = sqrt(one.mu**2 + other.mu**2)
    return Loss(*_merged(P, Q), mu=mu, most=one.most + other.most)


def _merged(P: np.ndarray, Q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """At most about CELLS outcomes: those of nearly equal losses are one, and those of no chance are dropped."""
    if len(P) <= CELLS:
        return P, Q
    alone = (Q < LEAST) & (P > SURE), (P < LEAST) & (Q > SURE)
    both = (P > LEAST) & (Q > LEAST)
    p, q = P[both], Q[both]
    loss = np.log(p) - np.log(q)
    weight = p + q
    mean = float(loss @ weight / weight.sum()) if len(loss) else 0.0
    spread = sqrt(float((loss - mean) ** 2 @ weight / weight.sum())) if len(loss) else 0.0
    reach = 12 * spread or 1.0
    cells = np.clip((loss - mean) / reach, -1, 1)
    _, index = np.unique(np.round(cells * (CELLS // 2)).astype(int), return_inverse=True)
    ends = [[float(side[one].sum()) for one in alone] for side in (P, Q)]
    return tuple(np.concatenate([np.bincount(index, side), end]) for side, end in zip((p, q), ends, strict=True))  # type: ignore[return-value]


def _renyi(P: np.ndarray, Q: np.ndarray, order: float) -> float:
    kept = P > LEAST
    terms = order * np.log(P[kept]) + (1 - order) * np.log(np.maximum(Q[kept], LEAST))
    return float(np.logaddexp.reduce(terms)) / (order - 1) * (1 - ROUNDING)
