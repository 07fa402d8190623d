r"""What the proof of Lemma F.1 says, link by link (Bassily, Mohri & Suresh 2022, Appendix F).

The proof goes from rho* to the best rho_opt of the interval through a grid point rho^ in [rho_opt/2, rho_opt]. A link
that speaks of arbitrary functions is written for a family that contains its extremes: Delta_rho = rho^power,
F(rho, t) = rho^-power + slope t.
"""

from __future__ import annotations

from math import inf

from bounds.margin_selection import BMS22, PENALTY, corrected_penalty, grid_size, printed_penalty
from bounds.theorem import at_least, between, in_unit_interval, integer, positive, require, theorem

PROOF = f"{BMS22}, proof of Lemma F.1"
BEST = r"F(\rho^*;g_{\rho^*}(S))\le\min_{\rho\in\mathcal{V}}F(\rho;g_\rho(S))"
NEAR = [
    positive("rho_hat"),
    require("rho_opt/2 <= rho_hat <= rho_opt", lambda rho_hat, rho_opt: rho_opt / 2 <= rho_hat <= rho_opt),
]
LOSSES = require("0 <= loss_hat <= loss_opt", lambda loss_hat, loss_opt: 0 <= loss_hat <= loss_opt)


@theorem(
    "bms22.lemF.1.s2",
    parent="bms22.lemF.1",
    kind="tail",
    says=rf"\Pr\left[{BEST}+\frac{{\Delta_\rho(F)}}{{\varepsilon}}\log\frac{{\log m}}{{\beta}}\right]\ge 1-\beta",
    needs=PENALTY,
    source=f"{PROOF}, citing Raskhodnikova & Smith 2016, Theorem I.4",
)
def printed_choice(*, sensitivity, m, epsilon, beta):
    """The choice of rho* loses (Delta / epsilon) log(log(m) / beta), constant 1

    >>> round(float(printed_choice(sensitivity=0.01, m=100, epsilon=1.0, beta=0.1)), 6)
    0.038298
    """
    return printed_penalty(sensitivity=sensitivity, m=m, epsilon=epsilon, beta=beta)


@theorem(
    "bms22.lemF.1.s2",
    parent="bms22.lemF.1",
    reading="corrected",
    kind="tail",
    says=rf"\Pr\left[{BEST}+\frac{{4\Delta_\rho(F)}}{{\varepsilon}}\log\frac{{J}}{{\beta}}\right]\ge 1-\beta",
    needs=PENALTY,
    source=f"{PROOF}, with the constant of abgmu22.thm.gem",
)
def corrected_choice(*, sensitivity, m, epsilon, beta):
    """The choice of rho* loses 4 (Delta / epsilon) log(J / beta)

    The minimum takes both terms: min over the grid of F + 4 Delta log(J/beta) / epsilon.

    >>> round(float(corrected_choice(sensitivity=0.01, m=100, epsilon=1.0, beta=0.1)), 6)
    0.147555
    """
    return corrected_penalty(sensitivity=sensitivity, m=m, epsilon=epsilon, beta=beta)


@theorem(
    "bms22.lemF.1.s3",
    parent="bms22.lemF.1",
    says=r"\Delta_\rho\ \mathrm{non-decreasing},\ \hat{\rho}>\frac{\rho_{opt}}{2}\ \Rightarrow\ "
    r"\Delta_{\hat{\rho}}(F)\le\Delta_{\rho_{opt}/2}(F)",
    needs=[*NEAR, at_least("power", 0)],
    source=PROOF,
)
def half_sensitivity(*, rho_hat, rho_opt, power):
    """The sensitivity at rho_opt/2 bounds that at the grid point, for a non-decreasing Delta_rho = rho^power

    The right-hand side.

    >>> half_sensitivity(rho_hat=0.25, rho_opt=0.25, power=1)
    0.125
    """
    return (rho_opt / 2) ** power


@theorem(
    "bms22.lemF.1.s3",
    parent="bms22.lemF.1",
    reading="corrected",
    says=r"\Delta_\rho\ \mathrm{non-increasing},\ \hat{\rho}\ge\frac{\rho_{opt}}{2}\ \Rightarrow\ "
    r"\Delta_{\hat{\rho}}(F)\le\Delta_{\rho_{opt}/2}(F)",
    needs=[*NEAR, between("power", -inf, 0)],
    source=f"{PROOF}, with the direction that Lemma F.3's sensitivities have",
)
def half_sensitivity_corrected(*, rho_hat, rho_opt, power):
    """The sensitivity at rho_opt/2 bounds that at the grid point, for a non-increasing Delta_rho = rho^power

    >>> half_sensitivity_corrected(rho_hat=0.25, rho_opt=0.25, power=-1)
    8.0
    """
    return (rho_opt / 2) ** power


@theorem(
    "bms22.lemF.1.s4",
    parent="bms22.lemF.1",
    says=r"F(\hat{\rho};g_{\hat{\rho}}(S))\le F(\hat{\rho};g_{\rho_{opt}}(S))",
    needs=[LOSSES, positive("rho"), at_least("power", 0), between("slope", -inf, inf)],
    source=PROOF,
)
def raised_loss(*, rho, loss_hat, loss_opt, power, slope):
    """A larger empirical loss gives a larger bound, F(rho, t) = rho^-power + slope t with any slope

    The right-hand side. The lemma asks that F(rho, t) be non-increasing in rho for every t, and nothing of t.

    >>> raised_loss(rho=0.5, loss_hat=0.1, loss_opt=0.2, power=1, slope=1)
    2.2
    """
    return rho**-power + slope * loss_opt


@theorem(
    "bms22.lemF.1.s4",
    parent="bms22.lemF.1",
    reading="corrected",
    says=r"F(\rho,t)\ \mathrm{non-decreasing\ in}\ t\ \Rightarrow\ "
    r"F(\hat{\rho};g_{\hat{\rho}}(S))\le F(\hat{\rho};g_{\rho_{opt}}(S))",
    needs=[LOSSES, positive("rho"), at_least("power", 0), at_least("slope", 0)],
    source=f"{PROOF}, with the missing hypothesis",
)
def raised_loss_corrected(*, rho, loss_hat, loss_opt, power, slope):
    """A larger empirical loss gives a larger bound if F(rho, t) is non-decreasing in t, as F_1 to F_5 are

    >>> raised_loss_corrected(rho=0.5, loss_hat=0.1, loss_opt=0.2, power=1, slope=1)
    2.2
    """
    return rho**-power + slope * loss_opt


@theorem(
    "bms22.lemF.1.s5",
    parent="bms22.lemF.1",
    says=r"F(\hat{\rho};g_{\rho_{opt}}(S))\le F(\rho_{opt}/2;g_{\rho_{opt}}(S))",
    needs=[*NEAR, at_least("power", 0)],
    source=PROOF,
)
def halved_margin(*, rho_hat, rho_opt, power):
    """Half the margin gives a larger bound, F(rho, t) = rho^-power + t at one t

    The right-hand side, without t. Needs rho_hat >= rho_opt/2 and that F is non-increasing in rho.

    >>> halved_margin(rho_hat=0.5, rho_opt=0.5, power=1)
    4.0
    """
    return (rho_opt / 2) ** -power


@theorem(
    "bms22.lemF.1.s6",
    parent="bms22.lemF.1",
    kind="tail",
    says=r"\Pr\left[R_D(w)\le F(\rho^*;g_{\rho^*}(S))\right]\ge 1-\beta",
    needs=[integer("m"), in_unit_interval("beta")],
    source=f"{PROOF}, (31)",
)
def printed_confidence(*, m, beta):
    """The learner's promise holds at the chosen margin with the confidence it has at every fixed margin

    The confidence at which A is run at each margin: beta. But rho* is a function of the sample, and prefers margins
    whose bound came out too small.

    >>> printed_confidence(m=100, beta=0.1)
    0.1
    """
    return beta


@theorem(
    "bms22.lemF.1.s6",
    parent="bms22.lemF.1",
    reading="corrected",
    kind="tail",
    says=r"\mathcal{A}\ \mathrm{at\ confidence}\ \frac{\beta}{J}\ \Rightarrow\ "
    r"\Pr\left[R_D(w)\le F(\rho^*;g_{\rho^*}(S))\right]\ge 1-\beta",
    needs=[integer("m"), in_unit_interval("beta")],
    source=f"{PROOF}, with a union bound over the grid",
)
def corrected_confidence(*, m, beta):
    """The confidence beta/J at which the promise survives the choice

    Some grid point fails with probability at most J beta/J.

    >>> corrected_confidence(m=100, beta=0.1)
    0.025
    """
    return beta / grid_size(m)
