"""The rule of an account, and the proof that adaptively chosen releases keep its budget.

A ZCDP budget holds one sum, of rho, and a RenyiDP budget one of epsilon at each of its orders; a release is accepted if
`to_zcdp`, or `to_renyi` at all of these orders, stays within. An ApproxDP budget may be kept so as well ("zcdp"), with
the largest rho that implies it: see "Divergences" below. Any other account holds three sums, E of epsilons, D of deltas
and S of squares mu^2, and a cap for each: (e, d, m^2). A release is accepted if it can be charged within the caps,

    GaussianDP(mu)              as (0, 0, mu^2),
    an (epsilon, delta)-DP one  as (epsilon, delta, 0), or else, with mu of `to_gaussian`, as (0, delta, mu^2),

and the caps are, by the budget and the way in which the account is kept,

    PureDP(epsilon)             "pure"           (epsilon, 0, 0)
    GaussianDP(mu)              "gaussian"       (0, 0, mu^2)
    ApproxDP(epsilon, delta)    "approximate"    (epsilon, delta, 0)
                                "gaussian"       (e, d, m^2) with (e, d) = `reserve` and the largest m that has
                                                 delta(epsilon - e; m) <= delta - d on its curve (`gaussian_delta`)
                                "mixed"          as "approximate" until the first GaussianDP, then once and for all
                                                 as "gaussian", with (e, d) = max(`reserve`, (E, D) by then).

Without a reserve a "mixed" account, the default, gives all that is left to the Gaussian way as soon as a Gaussian
release is made; pure releases are charged as Gaussians from then on. To take the better of two ways *after the fact*
is wrong: who chooses the second release by the outcome of the first then spends up to 1.96 times delta.

Why it is a filter
------------------
Let P and Q be the laws of all that is seen under two neighbours, whatever rule chooses the next release. For a test
of chance b under Q, let p(b) be the largest chance under P. Write G_m(a) = Phi(Phi^-1(a) + m), which is concave. By
induction from the last of finitely many releases to the first, from any state of the account,

    p(b) <= C(b) = min(1, d - D + G_r(min(1, e^(e - E) b))),    r^2 = m^2 - S,                     (1)

once the caps are final, and p(b) <= min(1, delta - D + e^(epsilon - E) b) before. After the last release p(b) = b.
Otherwise b(x) is the test's chance after outcome x of the next release; its mean under Q is b, and p(b) is at most
the mean under P of C(b(x)), with the C of the state after the charge.

- Charged (epsilon', delta', 0): P <= e^epsilon' Q but for a mass delta' of P, which adds delta' at most. On the
  rest, a mass of at most 1, Jensen's inequality puts the mean inside the concave G_r (G_r(0) = 0 takes up what is
  missing of the mass), and the mean of min(1, c b(x)) is at most min(1, e^epsilon' c b). That is the C before the
  charge. Before the caps are final c b stands for G_r, which is concave too.
- Charged (0, 0, mu^2): the release is a function of one draw of N(0, 1) under Q, of N(mu, 1) under P (Blackwell; Dong,
  Roth & Su 2022). With a(x) = min(1, c b(x)) the mean of G_s(a(x)) under P is at most the power, at level
  min(1, c b), of two independent Gaussian pairs at mu and s, which is G_r with r^2 = mu^2 + s^2.
- Charged (0, delta', mu^2): the release is a function of one that tells all with chance delta', and otherwise is
  epsilon'-DP, so mu-GDP (Kairouz, Oh & Viswanath 2015). The chance adds delta', and
  (1 - delta') G(a / (1 - delta')) <= G(a) by concavity.
- The caps become final: delta(epsilon - e; m) <= delta - d says G_m(a) <= delta - d + e^(epsilon - e) a for all a,
  so that (1) is at most what was allowed before.

A release may be drawn later than it is charged, after others that were charged later: take E, D and S in C as the sums
of what has been drawn, which are no larger. What is not covered are mechanisms that answer several times themselves,
between the answers of others.

Divergences
-----------
Fix an order a and a rule that chooses releases, all charged within a budget R at this order. By induction from the last
release to the first, the mean of (dP / dQ)^a under Q, over all that is still to come, is at most e^{(a - 1) (R - S)}
from any state with S spent: the mean over the next release's outcomes of its own ratio to the power a is at most
e^{(a - 1) epsilon'}, and what comes after any of them at most e^{(a - 1) (R - S - epsilon')}. So D_a(P || Q) <= R at
every order that the budget caps (Feldman & Zrnic 2021), and for rho, which caps a rho at all orders, P and Q are
rho-zCDP apart (Rogers, Roth, Ullman & Vadhan 2016 for a bound fixed at the start, as here). It is *not* enough that one
order stays within its cap if which one is known only afterwards.

A plan
------
Way "losses" of an ApproxDP budget has no sums. A plan of guarantees is announced when the account is opened; it is
accepted if the composition of all of them by their privacy losses (`lemmata.mechanisms.privacy.losses`) keeps the
budget. A release is accepted if its guarantee is one of those that are left. Which one, and whether there is a release
at all, may depend on all outcomes before. Let (P_g, Q_g) dominate g, and let C_M(b) be the largest chance, under the
product of the P_g, g in M, of a test of chance b under that of the Q_g. By induction p(b) <= C_M(b) where M is left: if
no release follows, p(b) = b. If the next one is of g, p(b) is at most the mean under P of C_{M - g}(b(x)), x its
outcome. A pair that dominates the release has no smaller a mean, and there it is the power of a test of chance b of the
whole product, which does not depend on an order. What is *not* proved is that guarantees may be chosen as one goes: the
attack of `lemmata.experiments.wzw25.gaussian_privacy_proof` on that rule spends more than twice delta.

Parts of the records
--------------------
A public key splits the records into disjoint parts, these into parts again, and there may be several keys. Neighbours
have equal keys: a record that is there or not has one, features are public where a label changes, and for "replace" an
account says that it holds for equal keys only. Then a release of a part without the record has one law under both, and
the mean of C(b(x)) under P = Q is at most C(b), as C is concave; means of (dP / dQ)^a do not change. Everything above
holds with the sums of those releases that see the record, in whatever order the parts are asked and whatever earlier
answers chose. A tree of parts keeps these sums within the caps for every record that there may be: a part costs its own
releases and, for each key, its largest part. Caps that become final by the release of another part only lower C.

A user with k records may have k_i of them in part i. A part is charged c_k, as if it had all. Of each sum
c_{k_i} <= (k_i / k) c_k, so that together the parts tell no more than the largest: this is plain of k epsilon, k^2 rho,
(k mu)^2 and delta (e^{k epsilon} - 1) / (e^epsilon - 1). Of mu^2 of a pure release, let z = mu / 2, epsilon = g(z) =
log(Phi(z) / Phi(-z)) and h(z) = phi(z) / Phi(-z). The slope of log g' is h(z) - z - phi(z) / Phi(z), at most 1 / z, as
h(z) <= (z + sqrt(z^2 + 4)) / 2. So z g'' <= g' and, integrated, z g' <= 2 g: g / z^2 falls, and mu^2 grows at least as
epsilon does.
Charges of RenyiDP budgets do not grow so, and have no parts for users.

At the start (1) says p(b) <= delta + e^epsilon b for ApproxDP, and likewise G_mu(b) for GaussianDP and e^epsilon b
for PureDP; P and Q change places freely. That sums of epsilon and delta are filters is known (Rogers, Roth, Ullman &
Vadhan 2016; Whitehouse, Ramdas, Rogers & Wu 2023), and that sums of mu^2 are (Smith & Thakurta 2022); both in one
account, and the switch, are ours. tests/mechanisms/privacy/test_account_audit.py plays the best adaptive choice of
releases against this rule, and against the one that was wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import zip_longest
from math import inf, nextafter
from operator import add
from typing import Any, NamedTuple

from lemmata.mechanisms.numerics.arithmetic import round_down
from lemmata.mechanisms.privacy.conversions import to_gaussian, to_renyi, to_zcdp
from lemmata.mechanisms.privacy.divergences import largest_rho
from lemmata.mechanisms.privacy.gaussian_curve import gaussian_mu
from lemmata.mechanisms.privacy.guarantees import (
    LARGEST,
    ZCDP,
    ApproxDP,
    GaussianDP,
    Guarantee,
    PureDP,
    RenyiDP,
    check_guarantee,
)

WAYS: dict[type, tuple[str, ...]] = {  # default first
    PureDP: ("pure",),
    GaussianDP: ("gaussian",),
    ApproxDP: ("mixed", "approximate", "gaussian", "zcdp", "losses"),
    ZCDP: ("zcdp",),
    RenyiDP: ("renyi",),
}


FIXED = ("order", "neighbours", "parts", "directions")  # parts of a guarantee that are no limits


class Charge(NamedTuple):
    """What one release is charged: to the sum of epsilons, to the sum of deltas, and (squared) to that of mu^2; or else
    to the sum of rho, or to the sums of divergences at each order."""

    epsilon: float = 0.0
    delta: float = 0.0
    mu: float = 0.0
    divergences: Sequence[float] = ()


class Amounts(NamedTuple):
    """The sums of an account, or their limits; exact."""

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    square: Fraction = Fraction(0)
    divergences: tuple[Fraction, ...] = ()

    def plus(self, charge: Charge) -> Amounts:
        epsilon, delta, mu, divergences = charge
        before = self.divergences or (Fraction(0),) * len(divergences)
        return Amounts(  # most charges are to one sum, and a Fraction's addition of 0 costs as much as any
            self.epsilon + Fraction(epsilon) if epsilon else self.epsilon,
            self.delta + Fraction(delta) if delta else self.delta,
            self.square + Fraction(mu) ** 2 if mu else self.square,
            tuple(sum + Fraction(part) for sum, part in zip(before, divergences, strict=True))
            if divergences
            else before,
        )

    def joined(self, other: Amounts, operation: Callable[[Any, Any], Any] = add) -> Amounts:
        """Return the sum of both, or the larger in each place with `max`."""
        divergences = zip_longest(self.divergences, other.divergences, fillvalue=Fraction(0))
        epsilon, delta, square = map(operation, self[:3], other[:3])
        return Amounts(epsilon, delta, square, tuple(operation(*pair) for pair in divergences))

    def within(self, caps: Amounts) -> bool:
        three = self.epsilon <= caps.epsilon and self.delta <= caps.delta and self.square <= caps.square
        if not self.divergences:
            return three
        kept = len(self.divergences) == len(caps.divergences)
        return three and kept and all(sum <= cap for sum, cap in zip(self.divergences, caps.divergences, strict=True))

    def open_to(self, charge: Charge) -> bool:
        """Return whether the limits allow any charge of this kind."""
        three = all(cap > 0 or not part for cap, part in zip(self[:3], charge[:3], strict=True))
        return three and (not charge.divergences or len(charge.divergences) == len(self.divergences))


def as_budget(privacy: Guarantee, slack: int = 0) -> Guarantee:
    """Return the limits of `privacy` as a budget.

    A number that was rounded up to a float is the float below instead. Then each limit is raised by `slack` floats.

    >>> third = PureDP(Fraction(1, 3))
    >>> as_budget(third).epsilon < Fraction(1, 3) < third.epsilon, as_budget(PureDP(0.25))
    (True, PureDP(epsilon=0.25, neighbours='replace'))
    """
    check_guarantee("privacy", privacy)
    limits = {name: _raised(name, value, slack) for name, value in vars(privacy).items() if name not in FIXED}
    return replace(privacy, **limits)


def _raised(name: str, value: Any, slack: int) -> Any:
    if isinstance(value, tuple):
        return tuple(_raised(name, one, slack) for one in value)
    limit = float(getattr(value, "below", value))
    for _ in range(slack if limit > 0 else 0):
        limit = min(nextafter(limit, inf), 1.0 if name == "delta" else LARGEST)
    return limit


def first_caps(budget: Guarantee, way: str = "") -> Amounts:
    """Return the caps before a switch to the Gaussian way.

    The budget in its own terms, or as the rho of the "zcdp" way.
    """
    if isinstance(budget, GaussianDP):
        return Amounts(square=Fraction(budget.mu) ** 2)
    if isinstance(budget, RenyiDP):
        return Amounts(divergences=tuple(Fraction(epsilon) for _, epsilon in budget.points))
    if isinstance(budget, ZCDP):
        return Amounts(divergences=(Fraction(budget.rho),))
    if not isinstance(budget, PureDP | ApproxDP):
        raise ValueError(f"budget must have a kind with accounts, got {type(budget).__name__}; use to_approx first")
    if way == "losses":
        return Amounts()
    if way == "zcdp":
        return Amounts(divergences=(Fraction(largest_rho(budget.epsilon, budget.delta)),))
    return Amounts(Fraction(budget.epsilon), Fraction(budget.delta))


def final_caps(sums: Amounts, reserve: ApproxDP, m: float) -> Amounts:
    """Return the caps (e, d, m^2) after a switch at `sums`."""
    e, d = max(sums.epsilon, Fraction(reserve.epsilon)), max(sums.delta, Fraction(reserve.delta))
    return Amounts(e, d, Fraction(m) ** 2)


def largest_m(budget: ApproxDP, sums: Amounts, reserve: ApproxDP) -> float:
    """Return the largest m with delta(epsilon - e; m) <= delta - d, after a switch at `sums`; rounded down."""
    e, d, *_ = final_caps(sums, reserve, 0.0)
    m = gaussian_mu(round_down(Fraction(budget.epsilon) - e), round_down(Fraction(budget.delta) - d))
    return min(m, LARGEST)  # infinite where delta - d = 1, which promises nothing


def charges(guarantee: Guarantee, budget: Guarantee, way: str) -> Iterator[Charge]:
    """Return how a release may be charged to an account of `budget` kept in this `way`, in the order of trying."""
    if way in ("zcdp", "renyi"):
        yield from _divergences(guarantee, budget)
        return
    if isinstance(guarantee, GaussianDP):
        yield Charge(mu=guarantee.mu)
        return
    if not isinstance(guarantee, PureDP | ApproxDP):  # to_approx, at a delta of one's choice
        return
    yield Charge(guarantee.epsilon, guarantee.delta)
    if guarantee.epsilon > 0:
        yield Charge(delta=guarantee.delta, mu=_mu(guarantee.epsilon))


def _divergences(guarantee: Guarantee, budget: Guarantee) -> Iterator[Charge]:
    """The rho of a release, or its divergences at the orders of the budget; nothing if it has none."""
    try:
        if not isinstance(budget, RenyiDP):
            yield Charge(divergences=(to_zcdp(guarantee).rho,))
            return
        implied = to_renyi(guarantee, [order for order, _ in budget.points])
    except ValueError:
        return
    yield Charge(divergences=tuple(epsilon for _, epsilon in implied.points))


@lru_cache(maxsize=1024)
def _mu(epsilon: float) -> float:
    return to_gaussian(PureDP(epsilon)).mu
