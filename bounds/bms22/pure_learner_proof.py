"""The proof of Theorem 3.1 of Bassily, Mohri & Suresh (2022), Appendix B.1, step by step.

a = Lambda r/rho >= 1, L = log(m/beta), k = c' a^2 L. Both texts (000 and 002) print the same steps, with the equations
numbered one apart ((9)-(12) in the paper, (8)-(11) in the appendix); where the appendix, as its text has come down,
writes a root over the loss alone, the paper's root over the product is `printed`.
"""

from collections.abc import Sequence
from math import exp, log, log1p, sqrt
from typing import Any

from lemmata.bounds.bms22 import BMS22
from lemmata.bounds.bms22.covers import MARGIN, covering_density, thin_gram
from lemmata.bounds.bms22.pure_learner import NOT_NEAR_ONE, SAMPLE_NEEDS
from lemmata.bounds.bms22.sign_projection import sign_projection_tail
from lemmata.bounds.exact.balls import exact
from lemmata.bounds.theorem import at_least, between, in_unit_interval, integer, positive, require, theorem

SOURCE = f"{BMS22}, Appendix B.1, proof of Theorem 3.1"
GEOMETRY = [positive("norm_bound"), positive("radius"), MARGIN]
CONFIDENT = [*SAMPLE_NEEDS, in_unit_interval("beta")]
THRESHOLD = r"\frac{c\Lambda^2r^2\log(m/\beta)\log(20\Lambda r/(\beta\rho))}{\rho^2\varepsilon}"
ALPHA = r"\alpha=\frac{c\Lambda^2r^2\log(m/\beta)\log(20\Lambda r/(\beta\rho))}{\rho^2\varepsilon m}"
ENOUGH = r"m\ge\frac{4\log(4|\mathcal C|/\beta)}{\varepsilon\alpha}"


@theorem(
    "bms22.thm3.1.s0",
    kind="rate",
    says=r"m<" + THRESHOLD + r"\ \Rightarrow\ \mathrm{the\ bound\ follows\ trivially}",
    needs=CONFIDENT,
    source=SOURCE + ", second paragraph",
)
def trivial_share(*, m: int, beta: float, norm_bound: float, radius: float, rho: float) -> float:
    """Algorithm 1's bound is trivial for small samples, as printed.

    The sample has fewer than c a^2 log(m/beta) log(20a/beta)/epsilon records.

    The s with Gamma > s/c.

    From the first term of Gamma, s = log(a/beta)/log(20a/beta). It tends to 0 as a, beta -> 1, and with it Gamma, if
    epsilon is small and m large: then the bound is far below 1, and not trivial.
    """
    a = norm_bound * radius / rho
    return (log(a) - log(beta)) / (log(20 * a) - log(beta))


@trivial_share.corrected(
    says=r"\beta\le\frac12:\quad m<" + THRESHOLD + r"\ \Rightarrow\ \Gamma>\frac{1}{6c}",
    kind="inequality",
    needs=[*CONFIDENT, NOT_NEAR_ONE],
    source=SOURCE + ", with beta <= 1/2",
)
def trivial_share_corrected(*, m: int, beta: float, norm_bound: float, radius: float, rho: float) -> float:
    """For small samples and beta <= 1/2 the bound's first term exceeds 1/(6c).

    The sample has fewer than c a^2 log(m/beta) log(20a/beta)/epsilon records.

    The s of the printed reading is 1/6.

    Derivation. log(20 x)/log(x) decreases in x = a/beta >= 2, from log 40/log 2 = 5.33 < 6. So log(20a/beta) <=
    6 log(a/beta), and for such m the first term of Gamma is above 1/(6c).
    """
    return 1 / 6


@theorem(
    "bms22.thm3.1.s1",
    kind="construction",
    says=r"|\mathcal{C}|=\left(\frac{20\Lambda r}{\rho}\right)^k",
    needs=[integer("k"), *GEOMETRY],
    source=SOURCE + ", before equation (9), (8) in the appendix",
)
def printed_size(*, k: int, norm_bound: float, radius: float, rho: float) -> float:
    """The cover of Algorithm 1 has (20 Lambda r/rho)^k points, as printed.

    >>> printed_size(k=2, norm_bound=1.0, radius=1.0, rho=1.0)
    400.0
    """
    return (20 * norm_bound * radius / rho) ** k


@printed_size.corrected(
    says=r"\left(\frac{20\Lambda r}{\rho}\right)^k\le\min|\mathcal{C}|\le\left(1+\frac{40\Lambda r}{\rho}\right)^k",
    kind="inequality",
    source=SOURCE + ", with the two volume bounds",
)
def log_size_bounds(*, k: int, norm_bound: float, radius: float, rho: float) -> tuple[float, float]:
    """Lower and upper bound on the size of the smallest cover of Algorithm 1.

    They are (20 Lambda r/rho)^k and (1 + 40 Lambda r/rho)^k points.

    Derivation. Below: |C| balls of radius eta cover a ball of volume (R/eta)^k times theirs. Above: the points of a
    maximal set with distances > eta in B(R) cover it, and their balls of radius eta/2 are disjoint and lie in B(R +
    eta/2), whose volume is (1 + 2R/eta)^k times theirs. R/eta = 20 Lambda r/rho. In the proof only log|C| counts: log(1
    + 40a) <= (log 41/log 20) log(20a) for a >= 1, a constant that O(.) absorbs.

    >>> [round(x, 3) for x in log_size_bounds(k=2, norm_bound=1.0, radius=1.0, rho=1.0)]
    [5.991, 7.427]
    """
    a = norm_bound * radius / rho
    return k * log(20 * a), k * log1p(40 * a)


@printed_size.explicit(
    part="lattice",
    says=r"|\mathcal{C}|\le\Theta_k\left(\frac{R+2\eta}{\eta}\right)^k,\quad "
    r"\Theta_k=1,\ 1.2092,\ 1.4635,\ 1.7655\quad(k=1,\dots,4)",
    needs=[require("k is 1, 2, 3 or 4", lambda k: k in (1, 2, 3, 4)), integer("k"), *GEOMETRY],
    source="the covers of `lemmata.mechanisms.solvers.covers`; Conway & Sloane 1999, Chapter 2",
)
def lattice_size_bound(*, k: int, norm_bound: float, radius: float, rho: float) -> int:
    """The lattice cover of our code has at most Theta_k (2 + 20 Lambda r/rho)^k points.

    Derivation. A_k^* scaled to covering radius eta, its points within R + eta of 0, those outside B(R) moved to its rim
    (that is, closer to every point of the ball). Their Voronoi cells are disjoint, of volume V_k eta^k / Theta_k, and
    lie in B(R + 2 eta). k = 1: a grid of ceil(R/eta) points, the least possible.

    >>> lattice_size_bound(k=2, norm_bound=1.0, radius=1.0, rho=1.0)
    585
    """
    return int(covering_density(thin_gram(k)) * (2 + 20 * norm_bound * radius / rho) ** k * (1 + 1e-12))


@theorem(
    "bms22.thm3.1.s2",
    says=ALPHA + r"\ \Rightarrow\ \exists c:\ " + ENOUGH,
    needs=CONFIDENT,
    source=SOURCE + ", before equation (9), (8) in the appendix",
)
def printed_alpha(*, m: int, epsilon: float, beta: float, norm_bound: float, radius: float, rho: float) -> float:
    """The printed alpha meets the exponential mechanism's accuracy condition.

    It is alpha/c.

    What follows from it, the excess alpha with probability 1 - beta/4, is bms22.thm3.1.em-accuracy.
    """
    a = norm_bound * radius / rho
    return a**2 * (log(m) - log(beta)) * (log(20 * a) - log(beta)) / (epsilon * m)


SELECTION_CONSTANT = 1140.0  # c of the corrected reading


@printed_alpha.corrected(
    says=r"\beta\le\frac12,\ c=1140:\quad " + ALPHA + r"\ \Rightarrow\ " + ENOUGH,
    needs=[*CONFIDENT, NOT_NEAR_ONE],
    source=SOURCE + ", with beta <= 1/2, our rows and (1 + 40 Lambda r/rho)^k candidates",
)
def alpha_for_small_beta(*, m: int, epsilon: float, beta: float, norm_bound: float, radius: float, rho: float) -> float:
    """This alpha meets the mechanism's accuracy condition if beta <= 1/2.

    The mechanism is the exponential one.

    The constant is c = 1140.

    k <= 46.3 a^2 log(8(3m+1)/beta) + 1 <= 280 a^2 L, as 8(3m+1)/beta <= 32 m/beta and log 32 <= 5L. And log(41a) <=
    1.007 log(20a/beta), and log(4/beta) <= log(20a/beta) <= a^2 L log(20a/beta)/log 2: 4 (280 * 1.007 + 1/0.69) <=
    1134.
    """
    sizes = {"norm_bound": norm_bound, "radius": radius, "rho": rho}
    return SELECTION_CONSTANT * printed_alpha(m=m, epsilon=epsilon, beta=beta, **sizes)


@theorem(
    "bms22.thm3.1.s3",
    kind="identity",
    says=r"\hat R_S(\Phi^\top\tilde w)=\hat R^{(k)}_{S_\Phi}(\tilde w)",
    source=SOURCE + ", first display",
)
def lifted_errors(*, projected_margins: Sequence[float]) -> float:
    """The lifted classifier errs on the records whose projected margin is not positive.

    The reason is <Phi^T w, x> = <w, Phi x>. The display prints 1(y <w, x>), the indicator of a number; we read 1(y <w,
    x> <= 0).

    Derivation. <Phi^T w, x> = <w, Phi x> for every x, so the margins of the lifted and of the projected classifier are
    equal record by record, and so are the shares of those that are not positive.

    >>> lifted_errors(projected_margins=[1.0, 0.0, -2.0, 3.0])
    0.5
    """
    return sum(margin <= 0 for margin in projected_margins) / len(projected_margins)


@theorem(
    "bms22.thm3.1.s4",
    part="norms",
    says=r"\|w^*_\Phi\|_2\le\sqrt{1+\frac{\rho}{3\Lambda r}}\,\|w^*\|_2\le 2\Lambda",
    needs=GEOMETRY,
    source=SOURCE + ", and the same for the norms of the points",
)
def enlarged_norm(*, norm_bound: float, radius: float, rho: float) -> float:
    """The projected comparator is at most twice as long as the comparator.

    So it stays in the ball that is covered.

    The largest ||w*_Phi||/||w*|| is sqrt(1 + 1/(3a)).

    With gamma = rho/(Lambda r) Lemma A.3 keeps squared norms up to gamma/3. At rho = Lambda r that is gamma = 1,
    outside the lemma's (0, 1); its proof holds there too. 2 is generous: sqrt(4/3) = 1.155 is enough.

    >>> round(enlarged_norm(norm_bound=1.0, radius=1.0, rho=1.0), 4)
    1.1547
    """
    return sqrt(1 + rho / (3 * norm_bound * radius))


@theorem(
    "bms22.thm3.1.s4",
    part="margins",
    says=r"y\langle w_c,x_\Phi\rangle\ge y\langle w^*_\Phi,x_\Phi\rangle-0.15\rho,\ "
    r"\hat R^{0.5\rho,(k)}(w_c)\le\hat R^{0.65\rho,(k)}(w^*_\Phi)",
    needs=GEOMETRY,
    source=SOURCE + ", equation (10), (9) in the appendix",
)
def margin_lost_to_the_cover(*, norm_bound: float, radius: float, rho: float) -> float:
    """The nearest point of the cover loses at most 0.15 rho of the margin.

    ||w_c - w*_Phi|| ||x_Phi|| <= rho/(10 r) sqrt(1 + 1/(3a)) r <= 0.1155 rho.

    >>> margin_lost_to_the_cover(norm_bound=1.0, radius=1.0, rho=2/3)
    0.1
    """
    return 0.15 * rho


@theorem(
    "bms22.thm3.1.s5",
    part="margins",
    says=r"y\langle w^*,x\rangle\ge\rho\ \Rightarrow\ y\langle w^*_\Phi,x_\Phi\rangle\ge\frac{\rho}{3}",
    needs=GEOMETRY,
    source=SOURCE + ", after equation (11), (10) in the appendix",
)
def margin_kept(*, norm_bound: float, radius: float, rho: float) -> float:
    """The projected margin is at least rho/3, as printed.

    Half of what Lemma A.3 gives.
    """
    return rho / 3


@margin_kept.corrected(
    says=r"y\langle w^*,x\rangle\ge\rho\ \Rightarrow\ y\langle w^*_\Phi,x_\Phi\rangle\ge\frac{2\rho}{3}",
    source=SOURCE + ", with what Lemma A.3 gives",
)
def margin_kept_corrected(*, norm_bound: float, radius: float, rho: float) -> float:
    """The projected margin is at least 2 rho/3.

    Lemma A.3 with gamma = rho/(Lambda r) moves <w*, x> by at most (gamma/3) ||w*|| ||x|| <= rho/3.
    """
    return 2 * margin_kept(norm_bound=norm_bound, radius=radius, rho=rho)


@theorem(
    "bms22.thm3.1.s5",
    part="hence",
    says=r"\left(y\langle w^*,x\rangle\ge\rho\Rightarrow y\langle w^*_\Phi,x_\Phi\rangle\ge\frac{\rho}{3}\right)"
    r"\ \Rightarrow\ \hat R^{0.65\rho,(k)}_{S_\Phi}(w^*_\Phi)\le\hat R^\rho_S(w^*)",
    needs=GEOMETRY,
    source=SOURCE + ": this directly implies",
)
def implied_loss_margin(*, norm_bound: float, radius: float, rho: float) -> float:
    """The nearest cover point is right where the projected margin exceeds 0.65 rho.

    The numbers of the proof are 2/3 > 0.65 > 1/3.

    Derivation. A record that the left side counts has y <w*_Phi, x_Phi> <= 0.65 rho < 2 rho/3, so by the premise y <w*,
    x> < rho, and the right side counts it too.
    """
    return 0.65 * rho


implied_loss_margin_corrected = implied_loss_margin.corrected(
    says=r"\left(y\langle w^*,x\rangle\ge\rho\Rightarrow y\langle w^*_\Phi,x_\Phi\rangle\ge\frac{2\rho}{3}\right)"
    r"\ \Rightarrow\ \hat R^{0.65\rho,(k)}_{S_\Phi}(w^*_\Phi)\le\hat R^\rho_S(w^*)",
    source=SOURCE + ", with 2 rho/3",
)(implied_loss_margin.theorem.formula)


@margin_kept.explicit(
    part="rows",
    says=r"\Pr_\Phi\left[\exists i:\ y_i\langle w^*,x_i\rangle\ge\rho,\ y_i\langle\Phi w^*,\Phi x_i\rangle<"
    r"\frac{2\rho}{3}\right]\le\frac{\beta}{4}",
    kind="tail",
    needs=CONFIDENT,
    source=SOURCE + "; our constants",
)
def margin_failure(*, m: int, beta: float, norm_bound: float, radius: float, rho: float) -> float:
    """The probability of a projected margin below 2 rho/3.

    The number of rows is the explicit one.

    It is bounded by `projection_failure`, on the event of Lemma A.3 for x_i and w* at distortion gamma/3.
    """
    return beta / 4


def projection_failure(*, m: int, k: int, norm_bound: float, radius: float, rho: float) -> Any:
    """The chance that k rows distort one of 3m + 1 vectors: x_i and w*, their sums and differences, normalised."""
    return (3 * m + 1) * sign_projection_tail(k=k, t=exact(rho) / (3 * exact(norm_bound) * exact(radius)))


@theorem(
    "bms22.thm3.1.s6",
    kind="tail",
    says=ENOUGH
    + r"\ \Rightarrow\ \Pr\left[\hat R_S(w^{\mathrm{Priv}})\le\hat R^\rho_S(w^*)+\alpha\right]\ge 1-\frac{3\beta}{4}",
    needs=[*CONFIDENT, positive("alpha")],
    source=SOURCE + ", equation (12), (11) in the appendix",
)
def empirical_chain(*, m: int, beta: float, norm_bound: float, radius: float, rho: float, alpha: float) -> float:
    """The release's empirical risk is at most the comparator's margin loss plus alpha.

    Derivation, given the three events of probability 1 - beta/4 each (selection, by the condition on m; s4; s5):
    R^_S(Phi^T w~) = R^(w~) <= min R^ + alpha <= R^(w_c) + alpha <= R^{rho/2}(w_c) + alpha <=
    R^{0.65 rho}(w*_Phi) + alpha <= R^rho_S(w*) + alpha.
    """
    return alpha


@empirical_chain.explicit(
    says=r"\Pr\left[\hat R_S(w^{\mathrm{Priv}})>\hat R^\rho_S(w^*)+"
    r"\frac{2(\log|\mathcal C|+\log(4/\beta))}{\varepsilon m}\right]\le\frac{\beta}{4}"
    r"\quad\mathrm{where}\ \Phi^\top\Phi=I",
    needs=[*CONFIDENT, positive("epsilon"), integer("k")],
    source=SOURCE + "; a projection without distortion, so that k = d = 1, 2 can be run",
)
def chain_failure(
    *, m: int, epsilon: float, beta: float, norm_bound: float, radius: float, rho: float, k: int
) -> float:
    """The probability that the empirical risk exceeds the margin loss by alpha.

    The risk is that of the release, and Phi is exact.
    """
    return beta / 4


@theorem(
    "bms22.thm3.1.s7",
    part="final",
    says=r"R\le\hat R+2\sqrt{\hat RB}+4B,\ \hat R\le R^*+\alpha\ \Rightarrow\ R\le R^*+2\sqrt{R^*B}+2\alpha+8B",
    needs=[between("loss", 0, 1), at_least("alpha", 0), at_least("complexity", 0)],
    source=SOURCE + ", last display; B = (k log(2m) + log(16/beta))/m",
)
def final_line(*, loss: float, alpha: float, complexity: float) -> float:
    """The last line of the proof: a risk of R* + 2 sqrt(R* B) + 2 alpha + 8B at most.

    2 sqrt((R* + alpha) B) <= 2 sqrt(R* B) + 2 sqrt(alpha B) <= 2 sqrt(R* B) + alpha + B, so 5B is enough. In the
    appendix's text (002) the roots span the loss alone: the implication survives for alpha <= 1, but its premise and
    conclusion would then claim deviations of order 1/m where they are of order 1/sqrt(m).

    >>> final_line(loss=0.0, alpha=0.1, complexity=0.01)
    0.28
    """
    return loss + 2 * sqrt(loss * complexity) + 2 * alpha + 8 * complexity


@theorem(
    "bms22.thm3.1.s7",
    part="argmin",
    kind="identity",
    says=r"\mathrm{arg}\min_w\hat R^\rho_S(w)"
    r"=\mathrm{arg}\min_w\left\{\hat R^\rho_S(w)+2\sqrt{\hat R^\rho_S(w)B}\right\}",
    needs=[at_least("loss", 0), at_least("complexity", 0)],
    source=SOURCE + ", last sentence",
)
def objective(*, loss: float, complexity: float) -> float:
    """The bound t + 2 sqrt(t B) is strictly increasing in the margin loss t.

    So its minimisers are those of the loss.
    """
    return loss + 2 * sqrt(loss * complexity)


@theorem(
    "bms22.thm3.1.s8",
    reading="explicit",
    kind="tail",
    says=r"\Pr\left[R>\hat R+\sqrt{2\hat RA}+2A\right]\le e^{-mA}",
    needs=[integer("m"), require("0 <= complexity", lambda complexity: complexity >= 0)],
    source="Chernoff's lower tail, for one classifier; our substitute for Lemma A.1 over a finite cover",
)
def one_classifier(*, m: int, complexity: float) -> float:
    """One classifier has R > R^ + sqrt(2 R^ A) + 2A with probability at most e^{-mA}.

    Derivation. If R^ = R - t, P <= exp(-m t^2/(2R)); at t = sqrt(2 R A) that is e^{-mA}. Otherwise R <= R^ + sqrt(2 R
    A), so sqrt(R) <= sqrt(A/2) + sqrt(A/2 + R^), and R <= R^ + A + sqrt(A^2 + 2 R^ A) <= R^ + sqrt(2 R^ A) + 2A.

    >>> one_classifier(m=100, complexity=0.03) == exp(-3)
    True
    """
    return exp(-m * complexity)


def log_union(*, log_size: float, m: int, complexity: float) -> float:
    """log(|C| e^{-mA}): all candidates together."""
    return log_size - m * complexity


def log_worst_selection(*, log_size: float, m: int, epsilon: float, alpha: float) -> float:
    """log of the largest P(excess > alpha) over all scores: (|C| - 1) x/((|C| - 1) x + 1), x = e^{-epsilon m alpha/2}.

    >>> round(log_worst_selection(log_size=log(2), m=10, epsilon=1.0, alpha=0.0), 4)
    -0.6931
    """
    if log_size <= 0:
        return -float("inf")
    odds = log_size + log1p(-exp(-log_size)) - epsilon * m * alpha / 2
    return odds - (log1p(exp(odds)) if odds < 0 else odds + log1p(exp(-odds)))
