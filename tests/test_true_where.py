"""Where a misprint is true word for word: each line of `[true_where]` against the row's own formula.

A line names the cases in which the printed words are true. Here the printed claim is decided at points of these cases,
the last ones included, and at points next to them, where it is false. What is true is computed apart from the row.
"""

from fractions import Fraction
from math import exp, log, sqrt

import numpy as np
import pytest
from scipy.special import gammaincc
from scipy.stats import binom, norm

from lemmata.bounds.bms22.dp_erm_proof import allowed_copies
from lemmata.bounds.library import library
from lemmata.bounds.rbht09 import lower_bounds, lower_bounds_rbf
from lemmata.bounds.theorem import THEOREMS
from lemmata.bounds.wzw25 import margin_grid, one_margin
from tests.claims import CLAIMS

TINY = 1e-9


def row(key):
    """What the printed row promises, without the check of its hypotheses."""
    return CLAIMS[key].theorem.formula


def bernstein(n, p, t, signs):
    """A mean of n coins that exceeds p by more than t, or falls short by more."""
    off = np.arange(n + 1) / n - p
    chance = sum(binom.pmf(np.arange(n + 1), n, p)[sign * off > t].sum() for sign in signs)
    return chance <= row("abgmu22.lem.conc.s2/printed")(n=n, variance=p * (1 - p) / n, loss_bound=1.0, t=t)


def geometric_sum(m, delta, rounds, epsilon):
    """All printed terms, j = 0, ..., 2 log(2/delta_hat), against the closed form."""
    copies = allowed_copies(delta, rounds)
    total = sum(exp(epsilon / (2 * rounds) / copies * j) for j in range(int(copies) + 1))
    claimed = row("bms22.lem3.1.s2/printed/sum")(m=m, delta=delta, rounds=rounds, epsilon=epsilon)
    return total == pytest.approx(claimed, rel=TINY)


def ball_minimum(length, gamma):
    """One record in the direction of Phi w*, a hinge that is 0 from 2 on."""
    radius = row("bms22.thm3.2.s6/printed/minimiser")(gamma=gamma)
    return 1 - radius / 2 <= 1 - length / 2


def half_the_best(rho_hat, rho_opt, power):
    """Delta_rho = rho^power."""
    return rho_hat**power <= row("bms22.lemF.1.s3/printed")(rho_hat=rho_hat, rho_opt=rho_opt, power=power)


def useful_as_defined(F, delta):
    """Success with probability delta at the largest printed scale: the norm is Phi times a sum of F exponentials."""
    lam = row("rbht09.thm8/printed/defined")(acc=1.0, delta=delta, Phi=1.0, F=F)
    return 1 - gammaincc(F, 1 / lam) >= delta


def risk_of_one_record(kernel, approximation):
    """|w|^2/2 + hinge loss of beta = 1 for one record, by the kernel and by its approximation."""
    before, after = (k / 2 + max(0.0, 1 - k) for k in (kernel, approximation))
    return before <= after + row("rbht09.lem12.s4/printed")(eta=0.0, C=1.0, Lambda=1.0, L=1)


def blind_choice(delta, n=2, C=1.0):
    """A choice among 2n + 1 constants is useful with probability 1/(2n + 1), and private at the level 0."""
    acc = 0.99 * lower_bounds.line_accuracy(C=C, n=n)
    assert (2 * n + 1) * acc >= sqrt(C)
    return row("rbht09.thm18/printed/defined")(delta=delta, acc=acc, C=C, n=n) <= 0 or delta * (2 * n + 1) > 1


def circle(acc, C, n):
    """No mechanism is more private than the claimed level; the zero function is useful from min{C, sqrt(C)} on."""
    level = row("rbht09.thm20/printed")(delta=0.05, sigma=0.3, acc=acc, C=C, n=n)
    if acc >= min(C, sqrt(C)):
        return level <= 0
    return level <= lower_bounds.packing_level(delta=0.05, N=int(lower_bounds_rbf.circle_databases(sigma=0.3)))


def every_sigma(acc, C, n):
    """A sigma at which no 1-private mechanism is useful; the zero function is, where it is useful at all."""
    setting = {"delta": 0.05, "acc": acc, "C": C, "n": n}
    sigma = row("rbht09.thm20/printed/words")(beta=1.0, **setting) * (1 - TINY)
    return acc < min(C, sqrt(C)) and lower_bounds_rbf.circle_level(sigma=sigma, **setting) >= 1


def quoted_rate(key):
    """A tenth of the quoted rate at least."""
    return lambda gamma, n, R: row(key)(n=n, gamma=gamma, epsilon=1.0, R=R) >= 0.1


def relative_deviation(n, k, beta):
    """R <= 2 R_S + 4 Q follows from the relative deviation bound; a negative bound is false."""
    claimed = float(row("wzw25.lem6.6/printed")(n=n, k=k, beta=beta, empirical=0.0))
    assert claimed < 0 or claimed * n >= 4 * (k * log(2 * n) + log(4 / beta)) * (1 - TINY)
    return claimed >= 0


def missed_best(beta, size):
    """The largest r that the printed condition admits, and the probability that no draw is the best candidate."""
    r, miss = min(1, 1 / row("wzw25.lem7.2/printed")(beta=beta, size=size)), Fraction(size - 1, size)
    return r * miss / (1 - (1 - r) * miss) <= beta


def linear_descent(eta, steps):
    """A linear loss of slope 1 without noise, w_ref = w_0 = 0: w_t = eta t."""
    final, excess = (eta * steps) ** 2, -eta * (steps - 1) / 2
    printed = row("wzw25.lemC.1.s5/printed/telescoped")
    return excess <= printed(distance=0.0, eta=eta, steps=steps, second_moment=1.0, final=final) + TINY


def loss_order(n, radius, times=1.0, key="wzw25.lemD.1/printed"):
    """The order of the corrected lemma within a factor 10 of the printed one; `times` is n for a sum of losses."""
    sizes = {"n": n, "gamma": 0.01, "outliers": n, "mu": 1e12, "beta": 0.5, "radius": radius}
    return times * one_margin.expected_order(**sizes) <= 10 * row(key)(**sizes)


def grid_in_a_ball(radius, epsilon, n=6):
    """Both sides of the display with the constant 4, for profiles of margins with up to two outliers."""
    printed = row("wzw25.corG.2/printed")
    for margin, outliers in ((m * radius / n, k) for m in (0.05, 0.5, 0.999, 1.0, 1.999, n) for k in range(3)):
        profile = (0.0,) * outliers + (margin,) * (n - outliers)
        sizes = {"n": n, "epsilon": epsilon, "radius": radius}
        levels = [(margin_grid.fewest(profile=profile, gamma=float(g)), float(g)) for g in grid_of(n, radius)]
        left = min(1, *(printed(outliers=k, gamma=g, **sizes) for k, g in levels))
        if left > 4 * printed(outliers=outliers, gamma=margin, **sizes) * (1 + TINY):
            return False
    return True


def grid_of(n, radius):
    """b/n, 2b/n, ..., b."""
    return margin_grid.doubling_grid(n, Fraction(radius))


def is_proved(key, **setting):
    """Whether the row that the line names proves the claim: an open statement is not known to be false elsewhere."""
    return THEOREMS[key].skipped(setting) is None


ONE_MARGIN = dict(gamma=1.0, outliers=1, beta=0.5)
PRINTED = {  # key -> (whether the printed claim is true, points where the line says so, points next to them)
    "abgmu22.lem.conc.s2/printed": (
        bernstein,
        [(n, p, t, s) for n in (1, 4, 50) for p in (0.1, 0.5) for t in (0.0, 0.1, 0.499) for s in ((1,), (-1,))],
        [(1, 0.5, 0.499, (1, -1))],
    ),
    "bms22.thm3.1.s5/printed/hence": (
        lambda share: share * 0.9 > row("bms22.thm3.1.s5/printed/hence")(norm_bound=1.0, radius=1.0, rho=0.9),
        [(2 / 3,), (1.0,)],
        [(1 / 3,), (0.649,)],
    ),
    "bms22.lem3.1.s2/printed/sum": (
        geometric_sum,
        [],
        [(1, 0.99, 1, 1.0), (100, 1e-6, 7, 0.1), (10, 2 * exp(-2), 1, 1)],
    ),
    "bms22.thm3.2.s6/printed/minimiser": (ball_minimum, [(0.5, 0.5), (1.0, 0.5)], [(1.001, 0.5)]),
    "bms22.thm4.1.bochner/printed/domain": (
        lambda share: row("bms22.thm4.1.bochner/printed/domain")(share=share) == 1,
        [(1.0,)],
        [(0.999,)],
    ),
    "bms22.lemF.1.s3/printed": (half_the_best, [(0.3, 0.5, 0), (0.25, 0.5, 3)], [(0.2501, 0.5, 1), (1.0, 0.5, 0.01)]),
    "bms22.lemG.1.s1/printed": (lambda d: row("bms22.lemG.1.s1/printed")(d=d) <= Fraction(1, 2), [], [(1,), (7,)]),
    "bms22.lemG.1.s4/printed": (lambda d: 1 / sqrt(d) >= row("bms22.lemG.1.s4/printed")(d=d), [(1,), (64,)], [(65,)]),
    "rbht09.thm8/printed/defined": (
        useful_as_defined,
        [(F, delta) for F in (1, 2, 3, 10, 1000) for delta in (0.001, 0.5, 0.8)],
        [(1, 0.83), (2, 0.83)],
    ),
    "rbht09.fn5.text/printed": (
        lambda lam: row("rbht09.fn5.text/printed")(lam=lam) == lam,
        [(1.0,)],
        [(1.01,), (0.99,)],
    ),
    "rbht09.lem12.s4/printed": (risk_of_one_record, [(0.5, 0.5), (1.0, 1.0)], [(0.5, 0.51)]),
    "rbht09.thm14.s3/printed": (
        lambda apart: 0.5 * 0.5 + apart == row("rbht09.thm14.s3/printed")(conditional=0.5, event=0.5),
        [(0.0,)],
        [(0.01,)],
    ),
    "rbht09.cor15.s1/printed": (
        lambda acc: min(1, (acc / (2 * (1 + sqrt(6)))) ** 4) <= row("rbht09.cor15.s1/printed")(acc=acc, C=1.0),
        [(8.0,), (100.0,)],
        [(7.99,), (0.01,)],
    ),
    "rbht09.thm18/printed/defined": (blind_choice, [(0.5,), (0.9,)], [(0.2,), (0.01,)]),
    "rbht09.thm18.s2/printed": (
        lambda success: 1 - success < row("rbht09.thm18.s2/printed")(delta=Fraction(1, 4)),
        [(Fraction(751, 1000),)],
        [(Fraction(3, 4),)],
    ),
    "rbht09.thm20/printed": (circle, [(0.999 * C / (4 * n), C, n) for C, n in ((1.0, 5), (4.0, 20))], [(1.0, 1.0, 5)]),
    "rbht09.thm20/printed/words": (every_sigma, [(0.00249, 1.0, 100)], [(1.0, 1.0, 100)]),
    "rbht09.thm20.s3/printed": (
        lambda failure: failure / 3 < row("rbht09.thm20.s3/printed")(delta=Fraction(1, 4), N=4),
        [(Fraction(249, 1000),)],
        [(Fraction(1, 4),)],
    ),
    "rbht09.lem21.s1/printed": (
        lambda square: row("rbht09.lem21.s1/printed")(n=3, C=1.0, g=3 / 2 * square, squared_distance=square) <= 0,
        [(0.0,)],
        [(1e-12,)],
    ),
    "wzw25.tab1.s2/printed": (
        quoted_rate("wzw25.tab1.s2/printed"),
        [(0.3, 1e4, 1.0), (0.3, 1e14, 1.0), (1e-6, 1e12, 1.0), (1e-6, 1e18, 1e-6)],
        [(1e-3, 1e12, 1.0)],
    ),
    "wzw25.tab2.s4/printed": (
        quoted_rate("wzw25.tab2.s4/printed"),
        [(0.3, 1e4, 1.0), (0.3, 1e14, 1.0), (1e-6, 1e12, 1.0), (1e-6, 1e18, 1e-6)],
        [(1e-3, 1e12, 1.0)],
    ),
    "wzw25.lem6.6/printed": (
        relative_deviation,
        [(n, k, 4 / (2 * n) ** (k / 5)) for n, k in ((100, 5), (1000, 50))],
        [(100, 1, 3.9 / 200**5)],
    ),
    "wzw25.thm6.7.s4/printed/equality": (
        lambda n: (
            4 * sqrt(len(grid_of(n, 1))) == row("wzw25.thm6.7.s4/printed/equality")(n=n, epsilon=1.0, delta=exp(-1))
        ),
        [],
        [(n,) for n in range(1, 300)],
    ),
    "wzw25.thm6.7.s7/printed": (
        lambda n: (
            2 * sqrt(2 * log(2 * n * n)) / n == pytest.approx(float(row("wzw25.thm6.7.s7/printed")(n=n)), rel=TINY)
        ),
        [],
        [(1,), (2,), (10**6,)],
    ),
    "wzw25.thm6.7.sensitivity/printed": (
        lambda n: 1 / n == row("wzw25.thm6.7.sensitivity/printed")(n=n),
        [(1,)],
        [(2,)],
    ),
    "wzw25.lem7.2/printed": (
        missed_best,
        [(Fraction(m - 1, m), m) for m in (2, 10)] + [(Fraction(99, 100), 10)],
        [(Fraction(m - 1, m) - Fraction(1, 1000), m) for m in (2, 10)],
    ),
    "wzw25.corA.6.s3/printed": (
        lambda n, t: float(row("wzw25.corA.6.s3/printed")(n=n, sigma=1.0, t=t)) == pytest.approx(1, abs=1e-6),
        [(n, 2 * float(norm.ppf(0.5 ** (1 / n)))) for n in (2, 50)],
        [(2, 1.08), (2, 1.1)],
    ),
    "wzw25.lemC.1.s5/printed/telescoped": (linear_descent, [(0.5, 1), (0.5, 1000), (0.1, 10**6)], [(0.51, 51)]),
    "wzw25.lemD.1/printed": (loss_order, [(10, 0.01), (10, 1.0), (10, 9.0)], [(10, 100.0)]),
    "wzw25.lemD.1.s3/printed": (
        lambda stretch: 1 + 3 * stretch <= row("wzw25.lemD.1.s3/printed")(share=1.0),
        [(0.5,), (sqrt(4 / 3),)],
        [(1.001 * sqrt(4 / 3),)],
    ),
    "wzw25.lemD.1.s6/printed": (
        lambda n: loss_order(n, 1.0, n, "wzw25.lemD.1.s6/printed"),
        [(1,), (10,)],
        [(100,)],
    ),
    "wzw25.corG.2/printed": (
        grid_in_a_ball,
        [(0.1, 2400.0), (3.0, 8 / 3), (100.0, 0.18), (1e4, 1.8e-3)],
        [(0.1, 2410.0), (100.0, 0.26), (1e4, 2.6e-3)],
    ),
    "wzw25.lemK.4.s2/printed": (
        lambda scores, noise: (
            scores[int(np.argmin(np.add(scores, noise)))]
            <= row("wzw25.lemK.4.s2/printed")(scores=scores, noise=noise) + TINY
        ),
        [([0, 1], [-0.5, 0.5]), ([0, 0], [1, 2])],
        [([0, 1], [-0.51, 0.5]), ([0], [-1])],
    ),
    "wzw25.lem6.3/printed/projected": (
        lambda n, mu: is_proved("wzw25.lem6.3/explicit/dimension", n=n, mu=mu, **ONE_MARGIN),
        [(2, 128.0), (10, 1e7)],
        [(2, 128.1)],
    ),
    "wzw25.lemC.2/printed": (
        lambda d, beta: (
            row("wzw25.lemC.2/printed")(d=d, mu=1.0, sensitivity=1.0, distance=1.0, beta=beta) * 15
            >= THEOREMS["wzw25.lemC.2/explicit/dimension"].formula(
                n=100, d=d, mu=1.0, sensitivity=1.0, distance=1.0, beta=beta
            )
        ),
        [(14, 0.5), (100, 0.1)],
        [(10, 0.5)],
    ),
}


def test_every_line_is_tried():
    assert PRINTED.keys() == {key for paper in library.house for key in paper.true_where}


@pytest.mark.parametrize("key", PRINTED)
def test_the_printed_words_are_true_where_the_line_says(key):
    is_true, inside, outside = PRINTED[key]
    assert [point for point in inside if not is_true(*point)] == []
    assert [point for point in outside if is_true(*point)] == [] and outside
