r"""Loss bounds: abgmu22, Appendix D.4, what a base algorithm's output can lose on a record.

For a non-negative H-smooth phi with phi(0) <= ||Y||^2 and |t| <= r the largest value is (||Y|| + sqrt(H/2) r)^2: the
square with its minimum 0 at distance sqrt(2/H) ||Y|| attains it (abgmu22.asm2/explicit/ball). Opened, the cross term
sqrt(2H) ||Y|| r is what ||Y||^2 + H r^2 has no room for while r sqrt(H) < 2 sqrt(2) ||Y||.

Names: `label_bound` ||Y||, `radius` ||X||, `smoothness` H, `norm_bound` B, `sigma` the noise of output perturbation,
`level` K/delta.
"""

from typing import Any

from lemmata.bounds.abgmu22.assumptions import LOSS, SAMPLE, allowed_failure, gaussian_tail
from lemmata.bounds.abgmu22.baselines import STRETCH
from lemmata.bounds.exact.numbers import exp, log, sqrt
from lemmata.bounds.theorem import at_least, integer, positive, require, theorem

NOISE = [*LOSS, at_least("sigma", 0)]
LEVEL = require("K/delta >= 1", lambda level: level >= 1)
PROOF = ", Appendix D.4, proof"

# Noisy gradient descent -----------------------------------------------------------------------------------------------

BALL = r"\|w\|\le B,\ \|x\|\le\|\mathcal X\|\ \Rightarrow\ \ell(w;(x,y))\le"


@theorem(
    "abgmu22.lem.stab-sgd",
    says=BALL + r"\Delta(B)=\|\mathcal Y\|^2+HB^2\|\mathcal X\|^2",
    needs=LOSS,
    source=", Appendix D.4",
)
def printed_loss_bound(*, label_bound: Any, smoothness: Any, norm_bound: Any, radius: Any) -> Any:
    """The loss of noisy descent's output on any record, as printed.

    >>> printed_loss_bound(label_bound=1.0, smoothness=2.0, norm_bound=1.0, radius=0.5)
    1.5
    """
    return label_bound**2 + smoothness * (norm_bound * radius) ** 2


@printed_loss_bound.corrected(
    says=BALL + r"\frac32\left(\|\mathcal Y\|^2+HB^2\|\mathcal X\|^2\right)", source=", Appendix D.4, times 3/2"
)
def loss_bound(*, label_bound: Any, smoothness: Any, norm_bound: Any, radius: Any) -> Any:
    """Noisy descent's loss on any record is at most 3/2 times the printed number.

    The reason is (a + b)^2 <= (3/2)(a^2 + 2 b^2) for b = sqrt(H/2) B ||X||, with equality at a = 2b.
    """
    formula = printed_loss_bound.theorem.formula
    return 3 * formula(label_bound=label_bound, smoothness=smoothness, norm_bound=norm_bound, radius=radius) / 2


# Random projection ----------------------------------------------------------------------------------------------------

PROJECTED = r"\|\tilde w\|\le%s B,\ \|p\|\le%s\|\mathcal X\|\ \Rightarrow\ \varphi_y(\langle\tilde w,p\rangle)\le"
SAME = r"\|\mathcal Y\|^2+HB^2\|\mathcal X\|^2"


@theorem(
    "abgmu22.lem.stab-jl",
    says=PROJECTED % ("", "") + SAME,
    needs=LOSS,
    source=", Appendix D.4, remark, for a ball and records of the same sizes",
)
def projected_loss_bound(*, label_bound: Any, smoothness: Any, norm_bound: Any, radius: Any) -> Any:
    """The intermediate vector's loss on a projected record, as remarked.

    The remark says 'this same bound'.
    """
    formula = printed_loss_bound.theorem.formula
    return formula(label_bound=label_bound, smoothness=smoothness, norm_bound=norm_bound, radius=radius)


@projected_loss_bound.corrected(
    says=PROJECTED % ("", "") + r"\frac32\left(" + SAME + r"\right)", source=", Appendix D.4, remark, times 3/2"
)
def projected_loss_corrected(*, label_bound: Any, smoothness: Any, norm_bound: Any, radius: Any) -> Any:
    """The intermediate vector's loss is at most 3/2 times the printed number.

    The record is projected.

    Derivation. |<w, p>| <= B ||X|| for a w of the ball and a projected record p of norm at most ||X||, so the loss is
    at most (||Y|| + sqrt(H/2) B ||X||)^2 (abgmu22.asm2, part `ball`), and (a + b)^2 <= (3/2)(a^2 + 2 b^2).
    """
    formula = loss_bound.theorem.formula
    return formula(label_bound=label_bound, smoothness=smoothness, norm_bound=norm_bound, radius=radius)


@theorem(
    "abgmu22.lem.stab-jl",
    part="stretched",
    reading="explicit",
    says=PROJECTED % ("2", "2") + r"\frac32\left(\|\mathcal Y\|^2+16HB^2\|\mathcal X\|^2\right)",
    needs=LOSS,
    source=", Appendix D.4, remark, for the ball and the clipping of our reconstruction",
    reconstructed=True,
)
def stretched_loss(*, label_bound: Any, smoothness: Any, norm_bound: Any, radius: Any) -> Any:
    """The loss on a record clipped at 2 ||X||, over the ball of radius 2B.

    The record is projected before it is clipped.

    It is `loss_bound` for that ball and these records.
    """
    return loss_bound.theorem.formula(
        label_bound=label_bound, smoothness=smoothness, norm_bound=STRETCH * norm_bound, radius=STRETCH * radius
    )


@theorem(
    "abgmu22.lem.stab-jl",
    part="lift",
    reading="explicit",
    kind="identity",
    says=r"\mathbb E_\Phi\|\Phi^\top\tilde w\|^2=\frac dk\|\tilde w\|^2",
    needs=[integer("d"), integer("k")],
    source=", Appendix D.4, remark 'Phi^T w~ may have large norm', our number for random signs",
)
def lifted_square(*, d: int, k: int, norm: Any = 1) -> Any:
    """The mean square of ||Phi^T w|| for a projection with independent random signs.

    Entries are +-1/sqrt(k), so that each of d coordinates has ||w~||^2/k.

    >>> lifted_square(d=100, k=4)
    25.0
    """
    return d * norm**2 / k


# Output perturbation --------------------------------------------------------------------------------------------------

OUTPUT = (
    r"\Pr\left[\exists(x,y)\in S_2:\ \ell(\hat w+b;(x,y))\ge\Delta(B)\right]\le\frac{\min\{\delta,\beta\}}{4K},\quad"
)


@theorem(
    "abgmu22.lem.stab-outpert",
    kind="tail",
    says=OUTPUT + r"\Delta(B)=\|\mathcal Y\|^2+H\|\mathcal X\|^2\sigma^2\log\frac K\delta+HB^2\|\mathcal X\|^2",
    needs=[*NOISE, *SAMPLE],
    source=", Appendix D.4",
)
def printed_output_loss(
    *,
    label_bound: Any,
    smoothness: Any,
    norm_bound: Any,
    radius: Any,
    sigma: Any,
    n: int,
    delta: float,
    beta: float,
    guesses: int,
) -> Any:
    """The loss bound of output perturbation on the records of S2, as printed.

    >>> sizes = dict(label_bound=1.0, smoothness=2.0, norm_bound=1.0, radius=0.5, n=2, delta=0.01, beta=0.1, guesses=1)
    >>> round(float(printed_output_loss(**sizes, sigma=1.0)), 4)
    3.8026
    """
    ball = printed_loss_bound.theorem.formula(
        label_bound=label_bound, smoothness=smoothness, norm_bound=norm_bound, radius=radius
    )
    return ball + smoothness * (radius * sigma) ** 2 * log(guesses / delta)


@printed_output_loss.corrected(
    says=OUTPUT + r"\Delta(B)=2\left(\|\mathcal Y\|^2+2H\|\mathcal X\|^2\sigma^2\log\frac{2nK}{\min\{\delta,\beta\}}"
    r"+HB^2\|\mathcal X\|^2\right)",
    source=", Appendix D.4, twice the loss of s1 at the level of s4",
)
def output_loss_bound(
    *,
    label_bound: Any,
    smoothness: Any,
    norm_bound: Any,
    radius: Any,
    sigma: Any,
    n: int,
    delta: float,
    beta: float,
    guesses: int,
) -> Any:
    """The loss bound of output perturbation on S2, with three corrections.

    The corrections are the cross terms (s1), the Gaussian tail (s2, s3) and the union over the n/2 records (s4).

    Only the logarithm and the constants change: 2 log(2nK/min{delta, beta}) for log(K/delta), and the factor 2.
    """
    allowed = allowed_failure.theorem.formula(delta=delta, beta=beta, guesses=guesses)
    square = tail_level_corrected.theorem.formula(radius=radius, sigma=sigma, level=n / 2 / allowed)
    return output_loss_step_corrected.theorem.formula(
        label_bound=label_bound, smoothness=smoothness, norm_bound=norm_bound, radius=radius, t=sqrt(square)
    )


STEP = r"\|w\|\le B\ \Rightarrow\ \ell(w+b;(x,y))\le"


@theorem(
    "abgmu22.lem.stab-outpert.s1",
    says=STEP + r"\|\mathcal Y\|^2+HB^2\|\mathcal X\|^2+H\langle b,x\rangle^2",
    needs=[*LOSS, at_least("t", 0)],
    source=PROOF,
)
def output_loss_step(*, label_bound: Any, smoothness: Any, norm_bound: Any, radius: Any, t: Any) -> Any:
    """Output perturbation's loss if noise moves the prediction by t, as printed.

    The reason that the paper gives is 'by previous analysis'.

    This is where |<b, x>| = t.
    """
    ball = printed_loss_bound.theorem.formula(
        label_bound=label_bound, smoothness=smoothness, norm_bound=norm_bound, radius=radius
    )
    return ball + smoothness * t**2


@output_loss_step.corrected(
    says=STEP + r"2\left(\|\mathcal Y\|^2+HB^2\|\mathcal X\|^2+H\langle b,x\rangle^2\right)", source=PROOF + ", times 2"
)
def output_loss_step_corrected(*, label_bound: Any, smoothness: Any, norm_bound: Any, radius: Any, t: Any) -> Any:
    """Output perturbation's loss if noise moves the prediction by t, corrected.

    It is twice the printed number.

    (a + r + t)^2 <= 2 (a^2 + 2 r^2 + 2 t^2) by Cauchy-Schwarz, with equality at a = 2r = 2t.
    """
    formula = output_loss_step.theorem.formula
    return 2 * formula(label_bound=label_bound, smoothness=smoothness, norm_bound=norm_bound, radius=radius, t=t)


TAIL = r"b\sim\mathcal N(0,\sigma^2I)\ \Rightarrow\ \Pr\left[|\langle b,x\rangle|\ge t\right]\le"


@theorem(
    "abgmu22.lem.stab-outpert.s2",
    kind="tail",
    says=TAIL + r"\exp\left(-\frac{t^2}{\|\mathcal X\|^2\sigma^2}\right)",
    needs=[at_least("t", 0), positive("radius"), positive("sigma")],
    source=PROOF,
)
def printed_tail(*, t: Any, radius: Any, sigma: Any) -> Any:
    """The Gaussian tail as printed, without the 2 in the exponent.

    The Gaussian has the standard deviation ||X|| sigma.

    >>> round(float(printed_tail(t=2.0, radius=1.0, sigma=1.0)), 4)
    0.0183
    """
    return exp(-((t / (radius * sigma)) ** 2))


@printed_tail.corrected(
    says=TAIL + r"\exp\left(-\frac{t^2}{2\|\mathcal X\|^2\sigma^2}\right)", source=PROOF + ", with the factor 1/2"
)
def corrected_tail(*, t: Any, radius: Any, sigma: Any) -> Any:
    """The two tails of a Gaussian together are at most exp(-z^2/2).

    The usual bound: 2 (1 - Phi(z)) <= exp(-z^2/2) for z >= 0.

    Derivation. Equal at z = 0; the derivative of exp(-z^2/2) - 2 (1 - Phi(z)) is (sqrt(2/pi) - z) exp(-z^2/2): it rises
    from 0 and then falls towards 0.
    """
    return gaussian_tail(t=t, radius=radius, sigma=sigma)


CONCLUDED = r"\Pr\left[\langle b,x\rangle^2\ge\|\mathcal X\|^2\sigma^2%s\right]\le\frac\delta K"
SQUARE = [LEVEL, positive("radius"), positive("sigma")]


@theorem("abgmu22.lem.stab-outpert.s3", kind="tail", says=CONCLUDED % r"\log\frac K\delta", needs=SQUARE, source=PROOF)
def tail_level(*, radius: Any, sigma: Any, level: Any) -> Any:
    """The level of the squared noise in a prediction, as printed.

    The square exceeds it with probability at most delta/K, as the step concludes.

    The noise in the prediction is <b, x>.

    `level` is K/delta.
    """
    return (radius * sigma) ** 2 * log(level)


@tail_level.corrected(says=CONCLUDED % r"\,2\log\frac K\delta", source=PROOF + ", from the corrected tail")
def tail_level_corrected(*, radius: Any, sigma: Any, level: Any) -> Any:
    """The level 2 ||X||^2 sigma^2 log(K/delta) of the squared noise in a prediction.

    The square exceeds it with probability at most delta/K.

    It follows from the corrected tail.
    """
    return 2 * tail_level.theorem.formula(radius=radius, sigma=sigma, level=level)


@theorem(
    "abgmu22.lem.stab-outpert.s3",
    part="set",
    kind="tail",
    says=r"t=\|\mathcal X\|\sigma\log\frac K\delta\ \Rightarrow\ " + CONCLUDED % r"\log^2\frac K\delta",
    needs=SQUARE,
    source=PROOF + ", with t as it is set",
)
def tail_level_as_set(*, radius: Any, sigma: Any, level: Any) -> Any:
    """The level ||X|| sigma log(K/delta) of the noise in a prediction, as printed.

    The noise exceeds this t with probability at most delta/K. It is set without a root.

    So the square has log^2.
    """
    return (radius * sigma * log(level)) ** 2


@tail_level_as_set.corrected(
    says=r"K\ge2\delta\ \Rightarrow\ " + CONCLUDED % r"\log^2\frac K\delta",
    needs=[*SQUARE, require("K/delta >= 2", lambda level: level >= 2)],
    source=PROOF + ", with t as it is set, K/delta at least 2",
)
def tail_level_as_set_corrected(*, radius: Any, sigma: Any, level: Any) -> Any:
    """The level ||X|| sigma log(K/delta) of a prediction's noise, for K >= 2 delta.

    The noise exceeds it with probability at most delta/K.

    The reason is that 2 (1 - Phi(z)) <= exp(-z) from z = 0.65 on.

    Derivation. With t = ||X|| sigma log(K/delta) the chance is 2 (1 - Phi(z)) at z = log(K/delta) >= log 2, and is to
    be at most delta/K = exp(-z). h(z) = z + log(2 (1 - Phi(z))) is concave, as log(1 - Phi) is; it is 0 at z = 0 and
    below -0.01 at z = 0.65, so it is negative from there on, and log 2 > 0.65.
    """
    return tail_level_as_set.theorem.formula(radius=radius, sigma=sigma, level=level)


SUFFICES = (
    r"\mathrm{%s\ records\ at\ }%s\mathrm{\ each}\ \Rightarrow\ \Pr\left[\exists(x,y):\ \ell\ge\Delta(B)\right]\le"
)


@theorem(
    "abgmu22.lem.stab-outpert.s4",
    says=SUFFICES % ("two", r"\frac\delta K") + r"\frac{\min\{\delta,\beta\}}{4K}",
    needs=SAMPLE,
    source=PROOF + ": 'it suffices to show that for any (x, y), (x', y')'",
)
def two_records(*, n: int, delta: float, beta: float, guesses: int) -> float:
    """Two records at delta/K each must stay within the level of Assumption 2."""
    return allowed_failure.theorem.formula(delta=delta, beta=beta, guesses=guesses)


@two_records.corrected(
    says=SUFFICES % (r"\frac n2", r"\frac{\min\{\delta,\beta\}}{2nK}") + r"\frac{\min\{\delta,\beta\}}{4K}",
    source=PROOF + ", for all records of S2",
)
def all_records(*, n: int, delta: float, beta: float, guesses: int) -> float:
    """The n/2 records of S2 together must stay within the level of Assumption 2.

    For privacy alone the two records that differ are enough, each at min{delta, beta}/(8K).

    Derivation. By the union bound over the n/2 records of S2, the chance that one of them has a loss of at least
    Delta(B) is at most (n/2) min{delta, beta}/(2 n K) = min{delta, beta}/(4K).
    """
    return two_records.theorem.formula(n=n, delta=delta, beta=beta, guesses=guesses)
