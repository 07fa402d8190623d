"""Bets against a bound on Rényi divergences itself, not only against the events that it implies.

Let P and Q be the laws of a release on the two datasets and r = dP / dQ. For every order a > 1 and every h >= 0, a
function of a release, Young's inequality says a r h^{a-1} <= r^a + (a - 1) h^a. Its mean under Q says that D_a(P || Q)
<= gamma, or E_Q r^a <= c = e^{(a - 1) gamma}, implies a E_P h^{a-1} - (a - 1) E_Q h^a <= c. In other words, with

    X = a (h^{a-1} - 1) / (a - 1) on a release from P,    X = 1 - h^a on one from Q,

    E_P X + E_Q X <= (c - 1) / (a - 1) = B.                                                                      (1)

Where D_a(P || Q) = gamma, h = r attains it, whatever P and Q are. This is the variational formula of f-divergences
(Nguyen, Wainwright & Jordan 2010) for r^a. An h of two values is a bet on one event; with more values it sees what no
event shows at any (epsilon, delta).

Here h takes one value in each of at most 12 bins of a learnt score; its values and the score are learnt from past
releases alone. So X has a least value `low` that is known beforehand, and whoever stakes a share s < 1 of the largest
possible stake, 1 / (B / 2 - low), multiplies a capital by 1 + stake (X - B / 2) >= 0 at each release. A chunk has as
many releases from either dataset: by (1) the two mean factors have a sum of at most 2, so a product of at most 1, and
so have their powers. The capital is a supermartingale under the claim, at every order, in either direction (P and Q
change places), with any h; so is an average over all of these, and one in shares that only the past decides. ZCDP
claims all orders a > 1: those that are tried are paid for by the average.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from lemmata.mechanisms.audit.evidence.outcomes import Outcomes, part
from lemmata.mechanisms.audit.evidence.rules import FEW, tidy
from lemmata.mechanisms.audit.evidence.stakes import logsumexp
from lemmata.mechanisms.privacy import ZCDP, RenyiDP, group

ORDERS = (1.02, 1.1, 1.3, 1.7, 2.5, 4.0, 8.0, 16.0)  # of a ZCDP claim
MOST = 8  # orders of a RenyiDP claim
POWERS = (1.0, 0.5)  # of the learnt ratio
STAKES = np.array([0.03, 0.1, 0.3, 0.6, 0.95])  # of the largest possible
FACTORS = np.array([0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.5, 2.5, 4.0])  # of the claim
CLAIMED = int(np.flatnonzero(FACTORS == 1)[0])
CUTS = (0.005, 0.02, 0.06, 0.15, 0.3, 0.5, 0.7, 0.85, 0.94, 0.98, 0.995)  # quantiles of the score between bins
UNSEEN = 1.0  # releases from either dataset in every bin beside those seen
SPARE = 0.1  # of the capital is divided equally, the rest as the past suggests
LARGEST = 60.0  # log of c, or of h^a: what lies beyond is not tried


@dataclass(frozen=True)
class Binned:
    """A learned score, the edges of its bins, the log of h in each, and the gain of every bet where h was chosen."""

    score: Callable
    edges: np.ndarray
    log_h: np.ndarray
    growth: np.ndarray

    def counts(self, data: Outcomes, truth: np.ndarray) -> np.ndarray:
        """The number of releases of either dataset in each bin, shape (2, bins)."""
        return counted(tidy(self.score(data)), truth, self.edges)


class DivergenceBets:
    """The capital of all attackers against a ZCDP or RenyiDP claim, and against multiples of it by `FACTORS`.

    `capital` has shape (attackers, directions, orders, powers, factors, stakes), in logarithms.
    """

    def __init__(self, claim: ZCDP | RenyiDP, attackers: int, records: int = 1) -> None:
        if isinstance(claim, ZCDP):
            rho = group(claim, records).rho
            points = [(order, order * rho) for order in ORDERS]
        else:
            claim = group(claim, records)
            chosen = np.unique(np.linspace(0, len(claim.points) - 1, MOST).round().astype(int))
            points = [claim.points[k] for k in chosen]
        self.orders = np.array([order for order, _ in points])
        epsilons = np.array([epsilon for _, epsilon in points])
        logs = np.outer((self.orders - 1) * epsilons, FACTORS)
        self.bounds = np.expm1(np.minimum(logs, LARGEST)) / (self.orders - 1)[:, None] / 2 * (1 + 1e-12)
        self.open = logs < LARGEST  # not too large to be tried
        self.capital = np.zeros((attackers, 2, len(points), len(POWERS), len(FACTORS), len(STAKES)))
        self.rules: list[Binned | None] = [None] * attackers
        self.won = 0.0

    def gained(self, log_h: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """The log of the factor that each bet gains on these counts in each bin."""
        a = self.orders[:, None, None]
        found = []
        for sign, side in ((1, 0), (-1, 1)):  # h for P against Q; 1 / h for Q against P
            scaled = np.clip(sign * np.multiply.outer(POWERS, log_h), -LARGEST / a, LARGEST / a)
            first, second = a / (a - 1) * np.expm1((a - 1) * scaled), -np.expm1(a * scaled)
            X = np.stack([first, second] if side == 0 else [second, first], axis=2)  # (orders, powers, 2, bins)
            low = np.minimum(X.min(axis=(2, 3)), 0)
            bound = self.bounds[:, None, :]
            stake = STAKES / (bound - low[:, :, None])[..., None]
            gain = X[:, :, None, None] - bound[..., None, None, None]
            found.append((np.log1p(stake[..., None, None] * gain) * counts).sum(axis=(-2, -1)))
        return np.where(self.open[None, :, None, :, None], np.array(found), 0.0)

    def learn(self, place: int, learn: Callable, data: Outcomes, truth: np.ndarray) -> None:
        """Learn another rule of the attacker at `place`, from past releases in random order."""
        held = binned_scores(learn, data, truth)
        if held is None:
            self.rules[place] = None
            return
        score, scores, was = held
        edges = np.unique(np.quantile(scores, CUTS, method="higher"))
        counts = counted(scores, was, edges)
        log_h = np.log((counts[0] + UNSEEN) / (counts[1] + UNSEEN))
        self.rules[place] = Binned(score, edges, log_h, self.gained(log_h, counts)[..., CLAIMED, :])

    def judge(self, fresh: Outcomes, truth: np.ndarray) -> None:
        """Bet on one chunk with the rules learned before."""
        gains = np.zeros(self.capital.shape)
        standing = np.full((len(self.rules), *gains[0][..., CLAIMED, :].shape), -np.inf)
        for place, rule in enumerate(self.rules):
            if rule is not None:
                gains[place] = self.gained(rule.log_h, rule.counts(fresh, truth))
                standing[place] = rule.growth
        self.capital += gains
        shares = np.append(standing.ravel() - log(standing.size), 0.0)  # or no bet at all
        shares -= logsumexp(shares)
        self.won += float(logsumexp(shares + np.append(gains[..., CLAIMED, :].ravel(), 0.0)))

    def log_e(self) -> float:
        """The log of the evidence against the claim."""
        return float(np.logaddexp(self.averaged()[CLAIMED] + log(SPARE), self.won + log(1 - SPARE)))

    def averaged(self) -> np.ndarray:
        """The log of the evidence against the claim times each factor, for equally divided capital."""
        each = np.moveaxis(self.capital, -2, 0).reshape(len(FACTORS), -1)
        return np.asarray(logsumexp(each, axis=1) - log(each.shape[1]))

    def against(self, factor: float) -> float:
        """The log of the evidence against the claim times `factor`, which implies the next factor tried."""
        place = int(np.searchsorted(FACTORS, factor * (1 - 1e-12)))
        return float(self.averaged()[place]) if place < len(FACTORS) else 0.0


def counted(scores: np.ndarray, truth: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The number of releases of either dataset in each bin, shape (2, bins)."""
    bins = np.searchsorted(edges, scores, side="right")
    return np.stack([np.bincount(bins[truth == side], minlength=len(edges) + 1) for side in (1, -1)])


def binned_scores(learn: Callable, data: Outcomes, truth: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray] | None:
    """A score, and its values on releases from which it was not learned, with their datasets.

    Few releases are used twice, each half learning the other's scores, and the score itself learns from all.
    """
    few = len(truth) <= FEW
    scores, was, score = [], [], None
    for fold in (0, 1)[: 1 + few]:
        held = np.arange(len(truth)) % 2 == fold
        score = learn(part(data, ~held), truth[~held]) if len(set(truth[~held].tolist())) == 2 else None
        if score is None:
            return None
        scores.append(tidy(score(part(data, held))))
        was.append(truth[held])
    score = learn(data, truth) if few else score
    return None if score is None else (score, np.concatenate(scores), np.concatenate(was))
