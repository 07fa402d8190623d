"""Remark 2.3 of Wang, Zhu & Wang (2025) in floating point: sums, counts, averages, minimisers, choices; accounts."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import sqrt

import numpy as np
from flint import arb

from lemmata.bounds.exact.balls import exact, upper_end
from lemmata.bounds.wzw25 import gaussian_privacy as bounds, gaussian_privacy_proof as release
from lemmata.experiments.checks import Control, attack_claim, grid, inequality_claim, run_script, tail_claim
from lemmata.experiments.instances.pairs.adaptive_spending import best_choice, best_order, spent
from lemmata.experiments.instances.pairs.column_tables import FirstCounts, neighbours
from lemmata.experiments.instances.pairs.reachable_floats import watched
from lemmata.mechanisms.learners.descent import noisy_gd
from lemmata.mechanisms.learners.erm import phased_sgd
from lemmata.mechanisms.learners.statistics import second_moments
from lemmata.mechanisms.noise import grid_sums
from lemmata.mechanisms.numerics import exact_choice, proved_floats
from lemmata.mechanisms.numerics.arguments import clip_rows
from lemmata.mechanisms.numerics.arithmetic import round_up
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP, gaussian_mu
from lemmata.mechanisms.privacy.accountant import Accountant
from lemmata.mechanisms.solvers import certified_risk
from lemmata.mechanisms.tables import column_ranges


def hard_rows(n, d, radius):
    """Rows whose clipping and rounding are hardest: full length, above half a step of the grid, huge, tiny."""
    grid, draw = grid_sums.grid_for(radius), np.random.default_rng(n * d)
    dense = draw.normal(size=(n, d)) * 10.0 ** draw.integers(-3, 150, size=(n, 1))
    dense[0] = radius / sqrt(d)
    dense[1] = (np.floor(radius / sqrt(d) / grid) + 0.75) * grid  # longer than the radius if it is rounded up
    dense[2, 1:] = 0.0
    return clip_rows(dense, radius)


@inequality_claim(
    bounds.grid_sums,
    quick=grid(n=[64], d=[7, 1], radius=[1.0], steps=[3]),
    full=grid(n=[500], d=[64], radius=[0.3, 5.0], steps=[100]),
    given=["wzw25.rem2.3/printed/gaussian", "wzw25.rem2.3/printed/composition", bounds.grid_release],
    control=Control("rows rounded to the nearest step, without counting what this adds to their lengths", (2,)),
    cost=0.2,
    note="Lengths of rows and sums in whole numbers of the grid; the mu of the law that `fit` runs, in rationals.",
)
def noisy_sums_on_a_grid(*, n, d, radius, steps, factor=1):
    """Every row's length, every sum in three orders of its rows, and the change by one replaced record, over the
    noise."""
    step, rows = grid_sums.grid_for(radius), hard_rows(n, d, radius)
    rounded = grid_sums.round_rows(rows, radius) if factor == 1 else np.rint(rows / step) * step
    whole = [[int(entry) for entry in row] for row in rounded / step]
    for i, row in enumerate(whole):
        yield {"row": i, "d": d}, sum(entry**2 for entry in row), (Fraction(radius) / Fraction(step)) ** 2
    privacy, width = GaussianDP(0.5), 0.125
    for loss in ("hinge", "logistic"):
        law = noisy_gd.law(
            rows, np.ones(n), privacy=privacy, width=width, radius=radius, steps=steps, loss=loss, noise="exact"
        )
        w = np.random.default_rng(1).normal(size=(d, 1)) * width
        for order in (np.arange(n), np.arange(n)[::-1], np.argsort(rows[:, 0])):
            part = replace(law, Z=law.Z[order])
            total = -width * part.gradients(w) / law.grid
            share = part.coefficients(w)[:, 0]
            exactly = [
                sum(Fraction(c) * Fraction(z) for c, z in zip(share, column, strict=True)) for column in part.Z.T
            ]
            off = max(abs(Fraction(t) * Fraction(law.grid) - e) for t, e in zip(total[:, 0], exactly, strict=True))
            yield {"loss": loss, "records": n, "off by": float(off)}, off, 0
        sigma = round_up(Fraction(law.sigma) * Fraction(width) / Fraction(sqrt(steps)))
        claimed = bounds.grid_sums(radius=radius, sigma=sigma, n=n)
        moved = 2 * Fraction(float(np.linalg.norm(law.Z, axis=1).max())) / Fraction(sigma)
        yield {"loss": loss, "steps": steps, "mu": claimed}, float(moved), claimed
        yield {"loss": loss, "steps": steps, "promised": privacy.mu}, claimed, privacy.mu


@attack_claim(
    bounds.grid_sums,
    law="noisy_gd.bits",
    attack="approx",
    bound=lambda *, epsilon, **_: epsilon,
    quick=grid(epsilon=[1.0], delta=[1e-5], d=[3]),
    control=Control("the float64 noise of the same sigma", (2,)),
    cap=6,
    cost=3e-5,
    note="bit-level: the attacker knows both datasets' gradients and tests whether a release is one of them plus "
    "some double",
)
def descent_bits(*, epsilon, delta, d, factor=1):
    """One step of length 1 of the descent behind `MarginClassifier`, on a record and on its opposite.

    The other records are 0: a float64 sum of several depends on their order, and the attacker would miss its centre.
    """
    rows = np.zeros((8, d))
    rows[0] = np.random.default_rng(d).normal(size=d)
    other = -rows
    setting = {"privacy": ApproxDP(epsilon, delta), "width": 0.5, "steps": 1, "output": "last"}
    noise = {1: "exact", 2: "float"}[factor]
    laws = [noisy_gd.law(X, np.ones(8), noise=noise, **setting) for X in (rows, other)]
    laws = [replace(law, strides=np.ones(1)) for law in laws]
    return watched(laws, [-law.gradients(np.zeros((d, 1)))[:, 0] for law in laws])


def phase_of(records, start, *, rho, pull, cap, norm_bound):
    """The average of a phase's iterates in balls, records and start as floats."""
    v, total = [exact(x) for x in start.tolist()], [arb(0)] * len(start)
    for row in records.tolist():
        z = [exact(x) for x in row]
        total = [a + b for a, b in zip(total, v, strict=True)]
        square = sum((x * x for x in z), arb(0))
        if any(row):
            along = exact(rho) - sum((a * b for a, b in zip(z, v, strict=True)), arb(0))
            size = (along * exact(pull) / square).max(arb(0)).min(exact(cap))
            v = [a + size * b for a, b in zip(v, z, strict=True)]
        length = sum((x * x for x in v), arb(0)).sqrt().max(exact(norm_bound))
        v = [x * exact(norm_bound) / length for x in v]
    return [x / len(records) for x in total]


@inequality_claim(
    release.average_error,
    quick=grid(n=[40], k=[1, 5], rho=[0.2]),
    full=grid(n=[300], k=[20], rho=[0.01, 1.0]),
    control=Control("iterates in single precision", (2,)),
    cost=0.5,
    bits=256,
    note="Averages of the phases that `fit` runs against the same in balls; rows are full, tiny, equal and opposite.",
)
def averages_in_floats(*, n, k, rho, factor=1):
    """The distance of a phase's float average from that over the reals, and the amount charged for it."""
    rows = phased_sgd.exact_rows(hard_rows(n, k, 1.0), 1.0, "exact")
    rows[3:6] = rows[0]
    rows[6] = -rows[0]
    kind = np.float64 if factor == 1 else np.float32
    law = phased_sgd.law(
        rows, np.ones(n), privacy=GaussianDP(1.0), rho=rho, radius=1.0, norm_bound=1.0, noise="exact", eta=2.0 * rho
    )
    for i, (length, step, _) in enumerate(law.phases, start=1):
        records, start = law.Z[:length], np.full(k, 1 / np.sqrt(k))
        sizes = {"rho": rho, "pull": 2 * step / law.eta, "cap": step / rho, "norm_bound": 1.0}
        pairs = [(z[None].astype(kind), phased_sgd.inverse_squares(z[None]).astype(kind)) for z in records]
        found = phased_sgd.average_iterate(start[None].astype(kind), pairs, **sizes)[0]
        truth = phase_of(records, start, **sizes)
        off = sum(((exact(float(a)) - b) ** 2 for a, b in zip(found, truth, strict=True)), arb(0)).sqrt()
        claimed = release.average_error(length=length, k=k, longest=law.lipschitz * step, norm_bound=1.0)
        yield {"phase": i, "steps": length, "k": k}, off, claimed


@inequality_claim(
    release.average_gdp,
    quick=grid(n=[50], k=[3]),
    full=grid(n=[10**5], k=[100]),
    given=[release.average_error, bounds.grid_release, "wzw25.rem2.3/printed/composition"],
    note="the noise of every phase that `fit` adds, in rationals, and the mu that its law states",
)
def phases_keep_their_promise(*, n, k):
    """The mu that a phase spends, and that of the law from which `fit` releases."""
    privacy = GaussianDP(0.5)
    for rho in (0.01, 1.0):
        law = phased_sgd.law(
            np.zeros((n, k)), np.ones(n), privacy=privacy, rho=rho, radius=1.0, norm_bound=1.0, noise="exact"
        )
        for length, step, _ in law.phases:
            longest = law.lipschitz * step
            sigma = phased_sgd.exact_sigma(
                length, k, step=step, lipschitz=law.lipschitz, multiplier=law.multiplier, norm_bound=1.0
            )
            error = release.average_error(length=length, k=k, longest=longest, norm_bound=1.0)
            spent = release.average_gdp(longest=longest, error=error, sigma=sigma)
            yield {"steps": length, "rho": rho}, spent, law.privacy.mu


@inequality_claim(
    release.table_error,
    quick=grid(name=["quantile", "log", "exp"]),
    caught=(3, 1e6, 2e6),
    cost=0.3,
    evidence="certificate",
    bits=100,
    note="all 4,097 segments in balls, then floats at their ends and middles; the tables are loose for exp",
)
def tables_in_balls(*, name):
    """Remainders and table entries with the roundings, and the functions themselves at both ends of every segment."""
    claimed = release.table_error()
    yield {"function": name}, proved_floats.certify_error(name) + exact(2.0**-49), claimed
    draw = np.random.default_rng(7)
    if name == "exp":
        for x in (-draw.uniform(0, 700, 500)).tolist():
            found = exact(float(proved_floats.exp_below_700(np.array([x]))[0]))
            yield {"function": name, "x": x}, abs(found / exact(x).exp() - 1), claimed
        return
    edges = 2.0 ** -draw.integers(0, 16, 400) * (1 - draw.integers(0, 256, 400) / 512)
    for x in np.concatenate([edges, np.nextafter(edges, 0), draw.uniform(2**-15, 1, 400)]).tolist():
        at = np.array([x])
        if name == "log":
            yield (
                {"function": name, "x": x},
                abs(exact(float(proved_floats.minus_log(at)[0])) + exact(x).log()),
                claimed,
            )
        else:
            off = abs(exact(float(proved_floats.normal_quantile(at)[0])) - proved_floats._quantile(x))
            yield {"function": name, "x": x}, off, claimed


@inequality_claim(
    release.partial_sum_error,
    quick=grid(candidates=[2, 40]),
    full=grid(candidates=[3000]),
    given=[release.table_error],
    reach={"candidates": 30},
    control=Control("weights summed in single precision", (2,)),
    bits=128,
    note="partial sums of the weights from which indices are chosen, against the same in balls",
)
def partial_sums_in_floats(*, candidates, factor=1):
    """Scores far and near, equal and huge; the error of every partial sum over the whole sum."""
    draw = np.random.default_rng(candidates)
    for spread in (1e-3, 1.0, 300.0):
        scores = draw.normal(size=candidates) * spread + 1e6
        scale, top = 0.3, float(scores.max())
        weights = exact_choice.choice_weights(scores, scale, top)
        rising = np.cumsum(weights.astype(np.float64 if factor == 1 else np.float32))
        balls, total, worst = exact_choice.enclosed_weights(scores, scale, top), arb(0), arb(0)
        for found, ball in zip(rising.tolist(), balls, strict=True):
            total += ball
            worst = worst.max(abs(exact(found) - total))
        claimed = release.partial_sum_error(candidates=candidates)
        yield {"candidates": candidates, "spread": spread}, worst / total, claimed


@inequality_claim(
    release.minimiser_distance,
    quick=grid(loss=["logistic", "huber"], n=[20]),
    full=grid(loss=["logistic", "huber"], n=[200]),
    bits=256,
    rounding=1e-12,
    note="points at several distances from a minimiser that is known to 60 digits; without records it is attained",
)
def points_near_a_minimiser(*, loss, n):
    """The true distance, the bound by the gradient in balls, and the bound in float64 that a first decision takes."""
    draw = np.random.default_rng(n)
    for rows in (draw.normal(size=(n, 4)) / 4, np.zeros((n, 4))):
        problem = certified_risk.Problem(rows, ridge=0.75, share=Fraction(3) / n, loss=loss)
        b = [exact(float(x)) for x in draw.normal(size=4) * 3]
        point = [arb(0)] * 4
        for found, _ in problem.nearer(np.zeros(4), b):
            point = found
        for far in (0.0, 1e-12, 1e-6, 0.1):
            w = np.array([float(x) for x in point]) + far * draw.normal(size=4)
            off = sum(((exact(float(a)) - c) ** 2 for a, c in zip(w, point, strict=True)), arb(0)).sqrt()
            length = sum((g * g for g in problem.gradient([exact(float(x)) for x in w], b)), arb(0)).sqrt()
            claimed = release.minimiser_distance(gradient=max(upper_end(length), 1e-300), ridge=problem.ridge)
            yield {"loss": loss, "records": bool(rows.any()), "moved": far}, off, exact(claimed)
            if far:
                yield {"loss": loss, "in": "float64", "moved": far}, off, problem.distance(w, b)


# Accounts: the releases are chosen one after the other ---------------------------------------------------------------


TWO_BRANCHES = Control("the better of two rules, chosen after the fact: the first release decides on the second", (2,))


ACCOUNTS = {"rounding": 1e-3, "cost": 6}  # trapezoids


@inequality_claim(
    release.pure_account,
    quick=grid(epsilon=[1.0], depth=[2]),
    full=grid(epsilon=[0.3, 2.5], depth=[3]),
    given=[release.gaussian_account],
    control=Control("an account of {} times the budget", (1.05, 2)),
    **ACCOUNTS,
)
def pure_account_played(*, epsilon, depth, factor=1):
    """Randomised responses, each chosen by the outcomes before; along the curve."""
    budget = PureDP(factor * epsilon)
    for t in (0.0, 0.4 * epsilon, 0.9 * epsilon):
        claimed = release.pure_account(t=t, epsilon=epsilon)
        found = spent(partial(Accountant, budget), t, 0.5, top=budget.epsilon, depth=depth)
        yield {"epsilon": epsilon, "t": t}, found, claimed


@inequality_claim(
    release.approximate_account,
    quick=({"epsilon": 1.0, "delta": 1e-6, "first": 0.18, "depth": 2},),
    full=({"epsilon": 0.5, "delta": 1e-2, "first": 0.0, "depth": 3},),
    given=[release.gaussian_account],
    control=TWO_BRANCHES,
    **ACCOUNTS,
)
def approximate_account_played(*, epsilon, delta, first, depth, factor=1):
    """An account that refuses Gaussians; the wrong rule accepts both kinds and takes the smaller total."""
    start = first if factor > 1 else 0.0
    found = best_choice(ApproxDP(epsilon, delta), epsilon, start, factor, depth, way="approximate")
    yield (
        {"epsilon": epsilon, "delta": delta},
        found,
        release.approximate_account(t=epsilon, epsilon=epsilon, delta=delta),
    )


@inequality_claim(
    release.gaussian_account,
    quick=({"epsilon": 1.0, "delta": 1e-6, "first": 0.18, "kept": 0.0, "depth": 2},),
    full=({"epsilon": 1.0, "delta": 1e-6, "first": 0.0, "kept": 0.4, "depth": 3},),
    control=TWO_BRANCHES,
    cites=(
        "Blackwell's theorem on comparisons, as in Dong, Roth & Su 2022, Theorem 2",
        "Kairouz, Oh & Viswanath 2015, on what (ε, δ)-privacy is dominated by",
    ),
    **ACCOUNTS,
)
def gaussian_account_played(*, epsilon, delta, first, kept, depth, factor=1):
    """Kept as Gaussian from the start, with `kept` of epsilon in reserve: the m of its caps on the curve."""
    reserve = PureDP(kept) if kept else None
    found = best_choice(ApproxDP(epsilon, delta), epsilon, first, factor, depth, way="gaussian", reserve=reserve)
    mu = gaussian_mu(epsilon - kept, delta)
    yield {"epsilon": epsilon, "reserve": kept}, found, release.gaussian_account(t=epsilon, mu=mu, epsilon=kept)


@inequality_claim(
    release.mixed_account,
    quick=(
        {"epsilon": 1.0, "delta": 1e-6, "first": 0.18, "depth": 2},
        {"epsilon": 3.0, "delta": 1e-5, "first": 0.4, "depth": 2},
    ),
    full=({"epsilon": 0.1, "delta": 1e-2, "first": 0.0, "depth": 3},),
    given=[release.approximate_account, release.gaussian_account],
    control=TWO_BRANCHES,
    note="the wrong rule spends 2.3 to 2.5 δ",
    **ACCOUNTS,
)
def mixed_account_played(*, epsilon, delta, first, depth, factor=1):
    """The default account, first release fixed, the second of any kind by its outcome; or three of any kind."""
    found = best_choice(ApproxDP(epsilon, delta), epsilon, first, factor, depth)
    yield {"epsilon": epsilon, "delta": delta}, found, release.mixed_account(epsilon=epsilon, delta=delta)


@inequality_claim(
    release.planned_account,
    quick=({"t": 1.0, "n": 2, "epsilon": 0.1, "delta": 1e-7, "mu": 0.18},),
    full=({"t": 0.5, "n": 3, "epsilon": 0.3, "delta": 1e-3, "mu": 0.5},),
    control=Control("an account that accepts what composes so far: outcomes choose the second guarantee", (2,)),
    cites=(
        "Blackwell's theorem on comparisons, as in Dong, Roth & Su 2022, Theorem 2",
        "Kairouz, Oh & Viswanath 2015, on what (ε, δ)-privacy is dominated by",
    ),
    note="the wrong rule spends 1.3 to 2.7 δ",
    **ACCOUNTS,
)
def plan_played(*, t, n, epsilon, delta, mu, factor=1):
    """The adversary picks from the plan by the outcomes; in the control guarantees of its own."""
    claimed = release.planned_account(t=t, n=n, epsilon=epsilon, delta=delta, mu=mu)
    plan = [GaussianDP(mu), *[ApproxDP(epsilon, delta)] * n]
    yield {"t": t, "releases": n + 1}, best_order(ApproxDP(t, min(1.0, 1.02 * claimed)), plan, factor), claimed


@inequality_claim(
    release.column_counts,
    quick=grid(n=[40], d=[3], mu=[0.5]),
    full=[*grid(n=[500], d=[1, 30], mu=[0.05, 3.0]), {"n": 4000, "d": 1, "mu": 3.0}],
    given=["wzw25.rem2.3/printed/gaussian", bounds.grid_release],
    control=Control("a record that is counted in the next bin as well", (2,)),
    cost=0.2,
    note="Checked in whole numbers (the counts of neighbours) and in rationals (the sigma of the law, and the "
    "budget of a search).",
)
def counts_move_by_one_record(*, n, d, mu, factor=1):
    """The squared distance of all counts over 2 d, first and closer looks; then the spending of the law over its
    budget."""
    privacy = GaussianDP(mu)
    for value, one, other in neighbours(n, d):
        laws = [column_ranges.law(table, privacy=privacy) for table in (one, other)]
        looks = [column_ranges.count_octaves(law.X) for law in laws]
        cells = [column_ranges.count_cells(law.X, np.full(d, 0.5), np.full(d, 2.0), 16) for law in laws]
        for look, (a, b) in (("octaves", looks), ("cells", cells)):
            moved = a - b if factor == 1 else a - b + np.roll(a - b, 1, axis=1)
            yield {"look": look, "entry": repr(value), "whole": bool((a % 1 == 0).all())}, (moved**2).sum(), 2 * d
        claimed = release.column_counts(columns=d, sigma=laws[0].sigma)
        yield {"entry": repr(value), "sigma": laws[0].sigma}, claimed, mu * (1 + 1e-15)
        spent = laws[1].sample(np.random.default_rng(1))["mu"][0]
        yield {"entry": repr(value), "spent": spent}, spent, mu


@attack_claim(
    release.column_counts,
    law="column_ranges",
    attack="gdp",
    bound=lambda columns, sigma, **_: release.column_counts(columns=columns, sigma=sigma),
    quick=grid(columns=[1], sigma=[1.5]),
    control=Control("noise of standard deviation sigma / {}", (1.2, 1.5, 2)),
    chunk=2000,
    cost=4e-5,
)
def a_record_leaves_its_octaves(*, columns, sigma, factor=1):
    """One record of four goes from 1 to -1 in every column: kappa = 1, the score is the exact log-likelihood ratio."""
    records = np.ones((4, columns))
    other = records.copy()
    other[0] = -1.0
    laws = [column_ranges.law(X, privacy=GaussianDP(9.0), noise="exact") for X in (records, other)]
    return tuple(FirstCounts(replace(law, sigma=sigma / factor)) for law in laws)


def moved_moments(one, other, bits):
    """The squared distance of the moments of two laws, those off the diagonal counted twice, in units of 1."""
    moved = (one.moments - other.moments) * 4.0**-bits
    return float((moved[:-1] ** 2).sum())


@inequality_claim(
    release.second_moments,
    quick=grid(n=[40], d=[3], mu=[0.5]),
    full=grid(n=[500], d=[1, 30], mu=[0.05, 3.0]),
    given=["wzw25.rem2.3/printed/gaussian"],
    control=Control("targets clipped at {} instead of 1", (1.25, 2)),
    cost=0.2,
    note="Checked in whole numbers (the moments of neighbours) and in rationals (the sigma of the law).",
)
def moments_move_by_one_record(*, n, d, mu, factor=1):
    """The squared distance of the moments over 9/2, rows at 60 degrees and extreme ones; then the mu of the law."""
    draw, angle = np.random.default_rng(n + d), np.zeros((2, d))
    angle[:, 0], angle[1] = 1.0, np.where(np.arange(d) == 1, sqrt(0.75), np.where(np.arange(d) == 0, 0.5, 0.0))
    rows, y = draw.normal(size=(n, d)) / d, draw.uniform(-1, 1, size=n)
    pairs = [(*angle, 1.0, -1.0), (1e9 * angle[0], angle[1] * (1 + 1e-12), 1e9, -1e9)]
    pairs += [(*draw.normal(size=(2, d)) * 10.0 ** draw.integers(-3, 150), *draw.normal(size=2)) for _ in range(5)]
    for place, (z, w, target, other) in enumerate(pairs):
        laws = []
        for row, label in ((z, target), (w, other)):
            X, t = np.vstack([row, rows]), np.append(label, y)
            made = second_moments.law(X, t, privacy=GaussianDP(mu))
            if factor != 1:
                wide = np.clip(t * factor, -factor, factor)
                made = replace(made, moments=second_moments.add_products(X, wide, made.bits))
            laws.append(made)
        moved = moved_moments(*laws, laws[0].bits)
        whole = bool((laws[0].moments % 1 == 0).all() and laws[0].moments.max() < 2**53)
        yield {"pair": place, "whole": whole}, moved if whole else np.inf, 4.5
        yield {"pair": place, "sigma": laws[0].sigma}, release.second_moments(sigma=laws[0].sigma), mu * (1 + 1e-15)
        off = Fraction(second_moments.off_diagonal(laws[0].sigma)) ** 2
        yield {"pair": place, "off": float(off)}, float(Fraction(laws[0].sigma) ** 2 / 2 / off), 1.0


@tail_claim(
    release.ridge_error,
    quick=(
        {"D": 4, "mu": 1.0, "few": 1, "ratio": 8, "beta": 0.075},
        {"D": 2, "mu": 1.0, "few": 300, "ratio": 2, "beta": 0.075},
    ),
    full=(
        {"D": 1, "mu": 0.3, "few": 30, "ratio": 1, "beta": 0.075},
        {"D": 30, "mu": 1.0, "few": 50, "ratio": 1, "beta": 0.075},
    ),
    control=Control("noise of {} times its standard deviation, with the ridge of the right one", (8, 64)),
    chunk=100,
    cap=5,
    cost=1e-3,
    expect=0.01,
    note="noise of twice its standard deviation exceeds the bound in none of 200 releases at these settings",
)
def ridge_errs_by_more(rng, size, *, D, mu, few, ratio, beta, factor=1):
    """Is the excess above the bound? Rows e_j, `few` ratio^j of them for each j, with targets 1; excess by least
    squares."""
    counts = [few * ratio**j for j in range(D)]
    rows, targets = np.repeat(np.eye(D), counts, axis=0), np.ones(sum(counts))
    law = second_moments.law(rows, targets, privacy=GaussianDP(mu), noise="exact")
    A = law.moments[:D, :D] * 4.0**-law.bits
    best = np.linalg.solve(A, law.moments[:D, D] * 4.0**-law.bits)
    sizes = {"norm": float(np.linalg.norm(best)), "least": float(np.linalg.eigvalsh(A)[0])}
    bound = release.ridge_error(D=D, sigma=law.sigma, beta=beta, **sizes)
    wide = replace(law, sigma=law.sigma * factor)
    off = np.stack([second_moments.solve_ridge(*wide.ask(rng), law.sigma) for _ in range(size)]) - best
    return ((off @ A) * off).sum(axis=1) / 2 > bound


if __name__ == "__main__":
    run_script(__file__)
