"""Is an account of private tuning valid: is the best of K runs (epsilon, delta)-DP?

A run that releases only a Gaussian score is mu-GDP, and the privacy curve of the best of K such runs is known exactly,
so no valid account states a smaller epsilon. Conversely, the links of the account's derivation extend it to every
mu-GDP run; random orders of finite Gaussian pairs search for a run that spends more.
"""

import functools
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from flint import ctx
from scipy.special import ndtr, ndtri

from lemmata.bounds.exact.balls import exact, upper_end
from lemmata.bounds.exact.best_of_runs import best_score_delta, best_score_delta_by_quadrature
from lemmata.bounds.exact.privacy_curves import closed_form
from lemmata.bounds.exact.tnb import mean
from lemmata.bounds.exact.tuning_curves import best_at_most, sharp_growth
from lemmata.bounds.theorem import Statement
from lemmata.bounds.wzw25 import best_of_runs as bound
from lemmata.experiments.checks.gaussian_pairs import binned_gaussians
from lemmata.experiments.checks.inequality import Cases
from lemmata.experiments.engine.claims.verdict import inconclusive

BITS = 192
FINE = 1300  # bits of the links, which add delta = 1e-300 to terms of the size of mu = 1e-8
ORDERS = 40


@dataclass(frozen=True)
class Runs:
    """K ~ TNB(eta, r) runs that are mu-GDP each; the best of them is to be (epsilon, delta)-DP."""

    mu: float
    r: float
    delta: float
    eta: float = 1.0


def account_cases(runs: Runs, promised: float, links: Iterable[tuple[Any, str]], note: str = "") -> Cases:
    """Cases of an inequality claim: the delta that Gaussian scores spend at epsilon = `promised`, in both orders.

    Then the other orders, and `links`: pairs (does the link hold, what is wrong if not), computed with `FINE` bits.
    """
    spent = []
    for shift in (runs.mu, -runs.mu):
        spent.append(best_score_delta(runs.eta, runs.r, shift, promised))
        if spent[-1] > exact(runs.delta):
            again = best_score_delta_by_quadrature(runs.eta, runs.r, shift, promised)
            if not again.overlaps(spent[-1]):
                return inconclusive("FAILED", "the divergence by distribution functions and by quadrature differ")
        yield asdict(runs) | {"shift": shift, "promised": promised}, spent[-1], runs.delta
    beyond = worst_order(runs, promised) if runs.delta > 1e-12 else 0.0  # floats have no power below
    if beyond > 1 + 1e-9:
        return inconclusive("FAILED", f"some order of outputs spends {beyond:.4g} of delta")
    with ctx.workprec(FINE):
        if broken := next((wrong for holds, wrong in links if not holds), ""):
            return inconclusive("FAILED", broken)
    truth = bound.score_only_epsilon(**asdict(runs))
    return {
        "tightness": (truth / promised, 1.0),
        "note": f"{note}; exact ε of Gaussian scores {truth:.4g} of {promised:.4g}; δ spent "
        f"{max(map(upper_end, spent)):.2g}, {ORDERS} other orders at most {beyond * runs.delta:.2g}",
        "series": three_accounts(runs.mu, runs.delta, runs.eta),
    }


@functools.cache
def profile_to_printed(mu: float, r: float, delta: float, factor: float) -> list[tuple[Any, str]]:
    """Lemma K.1 from the profile bound at e = mu^2/2 + mu t, in balls: each link and what is wrong if it breaks."""
    where = f" at mu = {mu}, r = {r}, delta = {delta}"
    m, p, d = exact(mu), exact(r), exact(delta)
    e = m * m / 2 + m * bound.tail_at(r=p, delta=d)
    spent = closed_form(e, m)  # Lemma E.1, half of r delta
    grown = e + (1 + (-e).exp() * (1 - p) / p * spent).log()  # log(exp(e) + (1 - r)/r delta_M(e))
    return [
        (spent < p * d * 0.5000001, f"delta_M(e) exceeds r delta / 2{where}"),
        (
            bound.selection_epsilon.theorem.formula(mu=m, r=p, delta=d) / exact(factor) > e + 2 * grown,
            f"the profile bound exceeds Equation 23{where}",
        ),
    ]


def largest_tail_ratio(mu: float, r: float) -> float:
    """The largest (r + (1-r) g(x)) / (r + (1-r) x) on a grid, g(x) = Phi(Phi^-1(x) + mu), in floats.

    g(x) is the most that 1 - q' can be at x = 1 - q.
    """
    x = np.concatenate([np.geomspace(1e-300, 0.5, 400), 1 - np.geomspace(1e-16, 0.5, 200)])
    return ((r + (1 - r) * ndtr(ndtri(x) + mu)) / (r + (1 - r) * x)).max()


def profile_account(
    statement: Statement[..., float], mu: float, r: float, delta: float, eta: float, factor: float
) -> Cases:
    """Profile bounds: E K delta_M(epsilon_1) <= delta and the ratio of tails, for the numbers the float code used."""
    promised = statement(mu=mu, r=r, delta=delta, eta=eta) / factor
    first, growth = bound.first_epsilon(mu, r, delta, eta), sharp_growth(mu, r)

    def links() -> Iterator[tuple[Any, str]]:
        slack, e = exact(1 + 1e-9), exact(growth)
        condition = (1 - exact(r)) * closed_form(e, mu) <= exact(r) * e.expm1() * slack
        yield condition, "(1 - r) delta_M(e^) exceeds r (exp(e^) - 1)"
        yield mean(eta, r) * closed_form(first, mu) <= exact(delta) * slack, "E K delta_M(epsilon_1) exceeds delta"
        whole = first + (eta + 1) * growth
        yield promised >= whole * (1 - 1e-12), "the promise is below epsilon_1 + (eta + 1) e^"
        ratio = np.log(largest_tail_ratio(mu, r))
        yield ratio <= growth * (1 + 1e-9) + 1e-12, "the ratio of tails exceeds exp(e^)"

    return account_cases(Runs(mu, r, delta, eta), promised, links(), f"η = {eta:g}")


def worst_order(runs: Runs, epsilon: float) -> float:
    """The largest delta / delta allowed over finite mu-GDP runs with arbitrary orders of their outputs, in floats.

    Of a run with probabilities p in order of preference the best of K has the cumulative law `best_at_most`.
    """
    rng = np.random.default_rng(7)
    largest = 0.0
    for trial in range(ORDERS):
        bins = int(rng.integers(2, 12))
        pair = binned_gaussians(rng, runs.mu, bins)
        order = rng.permutation(bins) if trial % 2 else np.arange(bins)[:: 1 if trial % 4 else -1]
        cumulative = [np.concatenate([[0.0], np.minimum(np.cumsum(p[order]), 1.0)]) for p in pair]
        a, b = (np.diff(best_at_most(runs.eta, runs.r, c)) for c in cumulative)
        largest = max(largest, float(np.maximum(a - np.exp(epsilon) * b, 0).sum()) / runs.delta)
    return largest


@functools.cache
def three_accounts(mu: float, delta: float, eta: float) -> dict[str, list[float]]:
    """epsilon of the best of K runs along r by every account, at one mu and delta."""
    rs = [10.0**-k for k in (0.3, 1, 2, 3, 4.5, 6)]
    runs = [{"mu": mu, "r": r, "delta": delta} for r in rs]
    rows = {"r": rs}
    if eta == 1:
        t = [bound.tail_at(r=r, delta=delta) for r in rs]
        rows["bound"] = [bound.epsilon_at(mu, x, delta) for x in t]
        rows["Corollary K.2"] = [bound.epsilon_simple_at(mu, x, delta) for x in t]
    rows["profile bound"] = [bound.profile_epsilon(**k, eta=eta) for k in runs]
    rows["sharp profile bound"] = [bound.sharp_epsilon(**k, eta=eta) for k in runs]
    rows["exact"] = [bound.score_only_epsilon(**k, eta=eta) for k in runs]
    return rows


@functools.cache
def rare_outputs_inserted(runs: Runs, epsilon: float) -> float:
    """delta of the best of K runs that release a finely binned Gaussian, in a nearly worst order of outputs; floats.

    The likeliest under the neighbour come first, up to a mass a; then the rare ones for which the gain is paid; then
    the rest. Any order is a lower bound of what mu-GDP runs can spend. The largest over a and over what counts as rare.
    """
    edges = np.concatenate([[-np.inf], np.linspace(-12 - 2 * runs.mu, 9, 6001), [np.inf]])
    pair = [np.where(e[1:] > 0, -np.diff(ndtr(-e)), np.diff(ndtr(e))) for e in (edges, edges - runs.mu)]
    bins = np.arange(len(pair[0]))[::-1]  # from the largest likelihood ratio on
    largest = 0.0
    for level in runs.r * np.geomspace(0.05, 60, 40):
        ahead = np.searchsorted(np.cumsum(pair[0][bins]), level)
        if level >= 1 or ahead >= len(bins) - 2:
            break
        taken = ndtri(np.clip(runs.delta * runs.r * np.geomspace(1e-2, 1e3, 16), 0, 0.4))
        for last in np.searchsorted(edges, taken):
            rare = min(int(last), len(bins) - ahead)
            order = np.concatenate([bins[:ahead], bins[len(bins) - rare :][::-1], bins[ahead : len(bins) - rare]])
            sums = [np.concatenate([[0.0], np.cumsum(p[order])]) for p in pair]
            a, b = (np.diff(best_at_most(runs.eta, runs.r, np.minimum(c, 1.0))) for c in sums)
            largest = max(largest, float(np.maximum(a - np.exp(epsilon) * b, 0).sum()))
    return largest
