"""How far one record moves the SVM: Rubinstein et al. 2009, Lemmas 6 and 21, and the steps of their proofs in order.

w = w_D and w' = w_D' are the minimisers for neighbouring databases, f and f' their classifiers, x_n and x'_n the rows
that differ. Letters as in `lemmata.bounds.rbht09.private_svm`.
"""

from math import sqrt

import numpy as np

from lemmata.bounds.exact.numbers import Array
from lemmata.bounds.theorem import integer, positive, theorem

DATABASE = [integer("n", 2), positive("C"), integer("F"), positive("L"), positive("kappa")]

# Lemma 6: sensitivity of a differentiable loss ------------------------------------------------------------------------


@theorem(
    "rbht09.lem6",
    says=r"\|w_D-w_{D'}\|_1\le\frac{4LC\kappa\sqrt{F}}{n}",
    needs=DATABASE,
    source=", differentiable loss",
)
def weight_sensitivity_smooth(*, n: int, C: float, F: int, L: float = 1.0, kappa: float = 1.0) -> float:
    """SVM weights move by at most 4 L C kappa sqrt(F) / n in L1, differentiable loss."""
    return weight_sensitivity(n=n, C=C, F=F, L=L, kappa=kappa)


@weight_sensitivity_smooth.explicit(
    says=r"\|w_D-w_{D'}\|_1\le\frac{2LC\kappa\sqrt{F}}{n}", source=", with both strong convexities used"
)
def weight_sensitivity_smooth_sharp(*, n: int, C: float, F: int, L: float = 1.0, kappa: float = 1.0) -> float:
    """SVM weights move by half the printed L1 sensitivity at most, differentiable loss.

    Derivation as in Lemma 21's sharp half (`weight_sensitivity_sharp`). Attained by a differentiable loss: for
    loss(y, f) = -L y f the minimiser is (L C / n) sum_i y_i phi(x_i), and flipping the label of a row with
    phi(x) = kappa F^(-1/2) (1, ..., 1) moves it by exactly 2 L C kappa sqrt(F) / n in L1.
    """
    return weight_sensitivity_sharp(n=n, C=C, F=F, L=L, kappa=kappa)


# Lemma 21: sensitivity of any convex loss -----------------------------------------------------------------------------


@theorem(
    "rbht09.lem21", says=r"\|w_D-w_{D'}\|_1\le\frac{4LC\kappa\sqrt{F}}{n}", needs=DATABASE, source=", any convex loss"
)
def weight_sensitivity(*, n: int, C: float, F: int, L: float = 1.0, kappa: float = 1.0) -> float:
    """SVM weights move by at most this in L1 norm, for any convex Lipschitz loss.

    4 L C kappa sqrt(F) / n. The printed proof drops -1/2 ||w_D - w_D'||_2^2, the value of its auxiliary risk at
    w_D, to "<= 0", which costs the factor 2 of `weight_sensitivity_sharp`. It is true, and twice the largest distance.

    >>> weight_sensitivity(n=100, C=1.0, F=4)
    0.08
    """
    return 4 * L * C * kappa * sqrt(F) / n


@weight_sensitivity.explicit(
    says=r"\|w_D-w_{D'}\|_1\le\frac{2LC\kappa\sqrt{F}}{n}", source=", with both strong convexities used"
)
def weight_sensitivity_sharp(*, n: int, C: float, F: int, L: float = 1.0, kappa: float = 1.0) -> float:
    """SVM weights move by half the printed L1 sensitivity at most, any convex loss.

    Derivation. J_D and J_D' are 1-strongly convex with minimisers w and w', so J_D(w') >= J_D(w) + ||w - w'||^2 / 2 and
    J_D'(w) >= J_D'(w') + ||w - w'||^2 / 2. Add them; only the last row differs, so with f(x) = <w, phi(x)>

    ||w - w'||_2^2 <= (C/n) [loss(y_n, f'(x_n)) - loss(y_n, f(x_n)) + loss(y'_n, f(x'_n)) - loss(y'_n, f'(x'_n))]
                   <= (C/n) L (|f(x_n) - f'(x_n)| + |f(x'_n) - f'(x'_n)|) <= (2 L C kappa / n) ||w - w'||_2 .

    Divide, and ||v||_1 <= sqrt(F) ||v||_2. Attained by the hinge loss (L = 1): all rows at
    phi(x) = kappa F^(-1/2) (1, ..., 1), C kappa^2 <= 1, one label flipped: every margin is at most 1, all dual
    variables are C / n, and the minimiser moves by (2 C / n) phi(x).

    >>> weight_sensitivity_sharp(n=100, C=1.0, F=4)
    0.04
    """
    return 2 * L * C * kappa * sqrt(F) / n


# The steps of their proofs --------------------------------------------------------------------------------------------


@theorem(
    "rbht09.lem6.s1",
    kind="identity",
    says=r"C\,\partial R_{emp}(w_D,D)-C\,\partial R_{emp}(w_{D'},D')+w-w_{D'}=C\,\partial R_{emp}(w_D,D)+w",
    source=", proof, below (3.2)",
)
def auxiliary_gradient(
    *, w: Array, first: Array, second: Array, risk_gradient_first: Array, risk_gradient_second: Array, C: float
) -> Array:
    """The gradient of the auxiliary risk of the SVM's stability proof.

    Derivation. By (3.2), C grad R_emp(w_D', D') = -w_D', which cancels the last term; so the gradient vanishes at w_D.
    Arguments are vectors in R^F: `first` = w_D, `second` = w_D' and the gradients of R_emp at them. The text at hand
    ends the left side in w - w_D; we read a lost prime (cf. Lemma 21, which prints it in the same place).
    """
    return C * np.subtract(risk_gradient_first, risk_gradient_second) + np.subtract(w, second)


@theorem("rbht09.lem6.s2", says=r"\tilde R(w_D)\le 0")
def auxiliary_risk(
    *, w: Array, first: Array, second: Array, risk_gradient_first: Array, risk_gradient_second: Array, C: float
) -> float:
    """The auxiliary risk of the SVM's stability proof is not positive at its minimiser.

    Derivation. R~(w) = C <grad R_emp(w_D, D) - grad R_emp(w_D', D'), w - w_D'> + 1/2 ||w - w_D'||_2^2, minimised at
    w_D. Its value there is exactly -1/2 ||w_D - w_D'||_2^2: bounding it by 0 is where the lemma loses its factor 2.
    """
    step = np.subtract(w, second)
    return C * np.subtract(risk_gradient_first, risk_gradient_second) @ step + step @ step / 2


@theorem(
    "rbht09.lem6.s3",
    says=r"\frac{n}{2C}\|w_D-w_{D'}\|_2^2\le 2L\|f_{w_D}-f_{w_{D'}}\|_\infty",
    needs=[positive("L")],
    source=", Equation (3.3)",
)
def stability_right_side(*, L: float, sup_distance: float) -> float:
    """The squared distance of two SVMs' weights: 2 L times their sup-norm distance.

    The bracket in `weight_sensitivity_sharp` shows it for the larger of the distances at x_n and
    x'_n alone, and with n / C in place of n / (2 C).
    """
    return 2 * L * sup_distance


@theorem(
    "rbht09.lem6.s4",
    says=r"\|w_D-w_{D'}\|_2\le\frac{4LC\kappa}{n}",
    needs=[integer("n", 2), positive("C"), positive("L"), positive("kappa")],
    source=", last line of the proof",
)
def weight_distance(*, n: int, C: float, L: float = 1.0, kappa: float = 1.0) -> float:
    """The SVM's weights move by at most 4 L C kappa / n in L2 (cf. Lemmas 6 and 21).

    Derivation. (n/(2C)) ||w_D - w_D'||_2^2 <= 2 L ||f - f'||_inf (s3; Lemma 21: s2), and ||f - f'||_inf <= kappa ||w_D
    - w_D'||_2 by the Cauchy-Schwarz inequality. Divide by ||w_D - w_D'||_2 n/(2C).
    """
    return 4 * L * C * kappa / n


@theorem("rbht09.lem6.s5", says=r"\|w\|_1\le\sqrt{F}\|w\|_2", needs=[integer("F")], source=", last line of the proof")
def norm_ratio(*, F: int) -> float:
    """The L1 norm in R^F is at most sqrt(F) times the L2 norm.

    sqrt(F), attained by vectors with entries of equal size.

    Derivation. By the Cauchy-Schwarz inequality ||w||_1 = <|w|, (1, ..., 1)> <= ||w||_2 sqrt(F), with equality where
    all |w_i| are equal.
    """
    return sqrt(F)


@theorem("rbht09.lem21.s1", says=r"0\ge g+\frac{n}{2C}\|w_D-w_{D'}\|_2^2", source=", proof, above (A.3)")
def auxiliary_display(*, n: int, C: float, g: float, squared_distance: float) -> float:
    """The sum of the stability proof for any convex loss is not positive, as displayed.

    g + n / (2 C) ||w_D - w_D'||_2^2 for a g in the displayed set l'(y'_n, f'(x'_n)) (f(x'_n) - f'(x'_n)) -
    l'(y_n, f(x_n)) (f(x_n) - f'(x_n)). (The text at hand has f'(x'_n) for the last f'(x_n) too.)
    """
    return g + n / (2 * C) * squared_distance


@auxiliary_display.corrected(
    says=r"0\ge -g+\frac{n}{2C}\|w_D-w_{D'}\|_2^2", source=", proof, with the sign of Lemma 6's (3.3)"
)
def auxiliary_display_corrected(*, n: int, C: float, g: float, squared_distance: float) -> float:
    """The sum of the stability proof for any convex loss is not positive, with -g.

    Derivation. The set displayed is the negative of what bounds (n / C) r from below, so 0 >= -g + n / (2 C) ||.||^2.
    (A.3) follows from |g| <= 2 L ||f - f'||_inf either way.
    """
    return auxiliary_display(n=n, C=C, g=-g, squared_distance=squared_distance)


stability_right_side_subgradient = theorem(
    "rbht09.lem21.s2",
    says=r"\frac{n}{2C}\|w_D-w_{D'}\|_2^2\le 2L\|f_{w_D}-f_{w_{D'}}\|_\infty",
    needs=[positive("L")],
    source=", Equation (A.3)",
)(stability_right_side.theorem.formula)

weight_distance_subgradient = theorem(
    "rbht09.lem21.s3",
    says=r"\|w_D-w_{D'}\|_2\le\frac{4LC\kappa}{n}",
    needs=[integer("n", 2), positive("C"), positive("L"), positive("kappa")],
    source=", last lines of the proof",
)(weight_distance.theorem.formula)
