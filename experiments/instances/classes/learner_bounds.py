"""Theorem 3.1 of bms22 at the corners of its hypotheses: the links of its orders and of the explicit bound."""

from math import exp, inf, log, nextafter, sqrt

from lemmata.bounds.bms22 import pure_learner, pure_learner_proof as proof
from lemmata.bounds.exact.balls import upper_end
from lemmata.experiments.checks import Link
from lemmata.experiments.engine.claims.claim import grid
from lemmata.experiments.instances.classes.linear_learners import NARROW

CORNERS = {"m": [1, 2, 3, 10, 100, 10**4, 10**7, 10**12], "norm_bound": [1.0, 1.0001, 2.0, 100.0, 1e5]}
SPREAD = {"epsilon": [1e-6, 1e-3, 1.0, 1e3], "margin_loss": [0.0, 1e-3, 0.5]}


def corners(betas, **axes):
    """The corners of the hypotheses at r = rho = 1."""
    return grid(**CORNERS, **axes, beta=betas, radius=[1.0], rho=[1.0])


def derived(*, m, epsilon, beta, norm_bound, radius, rho, margin_loss):
    """An upper bound on explicit if beta <= 1/2 and C order < 1, by the derivation of `pure_learner.printed_gap`."""
    a, L = norm_bound * radius / rho, log(m) - log(beta)
    A = 29.3 * (a**2 * L**2 - log(beta)) / m
    alpha = 628 * a**2 * L * (log(a) - log(beta)) / (epsilon * m)
    return sqrt(2 * margin_loss * A) + 1.025 * alpha + 22 * A


def explicit_against(chain, g, constant, betas, sharpest):
    """Cases of min(1, explicit) <= C g at the corners, with the links where C g < 1, and k as another row bounds it.

    `sharpest` is the sample at which a search over all arguments finds explicit / g largest.
    """
    sample = sharpest | {"norm_bound": 1.0, "radius": 1.0, "rho": 1.0, "margin_loss": 0.0}
    most, order = min(1.0, pure_learner.explicit_gap.theorem.formula(**sample)), g(**sample)
    yield sample, most, order
    for setting in corners(betas, **SPREAD):
        explicit, order = pure_learner.explicit_gap.theorem.formula(**setting), g(**setting)
        yield setting, min(1.0, explicit), order
        if constant * order < 1:
            yield Link("explicit ≤ √(2RA) + 1.025 α + 22 A", setting, explicit, chain(**setting))
            yield Link("A ≤ 29.3 (a²L² + log(1/β))/m", setting, chain(**setting), constant * order)
    note = f"explicit ≤ C g with C = {constant:g}; explicit / g reaches {most / order:.3g}"
    return {"note": note, "tightness": (most / order / constant, 1.0)}


EVENTS = grid(
    m=[1, 10, 10**4, 10**8],
    epsilon=[1e-3, 1.0, 1e9],
    beta=[1e-12, 0.1, 1 - 1e-9],
    rho=[1.0, 0.3, 1e-3],
    norm_bound=[1.0],
    radius=[1.0],
    margin_loss=[0.0, 0.5],
)


def links(*, margin_loss, factor=1, **setting):
    """How much each link of the derivation uses of its allowance, the gap divided by `factor`.

    The three failure probabilities are in units of beta/4; the margin that the cover loses, in units of 2 rho/3.
    """
    m, beta = setting["m"], setting["beta"]
    terms, sizes = pure_learner.explicit_terms(**setting), {name: setting[name] for name in NARROW}
    gap = pure_learner.explicit_gap(margin_loss=margin_loss, **setting) / factor
    projection = proof.projection_failure(m=m, k=terms.rows, **sizes)
    return {
        "margin": proof.margin_lost_to_the_cover(**sizes) / proof.margin_kept_corrected(**sizes),
        "projection": upper_end(projection) / (beta / 4),
    } | choice_links(terms, m=m, epsilon=setting["epsilon"], beta=beta, margin_loss=margin_loss, gap=gap)


def choice_links(terms, *, m, epsilon, beta, margin_loss, gap):
    """The failures of the selection and of the deviation of a learner that chooses from a cover, in units of beta/4."""
    rounding = 1e-13 * terms.log_size  # of sums of logarithms as large as log|C|
    selection = proof.log_worst_selection(log_size=terms.log_size, m=m, epsilon=epsilon, alpha=terms.alpha)
    # Chernoff's exponent for a risk above margin loss + gap of a candidate that errs on margin loss + alpha
    complexity = max(0.0, gap - terms.alpha) ** 2 / (margin_loss + gap) / 2
    union = proof.log_union(log_size=terms.log_size, m=m, complexity=complexity)
    return {
        "selection": exp(selection - rounding - log(beta / 4)),
        "deviation": exp(min(0.0, union - rounding) - log(beta / 4)),
    }


def appendix_reading():
    """The separate appendix's reading, root over the loss alone: deviations of 1/m at loss near 1/2."""
    ratios = []
    for m in (10**6, 10**10, 10**14):
        # x = r e_1, y a fair coin: the risk is 1/2; the best sign has loss <= 1/2 - 1/(2 sqrt m) with probability > 0.3
        spread = pure_learner.printed_gap(m=m, epsilon=1e300, beta=0.3, margin_loss=0.0, **NARROW | {"rho": 0.99})
        ratios.append(0.5 / sqrt(m) / ((1 + sqrt(0.5)) * spread))
    return (
        "in the appendix circulated apart the root spans the margin loss alone; that would be false at every β: with "
        f"x = r e_1 and y a fair coin the excess risk is {ratios[0]:.2g}, {ratios[1]:.2g} and {ratios[2]:.2g} times as "
        "large at m = 1e6, 1e10 and 1e14, with probability above 0.3"
    )


def says_nothing(**setting):
    """Why the explicit bound is vacuous, or None."""
    bound = setting["margin_loss"] + pure_learner.explicit_gap(**setting)
    if bound < 1:
        return None
    k = pure_learner.projection_rows(**{name: setting[name] for name in ("m", "beta", *NARROW)})
    return f"the bound is {bound:.3g}, at least the largest risk 1 (k = {k})"


def too_few(*, k, m, epsilon, beta, norm_bound, radius, rho):
    """Why alpha is vacuous, or None; |C| is at least (20a)^k."""
    log_size = k * log(20 * norm_bound * radius / rho)
    alpha = pure_learner.selection_error(m=m, epsilon=epsilon, beta=beta, log_size=log_size)
    return f"alpha = {alpha:.3g} is at least 1, the largest excess" if alpha >= 1 else None


def margins_above(premise, needed):
    """Cases of "every projected margin that the premise allows is above the margin of the loss", on a grid."""
    sizes = {"norm_bound": 1.0, "radius": 1.25**0.5, "rho": 0.9}
    least, asks = premise(**sizes), needed(**sizes)
    for margin in (0.5, *(least + i * 0.9 / 100 for i in range(200))):
        if margin >= least:
            yield {"rho": 0.9, "projected margin": margin}, nextafter(asks, inf), margin
