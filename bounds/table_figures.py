"""What Algorithm 3 errs at most, in numbers: the curve beside the rates of Tables 1 and 2, Wang, Zhu & Wang (2025)."""

from __future__ import annotations

from math import log, sqrt

from bounds.margin_grid import doubling_grid
from bounds.private_tuning_rates import summed_loss
from bounds.theorem import integer, positive, require, theorem

WZW25 = "Wang, Zhu & Wang 2025"
RISK = r"\mathbb{E}[\tilde{\mathcal{R}}_S(\bar w_{\mathrm{out}})]\le\min_{\gamma'\in\Gamma,\,\gamma'\le\gamma}"
BOUND = (
    r"\left\{\frac{|S_{\mathrm{out}}|}{n}\left(1+\frac{3b}{\gamma'}\right)"
    r"+\frac{6b}{\gamma' n}\sqrt{\frac{n^2}{4T}+\frac{d}{\mu_c^2}}\right\}+\frac{\sqrt{2\log|\Gamma|}}{n\mu_c}"
)
NEEDS = [
    integer("n"),
    integer("outliers", 0),
    positive("mu"),
    integer("d"),
    integer("steps"),
    require("1/n <= gamma / radius <= 1", lambda n, gamma, radius: radius / n <= gamma <= radius),
]


def _risk(n, gamma, outliers, mu, d, steps, radius):
    grid = doubling_grid(n, radius)
    each = mu / sqrt(2 * len(grid))
    known = dict(n=n, outliers=outliers, mu=each, rows=d, steps=steps, projected=False, stride="tuned")
    reached = [g for g in grid if g <= gamma * (1 + 1e-12)]  # gamma may be a grid value that was rounded
    losses = [summed_loss(gamma=float(g) / radius, **known) for g in reached]
    return (min(losses) + sqrt(2 * log(len(grid))) / each) / n


@theorem(
    "wzw25.tab1",
    part="measured",
    reading="explicit",
    kind="mean",
    says=RISK + BOUND.replace("3b", "3").replace("6b", "6"),
    needs=NEEDS,
    source=f"{WZW25}, Table 1, row 4; Lemma H.2 with our constants, no projection",
)
def adaptive_error(*, n, gamma, outliers, mu, d, steps, radius=1.0):
    """Figure of Table 1: measured errors beside the printed rates, and a bound with our constants

    The expected empirical zero-one risk of Algorithm 3 without projections (dimension d no larger than any k), with
    Gaussian budget mu and T = `steps` tuned steps for each margin of the grid, mu_c = mu / sqrt(2 |Gamma|), on data of
    which `outliers` records leave the margin gamma. (1) The hinge sum bounds the errors, and at a grid value g <= gamma
    it is `summed_loss` at most in expectation. (2) The release errs at most as often as any candidate does, plus the
    noise of that candidate's score, which has mean 0, minus the noise of its own, whose mean is at most sqrt(2 log
    |Gamma|) / mu_c (a score counts errors, its noise has deviation 1 / mu_c).

    >>> round(adaptive_error(n=800, gamma=0.64, outliers=8, mu=0.268, d=5, steps=800), 2)
    0.59
    """
    return _risk(n, gamma, outliers, mu, d, steps, radius)


@theorem(
    "wzw25.tab2",
    part="measured",
    reading="explicit",
    kind="mean",
    says=RISK + BOUND,
    needs=[*NEEDS, positive("radius")],
    source=f"{WZW25}, Table 2, row 3; Lemma H.2 with our constants, no projection",
)
def adaptive_error_in_ball(*, n, gamma, outliers, mu, d, steps, radius):
    """Figure of Table 2: measured errors beside the printed rates for data in a ball of radius b

    `adaptive_error` at gamma / b: Algorithm 3 in a ball of radius b is Algorithm 3 for the records divided by b.

    >>> round(adaptive_error_in_ball(n=800, gamma=6.4, outliers=8, mu=0.268, d=5, steps=800, radius=10.0), 2)
    0.59
    """
    return _risk(n, gamma, outliers, mu, d, steps, radius)
