"""Steps of the printed proofs of Lemmas 6 and 21 and of Theorem 8 of Rubinstein et al. 2009, in their order.

w = w_D and w' = w_D' are the minimisers for neighbouring databases, f and f' their classifiers, x_n and x'_n the rows
that differ. Letters as in `bounds.svm`.
"""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np

from bounds.svm import PAPER
from bounds.theorem import integer, positive, theorem


@theorem(
    "rbht09.lem6.s1",
    parent="rbht09.lem6",
    kind="identity",
    says=r"C\,\partial R_{emp}(w_D,D)-C\,\partial R_{emp}(w_{D'},D')+w-w_{D'}=C\,\partial R_{emp}(w_D,D)+w",
    source=f"{PAPER}, proof of Lemma 6, below (3.2)",
)
def auxiliary_gradient(*, w, first, second, risk_gradient_first, risk_gradient_second, C):
    """The auxiliary risk's gradient

    By (3.2), C grad R_emp(w_D', D') = -w_D', which cancels the last term; so the gradient vanishes at w_D. Arguments
    are vectors in R^F: `first` = w_D, `second` = w_D' and the gradients of R_emp at them. The text at hand ends the
    left side in w - w_D; Lemma 21 prints w - w_D' in the same place, so we read a lost prime.
    """
    return C * np.subtract(risk_gradient_first, risk_gradient_second) + np.subtract(w, second)


@theorem(
    "rbht09.lem6.s2",
    parent="rbht09.lem6",
    says=r"\tilde R(w_D)\le 0",
    source=f"{PAPER}, proof of Lemma 6",
)
def auxiliary_risk(*, w, first, second, risk_gradient_first, risk_gradient_second, C):
    """The auxiliary risk is not positive at its minimiser

    R~(w) = C <grad R_emp(w_D, D) - grad R_emp(w_D', D'), w - w_D'> + 1/2 ||w - w_D'||_2^2, minimised at w_D. Its value
    there is exactly -1/2 ||w_D - w_D'||_2^2: bounding it by 0 is where the lemma loses its factor 2.
    """
    step = np.subtract(w, second)
    return C * np.subtract(risk_gradient_first, risk_gradient_second) @ step + step @ step / 2


@theorem(
    "rbht09.lem6.s3",
    parent="rbht09.lem6",
    says=r"\frac{n}{2C}\|w_D-w_{D'}\|_2^2\le 2L\|f_{w_D}-f_{w_{D'}}\|_\infty",
    needs=[positive("L")],
    source=f"{PAPER}, Equation (3.3)",
)
def stability_right_side(*, L, sup_distance):
    """Squared weight distance against sup-norm distance of the classifiers

    2 L ||f - f'||_inf; the bracket in `weight_sensitivity_sharp` shows it for the larger of the distances at x_n and
    x'_n alone, and with n / C in place of n / (2 C).
    """
    return 2 * L * sup_distance


@theorem(
    "rbht09.lem6.s4",
    parent="rbht09.lem6",
    says=r"\|w_D-w_{D'}\|_2\le\frac{4LC\kappa}{n}",
    needs=[integer("n", 2), positive("C"), positive("L"), positive("kappa")],
    source=f"{PAPER}, last line of the proof of Lemma 6",
)
def weight_distance(*, n, C, L=1.0, kappa=1.0):
    """L2 sensitivity of the SVM's weights

    4 L C kappa / n; the attained value is half of it.
    """
    return 4 * L * C * kappa / n


@theorem(
    "rbht09.lem6.s5",
    parent="rbht09.lem6",
    says=r"\|w\|_1\le\sqrt{F}\|w\|_2",
    needs=[integer("F")],
    source=f"{PAPER}, last line of the proof of Lemma 6",
)
def norm_ratio(*, F):
    """Largest ratio of the L1 to the L2 norm in R^F

    sqrt(F), attained by vectors with entries of equal size.
    """
    return sqrt(F)


@theorem(
    "rbht09.lem21.s1",
    parent="rbht09.lem21",
    says=r"0\ge g+\frac{n}{2C}\|w_D-w_{D'}\|_2^2",
    source=f"{PAPER}, proof of Lemma 21, above (A.3)",
)
def auxiliary_display(*, n, C, g, squared_distance):
    """A non-positive sum, as displayed

    g + n / (2 C) ||w_D - w_D'||_2^2 for a g in the displayed set l'(y'_n, f'(x'_n)) (f(x'_n) - f'(x'_n)) -
    l'(y_n, f(x_n)) (f(x_n) - f'(x_n)). (The text at hand has f'(x'_n) for the last f'(x_n) too.)
    """
    return g + n / (2 * C) * squared_distance


@theorem(
    "rbht09.lem21.s1",
    reading="corrected",
    parent="rbht09.lem21",
    says=r"0\ge -g+\frac{n}{2C}\|w_D-w_{D'}\|_2^2",
    source=f"{PAPER}, proof of Lemma 21, with the sign of Lemma 6's (3.3)",
)
def auxiliary_display_corrected(*, n, C, g, squared_distance):
    """A non-positive sum, with -g

    The set displayed is the negative of what bounds (n / C) r from below, so 0 >= -g + n / (2 C) ||.||^2. (A.3)
    follows from |g| <= 2 L ||f - f'||_inf either way.
    """
    return -g + n / (2 * C) * squared_distance


@theorem(
    "rbht09.lem21.s2",
    parent="rbht09.lem21",
    says=r"\frac{n}{2C}\|w_D-w_{D'}\|_2^2\le 2L\|f_{w_D}-f_{w_{D'}}\|_\infty",
    needs=[positive("L")],
    source=f"{PAPER}, Equation (A.3)",
)
def stability_right_side_subgradient(*, L, sup_distance):
    """Squared weight distance against sup-norm distance, any convex loss

    2 L ||f - f'||_inf, as in Lemma 6's (3.3).
    """
    return 2 * L * sup_distance


@theorem(
    "rbht09.lem21.s3",
    parent="rbht09.lem21",
    says=r"\|w_D-w_{D'}\|_2\le\frac{4LC\kappa}{n}",
    needs=[integer("n", 2), positive("C"), positive("L"), positive("kappa")],
    source=f"{PAPER}, last lines of the proof of Lemma 21",
)
def weight_distance_subgradient(*, n, C, L=1.0, kappa=1.0):
    """L2 sensitivity of the SVM's weights, any convex loss

    4 L C kappa / n; the attained value is half of it.
    """
    return 4 * L * C * kappa / n


@theorem(
    "rbht09.thm8.s1",
    parent="rbht09.thm8",
    says=r"|\langle\mu,\phi(x)\rangle|\le\Phi\|\mu\|_1",
    needs=[positive("Phi")],
    source=f"{PAPER}, proof of Theorem 8, first display",
)
def sup_distance(*, mu, Phi):
    """Sup-norm distance of private and exact classifier

    Phi ||mu||_1 by Hölder; attained where phi(x) = Phi sign(mu).
    """
    return Phi * float(np.abs(mu).sum())


@theorem(
    "rbht09.thm8.s2",
    parent="rbht09.thm8",
    kind="identity",
    says=r"\mathbb{E}e^{tX}=(1-\lambda t)^{-F},\quad t<\lambda^{-1}",
    needs=[integer("F"), positive("lam")],
    source=f"{PAPER}, proof of Theorem 8, below (3.4)",
)
def erlang_mgf(*, F, lam, t):
    """Moment generating function of Erlang_F with scale lambda

    (1 - lambda t)^(-F) for t < 1 / lambda. It fits footnote 5's scale lambda, not the sentence's lambda^(-1).

    >>> erlang_mgf(F=2, lam=1.0, t=0.5)
    4.0
    """
    if not t * lam < 1:
        raise ValueError(f"t = {t} is outside (-inf, 1 / lam) = (-inf, {1 / lam})")
    return (1 - lam * t) ** -F


@theorem(
    "rbht09.thm8.s3",
    parent="rbht09.thm8",
    kind="tail",
    says=r"\Pr(\|f_{\hat M(D)}-f_{M(D)}\|_{\infty;\mathcal{M}}>\epsilon)\le 2^F e^{-\epsilon/(2\lambda\Phi)}",
    needs=[positive("acc"), positive("lam"), positive("Phi"), integer("F")],
    source=f"{PAPER}, proof of Theorem 8, last display",
)
def chernoff_tail(*, acc, lam, Phi, F):
    """Chernoff's bound at t = 1 / (2 lambda)

    2^F exp(-acc / (2 lambda Phi)); at the largest printed lambda it equals delta.

    >>> round(chernoff_tail(acc=1.0, lam=0.1, Phi=1, F=2), 6)
    0.026952
    """
    return exp(F * log(2) - acc / (2 * lam * Phi))
