r"""The last iterate of noisy gradient descent with no logarithm on the dimension: a theorem of ours on Lemma C.2.

Lemma C.2 of Wang, Zhu & Wang (2025) has no proof, and the moving comparator of `lemmata.bounds.wzw25.last_iterate`
pays H_T = 1 + 1/2 + ... + 1/T for gradients and noise alike. Here only the gradients pay it: `free_energy_mean` in
expectation, `free_energy_tail`, which has the whole proof, with probability 1 - beta, and `dimension_pays` at the
printed step size. The functions before them are the five steps of the proof.

Names: those of `last_iterate`, with f for the loss L, G0 = `gradient_norm` >= ||g|| for all subgradients g of f, and
w_{t+1} = w_t - eta (g(w_t) + xi_t), where xi_t ~ N(0, sigma^2 I_d) are independent. Besides,

    tau = eta sigma^2 / 2,  S = eta (T+1),  Q(x) = ||x - w_0||^2 / (2 S),  Ent(rho) = int rho log rho,

x_* is the minimiser of f + Q, D_* = ||x_* - w_0||, and W the Wasserstein distance of order 2.
"""

from math import log, pi, sqrt
from typing import Any

from lemmata.bounds.theorem import at_least, integer, positive, require, theorem
from lemmata.bounds.wzw25.last_iterate import EXPECTATION_NEEDS, TAIL_NEEDS, harmonic, last_iterate_rate
from lemmata.bounds.wzw25.noisy_gd import printed_steps

OURS = "ours"
LOG_CHANCE = at_least("log_chance", 0)
RUN = [need for need in EXPECTATION_NEEDS if need.names != ("distance",)] + [positive("eta")]
HALF = require("0 < beta <= 1/2", lambda beta: bool(0 < beta <= 0.5))


@theorem(
    "wzw25.lemC.2.s1",
    reading="explicit",
    says=r"\mathrm{Ent}(X)-\mathrm{Ent}(z)\le\frac{W_2^2(Y,z)-W_2^2(X,z)}{h},\quad X=Y+\mathcal N(0,h\,\mathrm I_d)",
    needs=[at_least("before", 0), at_least("after", 0), positive("noise")],
    source="Ambrosio, Gigli & Savaré 2008, Theorem 11.1.4; Durmus, Majewski & Miasojedow 2019, Lemma 5",
)
def entropy_drop(*, before: float, after: float, noise: float) -> float:
    """The entropy above that of any law z after Gaussian noise of variance h is added.

    `before` and `after` are the squared Wasserstein distances of Y and of X to z, `noise` is h. The laws Y and z have
    second moments, and d does not occur.

    Derivation. The heat flow rho_s, which starts at Y and adds the variance s, is the gradient flow of Ent / 2. Ent is
    convex along geodesics, so the evolution variational inequality d/ds W^2(rho_s, z) <= Ent z - Ent rho_s holds.
    Integrate it up to h: Ent rho_s decreases, so W^2(X, z) - W^2(Y, z) <= h (Ent z - Ent X).

    >>> entropy_drop(before=5.0, after=3.0, noise=4.0)
    0.5
    """
    return (before - after) / noise


@theorem(
    "wzw25.lemC.2.s2",
    reading="explicit",
    says=r"\mathbb E_\rho f+\tau\,\mathrm{Ent}(\rho)\le-\tau\log\int e^{-(f+Q)/\tau}+r\ \Rightarrow\ "
    r"\mathbb E_\rho f\le\min(f+Q)+\kappa\,\mathbb E_\rho Q+(1+\kappa)\left(r+\tau d\log(1+1/\kappa)\right)",
    needs=[integer("d"), positive("tau"), positive("kappa")],
    source=OURS,
)
def without_entropy(*, d: int, tau: Any, kappa: Any, least: Any, pull: Any, remainder: Any) -> Any:
    """The mean of a convex function under a law whose free energy is nearly the least.

    `least` is min (f + Q), `pull` is E_rho Q and `remainder` is r; f + Q is convex, Q >= 0, and kappa > 0 is free.

    Derivation. Let phi = f + Q, x_* its minimiser and lambda = kappa / (1 + kappa). By Gibbs' formula lambda E_rho phi
    + tau Ent(rho) >= -tau log Z(lambda phi). Put y = lambda x + (1 - lambda) x_*: convexity gives phi(y) <= lambda
    phi(x) + (1 - lambda) phi(x_*), so Z(lambda phi) <= lambda^-d exp((1 - lambda) phi(x_*) / tau) Z(phi). Hence (1 -
    lambda) E_rho f - lambda E_rho Q - tau d log(1/lambda) - (1 - lambda) phi(x_*) - tau log Z(phi) <= -tau log Z(phi) +
    r. The logarithms of Z cancel. Divide by 1 - lambda = 1 / (1 + kappa). It is attained by the norm sum |x_i|, Q = 0.

    >>> round(without_entropy(d=2, tau=1.0, kappa=1.0, least=0.0, pull=3.0, remainder=1.0) - 4 * log(2), 9)
    5.0
    """
    return least + kappa * pull + (1 + kappa) * (remainder + tau * d * log(1 + 1 / kappa))


@theorem(
    "wzw25.lemC.2.s3",
    reading="explicit",
    kind="mean",
    says=r"\Pr[A]=e^{-l}\ \Rightarrow\ \xi_t=\zeta_t+\theta_t\ \mathrm{given}\ A,\ \zeta_t\sim\mathcal N(0,\sigma^2"
    r"\mathrm I_d)\ \mathrm{independent\ of}\ \xi_0,\ldots,\xi_{t-1},\ \sum_t\mathbb E\|\theta_t\|^2\le2\sigma^2l",
    needs=[positive("sigma"), LOG_CHANCE],
    source=f"{OURS}; Talagrand 1996",
)
def drift_energy(*, sigma: float, log_chance: float) -> float:
    """What an event of probability e^-l can do to independent Gaussian noise, in squared length.

    Derivation. Given A the law of xi_0, ..., xi_{T-1} has relative entropy log(1/P(A)) = l. By the chain rule l is the
    sum of the mean relative entropies of the law of xi_t given A and the past. By Talagrand's inequality the squared
    Wasserstein distance of such a law to N(0, sigma^2 I) is at most 2 sigma^2 times its relative entropy. Draw (xi_t,
    zeta_t) from the optimal coupling, which depends on xi_0, ..., xi_{t-1} only; theta_t = xi_t - zeta_t.

    >>> drift_energy(sigma=2.0, log_chance=3.0)
    24.0
    """
    return 2 * sigma**2 * log_chance


@theorem(
    "wzw25.lemC.2.s4",
    reading="explicit",
    kind="mean",
    says=r"\mathbb E\|V_T-w_0\|^2\le2\left((2D_*+e)^2+(D_*+e)^2+D_*^2+\eta^2T(G_0^2+d\sigma^2)+\frac{e^2}{T}\right),"
    r"\quad e=\eta\sigma\sqrt{2lT}",
    needs=[*RUN, at_least("prox", 0), LOG_CHANCE],
    source=OURS,
)
def travelled(
    *, d: int, steps: int, gradient_norm: float, sigma: float, eta: float, prox: float, log_chance: float
) -> float:
    """The squared distance from the start, given an event of probability e^-l.

    `prox` is D_*, the distance from w_0 to the minimiser x_* of f + Q; V_T is w_T before the last drift, eta
    theta_{T-1}.

    Derivation. Let S = eta (T+1). (w_0 - x_*) / S is a subgradient of f at x_*, so f(w) - f(x_*) >= -D_* ||w - x_*|| /
    S. Let b be the largest of the root mean squares of w_t - x_* and V_t - x_*. A step to V_{t+1} adds at most 2 eta
    D_* b / S + eta^2 (G0^2 + d sigma^2) to the mean square, as zeta_t is independent of w_t; the drift adds 2 eta b e_t
    + eta^2 e_t^2. Sum both with 2 eta T / S <= 2 and wzw25.lemC.2.s3: b^2 <= D_*^2 + 2 b (D_* + e) + eta^2 T (G0^2 + d
    sigma^2) + e^2 / T = K + 2 b B, so b <= B + sqrt(B^2 + K) and (b + D_*)^2 <= 2 (B + D_*)^2 + 2 (B^2 + K).

    >>> travelled(d=1, steps=2, gradient_norm=1.0, sigma=1.0, eta=1.0, prox=1.0, log_chance=0.0)
    20.0
    """
    e = eta * sqrt(steps * drift_energy(sigma=sigma, log_chance=log_chance))
    squares = eta**2 * steps * (gradient_norm**2 + d * sigma**2) + e**2 / steps
    return 2 * ((2 * prox + e) ** 2 + (prox + e) ** 2 + prox**2 + squares)


@theorem(
    "wzw25.lemC.2.s5",
    reading="explicit",
    kind="mean",
    says=r"\mathbb E f(V_T)+\eta G_0e_T+\tau\,\mathrm{Ent}(V_T)\le-\tau\log\int e^{-(f+Q)/\tau}+"
    r"\eta\left(\frac{d\sigma^2}{2}\log\frac{T+1}{T}+\frac{1+H_T}{2}G_0^2+2\sigma^2l"
    r"+G_0\sigma\sqrt{2l\left(1+\frac{\pi^2}{6}\right)}\right)",
    needs=[*RUN, LOG_CHANCE],
    source=OURS,
)
def free_energy_gap(*, d: int, steps: int, gradient_norm: float, sigma: float, eta: float, log_chance: float) -> float:
    """The free energy of the last iterate above the least, given an event of probability e^-l.

    Derivation. (G), (H), v_t, z_t and nu are those of the theorem (cf. part free-energy). Let a_s = E f(V_s) - E_nu f.
    Convexity along the geodesics gives v_t (E f(z_t) - E_nu f) <= sum_{s<=t} (v_s - v_{s-1}) a_s. So the links (G)
    leave v a_T, because v_s = (v_s - v_{s-1}) (T - s + 1) for s < T. The links (H) leave v (Ent V_T - Ent z_0), because
    v_{s-1} = (v_s - v_{s-1}) (T - s) for 1 <= s < T; and Ent z_0 = Ent nu + d log(1 + 1/T), as z_0 is nu shrunk to w_0
    by T / (T+1). The distances leave v_0 W^2(w_0, z_0) = v T / (T+1)^2 W^2(w_0, nu) at most. The gradients add eta^2
    G0^2 sum_t v_t = eta^2 G0^2 v (H_T + 1). At t = T use g(V_T) and no drift, and add eta G0 e_T on both sides. The
    drift adds eta^2 v (1 + 1/(T-t)) e_t^2 <= 2 eta^2 v e_t^2 at t < T, and with weights 1/(T-t) and 1 it adds 2 eta^2 v
    G0 times sum e_t / (T-t) + e_T <= sqrt((1 + pi^2/6) 2 sigma^2 l) (wzw25.lemC.2.s3). Divide by 2 eta v, and take the
    least right side over nu: Gibbs' formula.

    >>> free_energy_gap(d=1, steps=1, gradient_norm=1.0, sigma=1.0, eta=2.0, log_chance=0.0) == log(2) + 2
    True
    """
    noise = sigma**2 * d / 2 * log(1 + 1 / steps) + drift_energy(sigma=sigma, log_chance=log_chance)
    both = gradient_norm * sqrt((1 + pi**2 / 6) * drift_energy(sigma=sigma, log_chance=log_chance))
    return eta * (noise + gradient_norm**2 * (1 + harmonic(steps)) / 2 + both)


@last_iterate_rate.explicit(
    part="free-energy-mean",
    kind="mean",
    says=r"\mathbb E\hat L(\mathbf w_T)-\hat L(\mathbf w_{ref})\le\frac{D^2}{\eta(T+1)}+"
    r"\eta\left(\frac{21}{10}d\sigma^2+\left(\frac{11}{10}+\frac{53}{100}\log T\right)G_0^2\right)",
    needs=[*RUN, positive("distance")],
    source=OURS,
)
def free_energy_mean(*, d: int, steps: int, gradient_norm: float, sigma: float, distance: float, eta: float) -> float:
    """The expected excess loss of the last iterate, where no logarithm multiplies the dimension.

    For convex losses with ||grad L|| <= G0, the unit of a loss, and any comparator.

    Derivation. As with probability 1 - beta (cf. part free-energy), but with l = 0: V_t = w_t and e_t = 0. Let h = ||u
    - x_*||. Then E Q(w_T) <= 6 D_*^2 / S + eta (G0^2 + d sigma^2) by wzw25.lemC.2.s4, and D_* <= D + h. Put this and
    wzw25.lemC.2.s5 into wzw25.lemC.2.s2 at kappa = 1/24: the squares are (D^2 - h^2) / (2 S) + (D + h)^2 / (4 S) <= D^2
    / S. The rest is eta (G0^2 + d sigma^2) / 24 + (25/48) eta (d sigma^2 log(25 (1 + 1/T)) + G0^2 (1 + H_T)), where
    1/24 + (25/48) log 50 < 2.1, H_T <= 1 + log T and 1/24 + 25/24 < 1.1.

    >>> round(free_energy_mean(d=1, steps=1, gradient_norm=1.0, sigma=1.0, distance=2.0, eta=1.0), 9)
    5.2
    """
    return distance**2 / (eta * (steps + 1)) + eta * (2.1 * d * sigma**2 + (1.1 + 0.53 * log(steps)) * gradient_norm**2)


@last_iterate_rate.explicit(
    part="free-energy",
    says=r"\hat L(\mathbf w_T)-\hat L(\mathbf w_{ref})\le\frac{D^2}{\eta(T+1)}+\eta\left(\frac{9d+15\log(1/\beta)}{4}"
    r"\sigma^2+\left(\frac{21}{10}+\frac{52}{100}\log T\right)G_0^2\right)\quad\mathrm{w.p.}\ 1-\beta",
    needs=TAIL_NEEDS,
    source=OURS,
)
def free_energy_tail(
    *, d: int, steps: int, gradient_norm: float, sigma: float, distance: float, eta: float, beta: float
) -> float:
    """The excess loss of the last iterate with probability 1 - beta, where no logarithm multiplies the dimension.

    For convex losses with ||grad L|| <= G0, the unit of a loss, and any comparator.

    Derivation. Names are explained at the head of the module and in the steps; Z(h) = int exp(-h / tau).

    1. Conditioning (s3). Let A be an event of probability e^-l. All laws and means below are those given A. The noise
    is xi_t = zeta_t + theta_t, where zeta_t ~ N(0, sigma^2 I) is independent of the past, and sum_t E ||theta_t||^2 <=
    2 sigma^2 l. Let V_0 = w_0, Y_{t+1} = w_t - eta g(w_t) and V_{t+1} = Y_{t+1} - eta zeta_t. Then w_t = V_t - eta
    theta_{t-1}. Let e_t^2 = E ||theta_{t-1}||^2, and e_0 = 0.

    2. Two links. For every law z, the heat flow from Y_t to V_t gives, with no dimension in it (s1),

        2 eta tau (Ent V_t - Ent z) <= W^2(Y_t, z) - W^2(V_t, z) .                                                 (H)

    Couple z optimally with V_t. Convexity at w_t, the bound G0, and ||a + b||^2 <= (1 + c) ||a||^2 + (1 + 1/c) ||b||^2
    for a = V_t - z and b = -eta theta_{t-1} give

        2 eta (E f(V_t) - E_z f) <= (1 + c_t) W^2(V_t, z) - W^2(Y_{t+1}, z)
                                    + eta^2 (G0^2 + 2 G0 e_t + (1 + 1/c_t) e_t^2) .                                (G)

    3. The moving comparator (s5). Let v_t = v / (T - t) for t < T, v_T = v and v_{-1} = v / (T+1). For any law nu let
    z_{-1} = nu, and let z_t be the point of the geodesic from z_{t-1} to V_t at the share 1 - v_{t-1} / v_t. Sum (G) at
    z_t with weight v_t and (H) at z_{t-1} with weight v_{t-1}. The mean of f and the entropy are convex along
    geodesics, so all their terms cancel but the last. The distances cancel too: the geodesic leaves room for c_t = 1 /
    (T - t), as (1 + c_t) v_t W^2(V_t, z_t) = v_{t-1} W^2(V_t, z_{t-1}), and so the drift costs no logarithm. Hence

        E f(V_T) + eta G0 e_T + tau Ent(V_T) <= E_nu f + tau Ent(nu) + W^2(w_0, nu) / (2 S) + gap ,                (F)

    with the gap of s5, and E f(w_T) <= E f(V_T) + eta G0 e_T.

    4. Gibbs' formula (s2). The least right side of (F) over nu is -tau log Z(f + Q) + gap. The same formula bounds tau
    Ent(V_T) from below by Z(lambda (f + Q)), convexity bounds that by Z(f + Q), and Z cancels.

    5. Distance (s4). Q(V_T) is of the order of D_*^2 / S, and D_* <= D + h with h = ||u - x_*||. As f + Q is
    1/S-strongly convex, min (f + Q) - f(u) <= (D^2 - h^2) / (2 S). By (2 x + y)^2 <= 6 x^2 + 3 y^2 and (x + y)^2 <= 2
    x^2 + 2 y^2 the bound of s4 is at most 18 D_*^2 + 2 eta^2 T (G0^2 + d sigma^2) + 24 eta^2 sigma^2 l T. In s2 take
    kappa = 1/36: the squares are (D^2 - h^2) / (2 S) + (D + h)^2 / (4 S) <= D^2 / S.

    6. Constants. In s5 use G0 sigma sqrt(2 l (1 + pi^2/6)) <= G0^2 + (2 + pi^2/3) sigma^2 l / 4 and H_T <= 1 + log T.
    What is left is 1/36 + (37/72) log 74 < 9/4 for d sigma^2, 1/3 + (37/36) (2 + (2 + pi^2/3) / 4) < 15/4 for sigma^2
    l, and 1/36 + (37/72) (4 + log T) for G0^2. So E[f(w_T) | A] - f(u) is at most the bound with l in place of
    log(1/beta).

    7. Probability. If A = {f(w_T) - f(u) > a} had probability at least beta, a would be below the mean excess given A,
    which is at most the bound. So an a that is the bound is exceeded with a smaller probability.

    >>> round(free_energy_tail(d=1, steps=1, gradient_norm=1.0, sigma=1.0, distance=2.0, eta=1.0, beta=0.5), 3)
    8.949
    """
    noise = (9 * d - 15 * log(beta)) / 4
    return distance**2 / (eta * (steps + 1)) + eta * (noise * sigma**2 + (2.1 + 0.52 * log(steps)) * gradient_norm**2)


@last_iterate_rate.explicit(
    part="dimension",
    says=r"\hat L(\mathbf w_T)-\hat L(\mathbf w_{ref})\le\left(14.45+\frac{0.52\log T}{d\log(1/\beta)}\right)"
    r"\frac{\|\mathbf w_{ref}-\mathbf w_0\|\,\Delta\sqrt{d\log(1/\beta)}}{\mu}\quad\mathrm{w.p.}\ 1-\beta",
    needs=[integer("n"), integer("d"), positive("mu"), positive("sensitivity"), positive("distance"), HALF],
    source=f"{OURS}, at the printed step size",
)
def dimension_pays(*, n: int, d: int, mu: float, sensitivity: float, distance: float, beta: float) -> float:
    """The excess loss of the last iterate at the printed step size: 15 times the printed rate if T <= beta^-d.

    T = ceil(n^2 mu^2), sigma = Delta sqrt(T) / mu, and the losses are those of Lemma C.2 (corrected).

    Derivation. Let l = log(1/beta) >= log 2, G = n Delta <= sigma, A = G^2 + d sigma^2 l and eta = D / sqrt(T A). In
    wzw25.lemC.2/explicit/free-energy D^2 / (eta (T+1)) <= eta A, d sigma^2 <= A / l, sigma^2 l <= A / d <= A and G^2 (1
    + d l) <= A. So the excess is at most eta A (19/4 + 9 / (4 log 2) + (2.1 + 0.52 log T) / (1 + d l)), where eta A = D
    sqrt(A / T) <= (D Delta / mu) sqrt(1 + d l), as T >= n^2 mu^2. Divide by the rate: sqrt(1 + 1/(d l)) times the first
    three terms is largest at d l = log 2, where it is below 14.45, and 0.52 log T / sqrt(d l (1 + d l)) <= 0.52 log T /
    (d l).

    >>> round(dimension_pays(n=1, d=4, mu=1.0, sensitivity=1.0, distance=1.0, beta=0.5), 3)
    24.061
    """
    rate = last_iterate_rate.theorem.formula(d=d, mu=mu, sensitivity=sensitivity, distance=distance, beta=beta)
    return (14.45 - 0.52 * log(printed_steps(n, mu)) / (d * log(beta))) * rate
