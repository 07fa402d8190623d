"""The steps to the rates of abgmu22: how stability is paid in loss, and what a private test must err.

Ridge regression and gradient descent on the line are followed exactly, in fractions, over all samples.
"""

from fractions import Fraction
from itertools import product
from math import exp, expm1, sinh, sqrt

import numpy as np

from lemmata.bounds.abgmu22 import baselines, grid_output, grid_search_proof, rates as bounds, rates_proof as proof
from lemmata.experiments.abgmu22.rates import BUDGETS, ROUNDING, TESTS, best_errors, norms
from lemmata.experiments.checks import Control, Link, inequality_claim, run_script

CHOSEN = [grid_search_proof.deviation_below, grid_search_proof.penalty, grid_output.beyond_the_clip]

# Upper bounds ---------------------------------------------------------------------------------------------------------


def samples(n, values=(-1, 1, 2)):
    """All samples of n labels at x = 1, equally likely: (labels,), as fractions."""
    return [tuple(map(Fraction, y)) for y in product(values, repeat=n)]


def loss(w, labels):
    """The mean of (w - y)^2/2."""
    return sum((w - y) ** 2 for y in labels) / (2 * len(labels))


@inequality_claim(
    bounds.regularised_risk,
    note=(
        "8u + 16u² ≤ 16u for u = H̃/(λn) ≤ 1/2, with equality at 1/2. Ridge regression on the line stays "
        "below half of it"
    ),
)
def ridge_regression():
    """The chain; and ridge regression on the line, exactly, over all samples."""
    for u in (Fraction(1, 1000), Fraction(1, 4), Fraction(1, 2)):
        stable = 2 * 4 * u + 4 * 4 * u**2  # sqrt(2H a) D and H D^2/2 with D of sqrt(2H) (sqrt a + sqrt b) 2/(lambda n)
        yield {"u": u}, 1 + stable, bounds.regularised_risk(u=u, empirical=Fraction(1))
        yield Link("one record", {"u": u}, 8 * u + 16 * u**2, 16 * u)
    for n, u in product((2, 4), (Fraction(1, 10), Fraction(1, 2))):
        ridge, every = 1 / (u * n), samples(n)
        released = [sum(y) / n / (1 + ridge) for y in every]
        empirical = sum(loss(w, y) for w, y in zip(released, every, strict=True)) / len(every)
        population = sum(loss(w, (Fraction(-1), Fraction(1), Fraction(2))) for w in released) / len(every)
        yield {"n": n, "u": u}, population, bounds.regularised_risk(u=u, empirical=empirical)


def descent(labels, stride, steps):
    """(mean empirical loss of the iterates, their average) of gradient descent from 0, without noise."""
    w, total, losses, mean = Fraction(0), Fraction(0), Fraction(0), sum(labels) / len(labels)
    for _ in range(steps):
        total, losses = total + w, losses + loss(w, labels)
        w -= stride * (w - mean)
    return losses / steps, total / steps


@inequality_claim(bounds.descended_risk, note="1 + 4v + 4v² = (1 + 2v)²")
def descent_on_the_line():
    """The chain, with equality; and gradient descent on the line, exactly, over all samples."""
    for v in (Fraction(0), Fraction(1, 7), Fraction(1, 4), Fraction(3)):
        yield {"v": v}, 1 + 2 * 2 * v + 4 * v**2, bounds.descended_risk(v=v, empirical=Fraction(1))
        yield Link("one record", {"v": v}, 4 * v + 4 * v**2, (1 + 2 * v) ** 2 - 1)
    for n, steps, stride in product((2, 4), (1, 4), (Fraction(1, 8), Fraction(1, 2))):
        every = samples(n)
        runs = [descent(y, stride, steps) for y in every]
        empirical = sum(A for A, _ in runs) / len(every)
        population = sum(loss(w, (Fraction(-1), Fraction(1), Fraction(2))) for _, w in runs) / len(every)
        allowed = bounds.descended_risk(v=stride * steps / n, empirical=empirical)
        yield {"n": n, "steps": steps, "stride": stride}, population, allowed


@inequality_claim(
    bounds.descended_loss,
    given=[baselines.projected_distance],
    rounding=ROUNDING,
    note="equality in the limit, as the least loss dominates the other terms",
)
def noisy_descent_on_the_line():
    """(w - c)^2/2 + least on the line, the noise's variance followed exactly; u = c."""
    for c, least, stride, steps, sigma in product((0.5, 3.0), (0.0, 1e4), (1e-3, 0.5), (1, 50, 2000), (0.0, 1.0, 20.0)):
        off, variance, total = -c, 0.0, 0.0
        for _ in range(steps):
            total += (off**2 + variance) / 2 + least
            off, variance = off * (1 - stride), variance * (1 - stride) ** 2 + (stride * sigma) ** 2
        parts = {"distance": c**2 / (2 * stride * steps), "noise": stride * sigma**2 / 2}
        allowed = bounds.descended_loss(q=stride, best=least, **parts)
        setting = {"c": c, "least": least, "stride": stride, "steps": steps, "sigma": sigma}
        yield setting, total / steps, allowed
        yield Link("regret", setting, allowed, least + parts["distance"] + stride * allowed + parts["noise"])


# Lower bounds ---------------------------------------------------------------------------------------------------------


@inequality_claim(
    bounds.both_errors,
    control=Control("the bound multiplied by {}", (1.1, 2)),
    rounding=ROUNDING,
    note="randomised response between the two halves is the best test of a pair, with equality where p or ε tends to 0",
)
def best_private_tests(*, factor=1):
    """Against the exact error of the best pure test of a pair, which also learns each record with probability delta."""
    for point, p, delta in product(TESTS, (0.0, 0.01, 0.5, 1.0), (0.0, 1e-3, 0.5)):
        claimed = bounds.both_errors(delta=delta, p=p, **point) * factor
        yield point | {"p": p, "delta": delta}, max(claimed, 0.0), best_errors(p=p, delta=delta, **point)
    for epsilon, delta, K in product((0.1, 3.0), (0.0, 0.1), (0, 1, 7)):
        pair = best_errors(n=K, epsilon=epsilon, delta=delta, p=1.0)
        yield Link("pair", {"epsilon": epsilon, "delta": delta, "K": K}, exp(-K * epsilon) - delta * K, pair)


def signs_of_a_sample(n, p, t):
    """The law of the sum of n records, each of which is a sign of mean t with probability p, else 0: -n, ..., n."""
    law = np.ones(1)
    for _ in range(n):
        law = np.convolve(law, [p * (1 - t) / 2, 1 - p, p * (1 + t) / 2])
    return law


@inequality_claim(
    proof.fingerprint,
    control=Control("the sinh divided by {}", (4, 8)),
    rounding=ROUNDING,
    note="a sign that a private vote chooses has a third of the bound",
)
def votes_agree_with_a_mean(*, factor=1):
    """The vote +1 with odds e^(epsilon S/2), or with probability delta that of the majority, S the sum of the signs."""
    nodes, weights = np.polynomial.legendre.leggauss(24)
    for n, epsilon, delta, p, tau in product((1, 2, 9), (0.01, 0.7, 3.0), (0.0, 0.1), (0.3, 1.0), (0.1, 1.0)):
        totals = np.arange(-n, n + 1)
        vote = (1 - delta) * np.tanh(epsilon * totals / 4) + delta * np.sign(totals)
        means = [signs_of_a_sample(n, p, tau * x) @ vote for x in nodes]
        agreed = float(np.sum(weights / 2 * tau * nodes * means))
        sizes = {"n": n, "epsilon": epsilon, "delta": delta, "p": p, "tau": tau}
        for kept in (1.0, 5.0):  # five independent coordinates of which only the first is released
            yield sizes | {"of": kept}, agreed, proof.fingerprint(norm=1.0, longest=1.0, **sizes) / factor
        one = p * (sinh(epsilon) * tau**2 + 4 * delta * tau**2)  # of a record, for |M| = |M|_1 = 1
        yield Link("sum over records", sizes, n * one / 2, proof.fingerprint(norm=1.0, longest=1.0, **sizes))


@inequality_claim(
    proof.rank_lower,
    given=[proof.fingerprint],
    control=Control("the bound multiplied by {}", (1.01, 2)),
    rounding=ROUNDING,
)
def signs_in_a_cube(*, factor=1):
    """What s2 leaves of the excess of the construction, and the minimiser of its risk on a grid, coordinate by one."""
    for n, epsilon, share, delta in product((5, 1000), (0.3, 1.0), (0.1, 1.0), (0.0, 1e-3)):
        rank, norm = max(1, int(share * n * sinh(epsilon))), 3.0
        c, tau = norm / sqrt(rank), sqrt(rank) / (n * sinh(epsilon))
        sizes = {"n": n, "epsilon": epsilon, "delta": delta}
        known = proof.fingerprint(p=0.5, tau=tau, norm=c * sqrt(rank), longest=c * rank, **sizes)
        left = (c * rank * tau / 2 - known) / (2 * sqrt(rank))
        yield sizes | {"rank": rank}, proof.rank_lower(rank=rank, norm=norm, **sizes) * factor, left
        w = np.linspace(-2 * c, 2 * c, 401)
        for t in (-tau, 0.5 * tau):
            risk = -t * w / (2 * sqrt(rank)) + np.maximum(0, np.abs(w) - c) / (2 * rank)
            place = float(w[risk.argmin()])
            yield Link("minimiser", sizes, abs(place), c * (1 + 1e-9))
            yield Link("its sign", sizes, c * abs(t), place * t * (1 + 1e-9))


@inequality_claim(
    proof.lipschitz_lower_order,
    given=[bounds.lipschitz_lower, proof.rank_lower],
    control=Control("35 divided by {}", (2, 4)),
    rounding=ROUNDING,
)
def lipschitz_in_every_rank(*, factor=1):
    """The larger of an eighth of |w*|/sqrt n and the part `rank`, at delta = 1/(8n), against a 35th of the rate."""
    for n, rank, norm in product((2, 100, 10**6), (1, 7, 1000, 10**9), (0.01, 30.0)):
        for epsilon in (1 / n, 2.7 / n, 1 / sqrt(n), 0.5, 1.0, 9.0):
            point = {"n": n, "epsilon": epsilon, "rank": rank, "norm": norm}
            most = norm / (8 * sqrt(n))
            if epsilon <= 1:
                inside = point | {"rank": max(1, min(rank, int(n * epsilon)))}
                most = max(most, proof.rank_lower(delta=1 / (8 * n), **inside))
            yield point, proof.lipschitz_lower_order(**point) * factor, most


def risk_on_the_line(w, records):
    """The expectation of (w x - y)^2/2 over records (probability, x, y)."""
    return sum(chance * (w * x - y) ** 2 / 2 for chance, x, y in records)


@inequality_claim(
    proof.curved_excess,
    given=[bounds.both_errors],
    control=Control("the bound multiplied by {}", (1.01, 2)),
    rounding=ROUNDING,
    note="the cost of a wrong release is 22.4 for 22.5",
)
def few_records_halve_the_norm(*, factor=1):
    """Both risks on a grid of w, the best threshold between the two minimisers, and the errors that s1 leaves."""
    for n, epsilon, norm, share in product((2, 20, 10**4), (0.1, 1.0, 5.0), (1.0, 3.0, 1e3), (0.0, 0.1)):
        seen = -expm1(-epsilon)
        for p in (1 / (n * seen), 1.278 / (n * epsilon), 1e-3 / n):
            if p > 2 / 3:
                continue
            B = min(norm, sqrt(2 / (3 * p)))
            common = [(p * B**2 / 2, 1 / B, 1.0)]
            w = np.linspace(0, 1.5 * B, 30001)
            zero, one = risk_on_the_line(w, common), risk_on_the_line(w, [*common, (p, 1.0, 0.0)])
            between = (w > B / 3) & (w < B)
            cost = float(np.minimum(zero - zero.min(), one - one.min())[between].max())
            setting = {"n": n, "epsilon": epsilon, "norm": norm, "delta": share * seen, "p": p}
            errors = bounds.both_errors(n=n, epsilon=epsilon, delta=share * seen, p=p)
            yield setting, proof.curved_excess(**setting) * factor, cost * errors / 2
            yield Link("probabilities", setting, p + common[0][0], 1 + 1e-12)


@inequality_claim(
    proof.dimension_excess,
    given=[proof.fingerprint],
    control=Control("the bound multiplied by {}", (1.1, 2)),
    rounding=ROUNDING,
)
def signs_with_a_label(*, factor=1):
    """What s2 leaves at the best length of w; and the risk of the construction from its moments, for random means."""
    rng = np.random.default_rng(57)  # the means of the links
    for n, epsilon, norm, times in product((10**4, 10**8), (0.05, 1.0), (1.0, 3.0), (4, 9)):
        d = int(times * norm**2)
        delta, theta, tau = 1e-3 * sinh(epsilon) / sqrt(d), norm**2 / d, norm / d
        p = d**1.5 / (sqrt(3) * n * norm * sinh(epsilon))
        sizes = {"n": n, "epsilon": epsilon, "delta": delta}
        v = 8 * n * p * tau**2 * sinh(epsilon) / 15
        known = proof.fingerprint(p=p, tau=tau, norm=sqrt(d) * v, longest=sqrt(d) * 16 * norm / 15, **sizes) / sqrt(d)
        left = p * (2 * theta / 15 - known + 15 * v**2 / 32)
        setting = sizes | {"d": d, "norm": norm}
        yield setting, proof.dimension_excess(**setting) * factor, left
        for t in (np.full(d, tau), rng.uniform(-tau, tau, d)):
            second = (np.outer(t, t) + np.diag(1 - t**2)) / d
            best = np.linalg.solve(second, t / sqrt(d))
            T = float(t @ t)
            yield Link("norm", setting, float(np.linalg.norm(best)), norm * (1 + 1e-12))
            yield Link("least risk", setting, float(0.5 - t @ best / sqrt(d) / 2), 0.5 - T / (2 + 2 * T) + 1e-12)
            w = rng.normal(size=d)
            lower = 0.5 - w @ t / sqrt(d) + 15 * (w @ w) / (32 * d)
            yield Link("any risk", setting, float(lower), float(0.5 - w @ t / sqrt(d) + w @ second @ w / 2) + 1e-12)


@inequality_claim(
    proof.smooth_lower_corrected,
    given=[bounds.sampled_excess, proof.curved_excess, proof.dimension_excess],
    control=Control("189 divided by {}", (1.5, 3)),
    rounding=ROUNDING,
)
def smooth_in_every_dimension(*, factor=1):
    """The larger of three constructions, at delta = 1/(12n), against a 189th of the printed order."""
    for n, norm, d in product((16, 1000, 10**7, 10**12), (1.0, 1.7, 9.0, 300.0), (1, 3, 5, 40, 10**4, 10**9)):
        for epsilon in (4.1 / n, 40 / n, n**-0.5, 0.1, 1.0):
            point = {"n": n, "epsilon": min(epsilon, 1.0), "d": d, "norm": norm}
            if proof.smooth_lower_corrected.theorem.skipped(point):
                continue
            epsilon, delta = point["epsilon"], 1 / (12 * n)
            most = [bounds.sampled_excess(n=n, norm=norm)]
            most.append(proof.curved_excess(n=n, epsilon=epsilon, delta=delta, norm=norm, p=1.278 / (n * epsilon)))
            inside = int(min(d, (norm * n * epsilon) ** (2 / 3)))
            if inside >= 4:
                near = min(norm, sqrt(inside) / 2 * (1 - 1e-12))
                if near >= 1:
                    most.append(proof.dimension_excess(n=n, epsilon=epsilon, delta=delta, d=inside, norm=near))
            yield point, proof.smooth_lower_corrected(**point) * factor, max(most)


# Upper bounds: the rank, and a norm that the learner does not know ----------------------------------------------------


def two_runs(n, steps, stride):
    """The largest distance of two runs on the line from 0, losses |w - y| with y = 0, but for one y = 9 or y = -9."""
    a, b, most = 0.0, 0.0, [0.0]
    for _ in range(steps):
        a, b = (w - stride * ((n - 1) * np.sign(w) + np.sign(w - y)) / n for w, y in ((a, 9.0), (b, -9.0)))
        most.append(max(most[-1], abs(a - b)))
    return most


@inequality_claim(
    proof.descent_distance,
    note="the recursion of the derivation, and two runs on the line; equality in the limit, at t = 1 and large n",
    rounding=ROUNDING,
)
def runs_stay_together():
    """The recursion with equality at every step; and runs that jump about a kink."""
    for n, stride in product((1, 10, 10**9), (0.01, 1.0)):
        square, unit = 0.0, 2 * stride
        for t in range(1, 200):
            square += 2 * unit / n * sqrt(square) + unit**2
            if t not in (1, 2, 3, 10, 50, 199):
                continue
            claimed = proof.descent_distance(n=n, steps=t, stride=stride, gradient_norm=1.0)
            setting = {"n": n, "stride": stride, "steps": t}
            yield setting, sqrt(square), claimed
            after = proof.descent_distance(n=n, steps=t + 1, stride=stride, gradient_norm=1.0)
            yield Link("one step", setting, claimed**2 + 2 * unit / n * claimed + unit**2, after**2)
    for n, stride in product((2, 7), (0.01, 0.5)):
        apart = [*two_runs(n, 50, stride)]
        for t in (0, 1, 2, 7, 49):
            claimed = proof.descent_distance(n=n, steps=t, stride=stride, gradient_norm=1.0)
            yield {"n": n, "stride": stride, "steps": t, "of": "runs"}, apart[t], claimed


@inequality_claim(proof.rank_excess, given=[proof.descent_distance, baselines.averaged_regret], rounding=ROUNDING)
def unprojected_descent():
    """The chain at its step size, and the mean distance of two runs over t < T."""
    for n, mu, rank, norm in product((1, 30, 10**5), (1e-3, 1.0, 1e9), (1, 9, 10**4), (0.1, 30.0)):
        sizes = {"n": n, "mu": mu, "rank": rank, "norm": norm}
        stride = norm / n / sqrt(1 + 4 * rank / mu**2 + 14 * n / 3)
        yield sizes, proof.rank_excess_at(stride=stride, **sizes), proof.rank_excess(**sizes)
    for n in (1, 4, 30):
        apart = [proof.descent_distance(n=n, steps=t, stride=1.0, gradient_norm=1.0) for t in range(n**2)]
        yield Link("mean distance", {"n": n}, sum(apart) / n**2, 7 * n / 3)


@inequality_claim(proof.lipschitz_order, given=[proof.rank_excess, bounds.lipschitz_excess], rounding=ROUNDING)
def lipschitz_upper_bounds_have_the_rate():
    """The smaller of the two bounds against 2.4 times the printed rate, mu for epsilon."""
    for n, mu, rank, norm in product((1, 100, 10**12), (1e-9, 1e-3, 1.0, 1e6), (1, 50, 10**9), (0.1, 30.0)):
        sizes = {"n": n, "mu": mu, "norm": norm}
        smaller = min(proof.rank_excess(rank=rank, **sizes), bounds.lipschitz_excess(**sizes))
        yield sizes | {"rank": rank}, smaller, proof.lipschitz_order(rank=rank, **sizes)


@inequality_claim(
    proof.unknown_norm_excess,
    given=[bounds.descent_excess, bounds.perturbation_excess, *CHOSEN],
    control=Control("53 divided by {}", (2, 4)),
    rounding=ROUNDING,
)
def norms_are_guessed(*, factor=1):
    """The chain at the guess next to |w*|, for norms within and beyond the guesses."""
    for point, d in product(BUDGETS, (1, 50, 10**9)):
        for norm in norms(point["n"]):
            sizes = point | {"n": 2 * int(point["n"]), "d": d, "norm": max(norm, 1.0) * 1.001}
            yield sizes, proof.unknown_norm_at(**sizes), proof.unknown_norm_excess(**sizes) / factor


if __name__ == "__main__":
    run_script(__file__)
