"""The printed proof of Lemma D.1 and one line of that of Lemma 6.3, step by step: Wang, Zhu & Wang (2025), Appendix D.

Names as in `lemmata.bounds.wzw25.one_margin`. Where a step says "left <= right" the function returns the right side.
"""

from math import log, sqrt

from lemmata.bounds.theorem import integer, positive, require, theorem
from lemmata.bounds.wzw25 import WZW25
from lemmata.bounds.wzw25.algorithms import spread
from lemmata.bounds.wzw25.last_iterate import TAIL_NEEDS, harmonic
from lemmata.bounds.wzw25.one_margin import MEAN, ORDER, SAMPLE_NEEDS, noise_term, projected_gdp

PROOF = f"{WZW25}, Appendix D.1, proof of Lemma D.1"
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
def noise_part(*, rows: int, mu: float, sensitivity: float) -> float:
    """Descent loses at most 4 Delta sqrt(k)/mu against the projected separator.

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
def inlier_loss(*, margin: float, gamma: float) -> float:
    """An inlier has no hinge loss at width gamma/3 where a third of the margin is kept.

    max(0, 1 - margin / (gamma/3)) for a record that the unit separator sees at `margin` >= gamma/3.

    Derivation. Every inlier has y <w, Phi x> >= gamma/3 for the unit separator of the projected inliers, so 1 - y <w,
    Phi x>/(gamma/3) <= 0 and its hinge loss of width gamma/3 is 0; so is their sum.

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
def outlier_loss(*, share: float) -> float:
    """The largest cost of an outlier where the projection keeps a third of the margin.

    `share` is gamma/b.

    1 + (3/share) sqrt(1 + share/3), by Cauchy-Schwarz. The event it needs keeps the norms of the outliers too,
    and has probability 1 - beta for the same k (e = gamma/b; cf. Lemma B.1). On E1 alone the clipping at 2b leaves 1 +
    6b/gamma.

    >>> round(outlier_loss(share=1.0), 3)
    4.464
    """
    return 1 + 3 / share * (1 + share / 3) ** 0.5


outlier_loss_corrected = outlier_loss.corrected(
    says=r"\|\Phi\mathbf{x}\|\le\sqrt{1+\frac{\gamma}{3b}}\|\mathbf{x}\|\ \forall\mathbf{x}\in S_{\mathrm{out}}"
    r"\ \Rightarrow\ \hat L_{\gamma/3}(\mathbf{w};\Phi S_{\mathrm{out}})\le|S_{\mathrm{out}}|\left(1+\frac{3b}{\gamma}"
    r"\sqrt{1+\frac{\gamma}{3b}}\right)\quad(\|\mathbf{w}\|=1)",
    source=f"{PROOF}, on the event of Lemma B.1",
)(outlier_loss.theorem.formula)


@theorem(
    "wzw25.lemD.1.s4",
    says=r"1+\frac{3b}{\gamma}\sqrt{1+\frac{\gamma}{3b}}\le\frac{23b}{5\gamma},\quad\frac{\gamma}{b}\in(0,1]",
    needs=[SHARE],
    source=f"{PROOF}, 'Lemma B.1 norm preservation', last line",
)
def twenty_three_fifths(*, share: float) -> float:
    """23 b / (5 gamma) covers the cost of an outlier.

    `share` is gamma/b.

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
def projected_sensitivity(*, gamma: float, radius: float) -> float:
    """Replacing a clipped record changes the gradient sum by at most 12 b/gamma.

    Lemma A.10 (b) for records of norm 2b: 2 (2b)/(gamma/3). The sensitivity is the gradient's, not the loss's.

    >>> projected_sensitivity(gamma=0.5, radius=1.0)
    24.0
    """
    return 12 * radius / gamma


@theorem(
    "wzw25.lemD.1.s6",
    kind="mean",
    says=r"\mathbb{E}_{\mathcal{A}}[\hat L_{\gamma/3}(\bar{\mathbf{w}};\Phi S)]\le "
    + ORDER.replace(r"\gamma n", r"n\gamma"),
    needs=SAMPLE_NEEDS,
    source=f"{PROOF}, last display, announced as 'the averaged loss'",
)
def last_display_as_printed(
    *, n: int, gamma: float, outliers: int, mu: float, beta: float, radius: float = 1.0
) -> float:
    """The order of the proof's last display, printed for the average, true of the sum.

    The right side is the one of Lemma D.1 (corrected); the left side is n times that of the lemma.
    """
    return noise_term(n=n, gamma=gamma, mu=mu, beta=beta, radius=radius) + radius * outliers / (n * gamma)


last_display = last_display_as_printed.corrected(
    says=MEAN % (" " + ORDER), source=f"{PROOF}, last display, of the averaged loss"
)(last_display_as_printed.theorem.formula)


# Lemma 6.3 ------------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lem6.3.s2",
    reading="explicit",
    kind="tail",
    says=r"\hat L(\mathbf{w}_T)-\hat L(\mathbf{w}_{ref})\le\frac{D^2}{\eta(T+2)}+\eta G_0^2\left(H_T+\frac12\right)"
    r"+\eta\sigma^2H_T\left(k\log2+2\log\frac1\beta\right)\quad\mathrm{w.p.}\ 1-\beta",
    needs=TAIL_NEEDS,
    source="derived here, as Lemma C.2 (corrected)",
)
def three_terms(
    *, d: int, steps: int, gradient_norm: float, sigma: float, distance: float, eta: float, beta: float
) -> float:
    """The excess loss of the last iterate with probability 1 - beta, in closed form.

    `last_iterate_tail` at v = 1/(4 eta^2 sigma^2 H_T), where 1 <= k_t <= 2: k_0 v K_1/K_0^2 <= 2 v/(T + 2), sum_t k_t
    v_t <= v (2 H_T + 1) and log k_0 <= log 2. The last two are attained at T = 1.

    >>> three_terms(d=1, steps=1, gradient_norm=1.0, sigma=1.0, distance=3.0, eta=1.0, beta=0.5) == 4.5 + 3 * log(2)
    True
    """
    H = harmonic(steps)
    noise = sigma**2 * H * (d * log(2) - 2 * log(beta))
    return distance**2 / (eta * (steps + 2)) + eta * (gradient_norm**2 * (H + 0.5) + noise)


@theorem(
    "wzw25.lem6.3.s1",
    reading="explicit",
    says=r"\frac{\Delta\sqrt{k\log(1/\beta)}}{\mu}\le48.2\,\frac{b\sqrt{\log(1/\beta)}}{\mu\gamma}"
    r"\cdot\frac{b\sqrt{\log((n+1)(n+2)/\beta)}}{\gamma}",
    needs=[need for need in SAMPLE_NEEDS if "outliers" not in need.names],
    source=f"{WZW25}, Appendix D.2, third line of the display; our constant",
)
def last_noise_part(*, n: int, gamma: float, mu: float, beta: float, radius: float = 1.0) -> float:
    """The noise term of the last iterate's excess in n, gamma, mu and beta.

    Delta <= 12 b/gamma (`wzw25.lemD.1.s5`) and k <= 16.1 (b/gamma)^2 log((n+1)(n+2)/beta) (Lemma 6.2), and
    12 sqrt(16.1) < 48.2. The other lines of the display are those of Lemma D.1: the inliers cost nothing (s2), an
    outlier at most 23 b/(5 gamma) (s3 corrected, s4).

    >>> round(last_noise_part(n=1, gamma=1.0, mu=1.0, beta=0.5))
    63
    """
    return 48.2 * radius**2 * sqrt(-log(beta) * spread(n, beta)) / (mu * gamma**2)


@projected_gdp.explicit(
    part="lifting",
    says=r"\max_i\|\Phi\mathbf{x}_i\|\le 2b\ \Rightarrow\ \tilde L_c(\Phi^\top\mathbf{w};S)="
    r"\tilde L_c(\mathbf{w};\Phi S);"
    r"\quad\tilde{\mathcal R}_S(\Phi^\top\mathbf{w})=\tilde{\mathcal R}_{\Phi S}(\mathbf{w})\ \mathrm{always}",
    kind="identity",
    needs=(),
    source=", against Lemma D.3",
)
def lifted_margin(*, margin: float, length: float, radius: float = 1.0) -> float:
    """The margin of a clipped projected record, for weights that are lifted back.

    Derivation. <Phi' w, x> = <w, Phi x>. Clipping multiplies `margin` = y <w, Phi x> by min(1, 2b/||Phi x||) > 0: the
    value returned. Its sign stays, so errors agree; clipping may raise or lower the hinge loss (Lemmas 6.3 and D.3
    speak of two different losses, equal on the event that margins are kept: cf. Lemma 6.2, explicit).

    >>> lifted_margin(margin=3.0, length=4.0)
    1.5
    """
    return margin * min(1.0, 2 * radius / length)
