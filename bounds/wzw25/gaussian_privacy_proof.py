"""Remark 2.3 of Wang, Zhu & Wang (2025) where releases are chosen one after the other: what an account promises.

The remark composes mechanisms whose mu_i are fixed in advance. Here a release, its guarantee and whether there is one
at all may depend on all outcomes before, under caps that are kept: a privacy filter (Rogers, Roth, Ullman & Vadhan
2016; Smith & Thakurta 2022 for sums of mu^2; Whitehouse, Ramdas, Rogers & Wu 2023). Each statement is a way in which
`lemmata.mechanisms.accountant` keeps an account, and gives its curve: the largest P(A) - e^t Q(A) over events A and
over ways to choose, P and Q the laws of all that is seen under two neighbours.

The induction that all of them share is in `gaussian_account`. Written for the largest chance p(b) under P of a test of
chance b under Q; the curve is the largest p(b) - e^t b.
"""

from __future__ import annotations

from math import expm1

import numpy as np

from lemmata.bounds.exact.privacy_curves import log_gaussian_delta
from lemmata.bounds.theorem import at_least, in_unit_interval, positive, require
from lemmata.bounds.wzw25.gaussian_privacy import composed_gdp

LEVEL = at_least("t", 0)
CHOSEN = r"\mathrm{releases\ chosen\ by\ the\ outcomes\ before}:\quad "
RESERVE = [at_least("epsilon", 0), require("0 <= delta < 1", lambda delta: 0 <= delta < 1)]


@composed_gdp.explicit(
    part="account-pure",
    kind="privacy",
    says=CHOSEN + r"\sum_i\varepsilon_i\le\varepsilon\ \Rightarrow\ H_{e^t}(P\,\|\,Q)\le(1-e^{t-\varepsilon})_+",
    needs=[LEVEL, positive("epsilon")],
    source="for accounts kept as pure; Rogers, Roth, Ullman & Vadhan 2016",
)
def pure_account(*, t: float, epsilon: float) -> float:
    """The curve of an account of pure releases whose epsilons add up to at most a cap: that of one release at the cap.

    Derivation. Part account-gaussian with the caps (epsilon, 0, 0): p(b) <= min(1, e^epsilon b), whose curve it is.

    >>> round(pure_account(t=0.5, epsilon=1.0), 4)
    0.3935
    """
    return max(0.0, -expm1(t - epsilon))


@composed_gdp.explicit(
    part="account-approximate",
    kind="privacy",
    says=CHOSEN + r"\sum_i\varepsilon_i\le\varepsilon,\ \sum_i\delta_i\le\delta\ \Rightarrow\ "
    r"H_{e^t}(P\,\|\,Q)\le\delta+(1-\delta)(1-e^{t-\varepsilon})_+",
    needs=[LEVEL, positive("epsilon"), in_unit_interval("delta")],
    source="for accounts kept as approximate; Rogers, Roth, Ullman & Vadhan 2016",
)
def approximate_account(*, t: float, epsilon: float, delta: float) -> float:
    """The curve of an account whose epsilons and deltas add up to at most their caps: that of one release at the caps.

    Derivation. Part account-gaussian with the caps (epsilon, delta, 0): p(b) <= min(1, delta + e^epsilon b).

    >>> round(approximate_account(t=0.5, epsilon=1.0, delta=0.1), 4)
    0.4541
    """
    return delta + (1 - delta) * max(0.0, -expm1(t - epsilon))


@composed_gdp.explicit(
    part="account-gaussian",
    kind="privacy",
    says=CHOSEN + r"\sum_i\mu_i^2\le\mu^2,\ \sum_i\varepsilon_i\le\varepsilon,\ \sum_i\delta_i\le\delta\ \Rightarrow\ "
    r"H_{e^t}(P\,\|\,Q)\le\delta+\delta(t-\varepsilon;\mu)",
    needs=[LEVEL, positive("mu"), *RESERVE],
    source="for accounts kept as Gaussian, with a reserve (epsilon, delta); Smith & Thakurta 2022 without one",
)
def gaussian_account(*, t: float, mu: float, epsilon: float = 0.0, delta: float = 0.0) -> float:
    """The curve of an account with three caps, each release charged to some of the sums E, D and S (of mu^2).

    A mu_i-GDP release is charged (0, 0, mu_i^2), an (epsilon_i, delta_i)-DP one (epsilon_i, delta_i, 0) or (0, delta_i,
    mu_i^2) with the mu_i that epsilon_i implies.
    Derivation. Let G_m(a) = Phi(Phi^-1(a) + m), which is concave. By induction from the last of finitely many releases
    to the first, from any state of the account,

        p(b) <= C(b) = min(1, delta - D + G_r(min(1, e^(epsilon - E) b))),    r^2 = mu^2 - S.

    After the last release p(b) = b. Otherwise b(x) is the test's chance after outcome x of the next release; its mean
    under Q is b, and p(b) is at most the mean under P of C(b(x)), with the C of the state after the charge.
    (1) Charged (epsilon_i, delta_i, 0): P <= e^epsilon_i Q but for a mass delta_i of P, which adds delta_i at most. On
    the rest, a mass of at most 1, Jensen's inequality puts the mean inside the concave G_r (G_r(0) = 0 takes up what is
    missing of the mass), and the mean of min(1, c b(x)) is at most min(1, e^epsilon_i c b): the C before the charge.
    (2) Charged (0, 0, mu_i^2): the release is a function of one draw of N(0, 1) under Q, of N(mu_i, 1) under P
    (Blackwell). With a(x) = min(1, c b(x)) the mean of G_s(a(x)) under P is at most the power, at level min(1, c b), of
    two independent Gaussian pairs at mu_i and s, which is G_r with r^2 = mu_i^2 + s^2.
    (3) Charged (0, delta_i, mu_i^2): the release is a function of one that tells all with chance delta_i, and otherwise
    is epsilon_i-DP, so mu_i-GDP (Kairouz, Oh & Viswanath 2015). The chance adds delta_i, and (1 - delta_i) G(a / (1 -
    delta_i)) <= G(a) by concavity.
    At the start E = D = S = 0, and the largest C(b) - e^t b is at most delta + delta(t - epsilon; mu).

    >>> round(gaussian_account(t=1.0, mu=0.26805) * 1e5, 2)
    1.0
    """
    return delta + float(np.exp(log_gaussian_delta(t - epsilon, mu)))


@composed_gdp.explicit(
    part="account-mixed",
    kind="privacy",
    says=CHOSEN + r"\mathrm{first\ as\ approximate},\ \mathrm{from\ sums}\ (E,D)\ \mathrm{on\ as\ Gaussian\ with}\ "
    r"\delta(\varepsilon-E;m)\le\delta-D\ \Rightarrow\ H_{e^\varepsilon}(P\,\|\,Q)\le\delta",
    needs=[positive("epsilon"), in_unit_interval("delta")],
    source="for accounts that switch once, at the first Gaussian release",
)
def mixed_account(*, epsilon: float, delta: float) -> float:
    """What an account may spend at epsilon that is kept as approximate until its first Gaussian release: delta.

    Derivation. Before the switch p(b) <= min(1, delta - D + e^(epsilon - E) b) is shown as in part account-gaussian,
    step (1), with c b in place of G_r, which is concave too. At the switch delta(epsilon - E; m) <= delta - D says
    G_m(a) <= delta - D + e^(epsilon - E) a for all a, so the C of part account-gaussian at the caps (E, D, m^2) is at
    most what was allowed before. The switch may come when the outcomes say so, once, and is never taken back: who takes
    the better of both ways after the fact spends more than twice delta.

    >>> mixed_account(epsilon=1.0, delta=1e-6)
    1e-06
    """
    return delta
