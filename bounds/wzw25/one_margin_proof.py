r"""The printed proofs of Lemma D.1 and of Lemmas H.2 and H.3, step by step: Wang, Zhu & Wang (2025).

Names as in `bounds.wzw25.one_margin`. In Appendix H, `mu` is the budget of one call of Algorithm 1 and of one score,
epsilon / (4 sqrt(|Gamma| log(1/delta))), |Gamma| = ceil(log2 n) + 1, and a score is a number of errors with noise of
standard deviation 1/mu. Where a step says "left <= right" the function returns the right side.
"""

from __future__ import annotations

from math import log, sqrt

from bounds.papers import WZW25
from bounds.theorem import in_unit_interval, integer, positive, require, theorem
from bounds.wzw25.one_margin import PROOF, WITHIN_RADIUS, spread

SHARE = require("0 < gamma / b <= 1", lambda share: 0 < share <= 1)


# Lemma D.1 ------------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lemD.1.s1",
    kind="mean",
    says=r"\mathbb{E}_{\mathcal{A}}[\hat L_{\gamma/3}(\bar{\mathbf{w}};\Phi S)]\le"
    r"\hat L_{\gamma/3}(\mathring{\mathbf{w}}_{in};\Phi S)+\frac{4\Delta\sqrt k}{\mu}",
    needs=[integer("rows"), positive("mu"), positive("sensitivity")],
    source=f"{PROOF}, first display",
)
def noise_part(*, rows, mu, sensitivity):
    """The descent loses at most 4 Delta sqrt(k)/mu against the separator of the projected inliers

    Lemma C.1 with ||w_ref - w_0|| = 1. Its explicit reading has Delta sqrt(n^2/T + k/mu^2) <= Delta sqrt(1 + k)/mu,
    at most 0.354 times this.

    >>> noise_part(rows=4, mu=0.5, sensitivity=1.0)
    16.0
    """
    return 4 * sensitivity * sqrt(rows) / mu


@theorem(
    "wzw25.lemD.1.s2",
    says=r"\gamma(\Phi S_{\mathrm{in}})\ge\frac{\gamma}{3}\ \Rightarrow\ "
    r"\hat L_{\gamma/3}(\mathring{\mathbf{w}}_{in};\Phi S_{\mathrm{in}})=0",
    source=f"{PROOF}, third display",
)
def inlier_loss(*, margin, gamma):
    """On the event that a third of the margin survives, the inliers cost nothing

    max(0, 1 - margin / (gamma/3)) for a record that the unit separator sees at `margin` >= gamma/3.

    >>> inlier_loss(margin=0.25, gamma=0.75), inlier_loss(margin=0.125, gamma=0.75)
    (0, 0.5)
    """
    return max(0, 1 - 3 * margin / gamma)


@theorem(
    "wzw25.lemD.1.s3",
    says=r"\gamma(\Phi S_{\mathrm{in}})\ge\frac{\gamma}{3}\ \Rightarrow\ \hat L_{\gamma/3}"
    r"(\mathring{\mathbf{w}}_{in};\Phi S_{\mathrm{out}})\le|S_{\mathrm{out}}|\left(1+\frac{3b}{\gamma}"
    r"\sqrt{1+\frac{\gamma}{3b}}\right)",
    needs=[SHARE],
    source=f"{PROOF}, 'under the same event'",
)
def outlier_loss(*, share):
    """What an outlier costs, on the event E1 that a third of the margin survives; gamma/b is `share`

    1 + (3/share) sqrt(1 + share/3). The event it needs is that of Lemma B.1: the norms of the outliers too.

    >>> round(outlier_loss(share=1.0), 3)
    4.464
    """
    return 1 + 3 / share * (1 + share / 3) ** 0.5


@outlier_loss.corrected(
    says=r"\|\Phi\mathbf{x}\|\le\sqrt{1+\frac{\gamma}{3b}}\|\mathbf{x}\|\ \forall\mathbf{x}\in S_{\mathrm{out}}"
    r"\ \Rightarrow\ \hat L_{\gamma/3}(\mathbf{w};\Phi S_{\mathrm{out}})\le|S_{\mathrm{out}}|\left(1+\frac{3b}{\gamma}"
    r"\sqrt{1+\frac{\gamma}{3b}}\right)\quad(\|\mathbf{w}\|=1)",
    source=f"{PROOF}, on the event of Lemma B.1",
)
def outlier_loss_corrected(*, share):
    """What an outlier costs, on the event of Lemma B.1, norms of outliers included; gamma/b is `share`

    Cauchy-Schwarz. Lemma B.1 gives that event with probability 1 - beta for the same k (e = gamma/b). On E1 alone the
    clipping at 2b leaves 1 + 6b/gamma.
    """
    return 1 + 3 / share * (1 + share / 3) ** 0.5


@theorem(
    "wzw25.lemD.1.s4",
    says=r"1+\frac{3b}{\gamma}\sqrt{1+\frac{\gamma}{3b}}\le\frac{23b}{5\gamma},\quad\frac{\gamma}{b}\in(0,1]",
    needs=[SHARE],
    source=f"{PROOF}, 'Lemma B.1 norm preservation', last line",
)
def twenty_three_fifths(*, share):
    """23 b / (5 gamma) covers the cost of an outlier; gamma/b is `share`

    share + 3 sqrt(1 + share/3) increases to 1 + 2 sqrt 3 = 4.4641 at share = 1, below 4.6.

    >>> twenty_three_fifths(share=0.5)
    9.2
    """
    return 23 / (5 * share)


@theorem(
    "wzw25.lemD.1.s5",
    says=r"\Delta\le\frac{12b}{\gamma}",
    needs=[positive("gamma"), positive("radius")],
    source=f"{PROOF}, 'Lemma A.10'",
)
def projected_sensitivity(*, gamma, radius):
    """The gradient sum of the width gamma/3 changes by at most 12 b/gamma when one clipped record is replaced

    Lemma A.10 (b) for records of norm 2b: 2 (2b)/(gamma/3). The sensitivity is the gradient's, not the loss's.

    >>> projected_sensitivity(gamma=0.5, radius=1.0)
    24.0
    """
    return 12 * radius / gamma


LAST = r"O\left(\frac{b^2\log^{1/2}((n+2)(n+1)/\beta)}{n\gamma^2\mu}+\frac{b|S_{\mathrm{out}}|}{n\gamma}\right)"
LAST_NEEDS = [
    integer("n"),
    integer("outliers", 0),
    positive("gamma"),
    positive("radius"),
    WITHIN_RADIUS,
    positive("mu"),
    in_unit_interval("beta"),
]


@theorem(
    "wzw25.lemD.1.s6",
    kind="mean",
    says=r"\mathbb{E}_{\mathcal{A}}[\hat L_{\gamma/3}(\bar{\mathbf{w}};\Phi S)]\le " + LAST,
    needs=LAST_NEEDS,
    source=f"{PROOF}, last display, announced as 'the averaged loss'",
)
def last_display_as_printed(*, n, gamma, outliers, mu, beta, radius=1.0):
    """The last display of the proof, with a hat: the summed loss

    The right side is the one of Lemma D.1 (corrected); the left side is n times that of the lemma.
    """
    return radius**2 * sqrt(spread(n, beta)) / (n * gamma**2 * mu) + radius * outliers / (n * gamma)


@theorem(
    "wzw25.lem6.3.s1",
    reading="explicit",
    says=r"\frac{\Delta\sqrt{k\log(1/\beta)}}{\mu}\le60\,\frac{b\sqrt{\log(1/\beta)}}{\mu\gamma}"
    r"\cdot\frac{b\sqrt{\log((n+1)(n+2)/\beta)}}{\gamma}",
    needs=[n for n in LAST_NEEDS if n.names != ("outliers",)],
    source=f"{WZW25}, Appendix D.2, third line of the display; our constant",
)
def last_noise_part(*, n, gamma, mu, beta, radius=1.0):
    """The noise of the last iterate in terms of n, gamma, mu and beta: the substitution of Delta and k in Appendix D.2

    Delta <= 12 b/gamma (`wzw25.lemD.1.s5`) and k <= 24.6 (b/gamma)^2 log((n+1)(n+2)/beta) (Lemma 6.2), and
    12 sqrt(24.6) < 60. The other lines of the display are those of Lemma D.1: the inliers cost nothing (s2), an outlier
    at most 23 b/(5 gamma) (s3 corrected, s4).

    >>> round(last_noise_part(n=1, gamma=1.0, mu=1.0, beta=0.5))
    79
    """
    return 60 * radius**2 * sqrt(-log(beta) * spread(n, beta)) / (mu * gamma**2)
