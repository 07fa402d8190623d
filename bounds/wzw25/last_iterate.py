"""The last iterate of noisy gradient descent: Lemma C.2 of Wang, Zhu & Wang (2025), and its provable forms.

The lemma is cited from Liu & Zhou (2024, Theorem 3.5) and has no proof in the paper. Names as in
`lemmata.bounds.wzw25.noisy_gd`; besides, u = w_ref, a_t = L(w_t) - L(u), D = ||u - w_0||, G0 >= ||grad L|| everywhere
(`gradient_norm`), G^2 = G0^2 + d sigma^2, H_T = 1 + 1/2 + ... + 1/T, and L convex. T noisy steps are made; w_T is the
last iterate.

*The moving comparator.* All last-iterate bounds here come from one argument (after Zamani & Glineur 2023, and Liu
& Zhou). Let 0 < v_{-1} <= v_0 <= ... <= v_T, z_{-1} = u and z_t = (v_{t-1} / v_t) z_{t-1} + (1 - v_{t-1} / v_t) w_t,
a convex combination of u and past iterates. Then L(z_t) - L(u) <= sum_{s<=t} ((v_s - v_{s-1}) / v_t) a_s, so for
weights k_t > 0

    sum_t k_t v_t (L(w_t) - L(z_t)) >= sum_s [k_s v_s - (v_s - v_{s-1}) sum_{t>=s} k_t] a_s ,        (C)

and the bracket vanishes for s < T where v_{s-1} K_s = v_s K_{s+1} with K_s = sum_{t=s}^T k_t, that is
v_s = v / K_{s+1}; with v_T = v_{T-1} what remains is v a_T. On the other side, since w_{t+1} - z_{t+1} =
(v_t / v_{t+1}) (w_{t+1} - z_t),

    2 eta_t (L(w_t) - L(z_t)) <= ||w_t - z_t||^2 - ||w_t - z_t - eta_t g_t||^2 + eta_t^2 G0^2        (Lemma A.9)

chains the squared distances to the moving comparator. At t = T nothing is drawn.
"""

from functools import lru_cache
from math import e, exp, log, sqrt
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from lemmata.bounds.exact.numbers import Array
from lemmata.bounds.exact.sampled_gaussian import batches_delta
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, positive, require, theorem
from lemmata.bounds.wzw25.noisy_gd import noise_std, printed_steps, stride

LIU_ZHOU = "Liu & Zhou 2024, Theorem 3.5"
EXPECTATION_NEEDS = [integer("d"), integer("steps"), positive("gradient_norm"), positive("sigma"), positive("distance")]
SCALES = np.geomspace(0.02, 4, 40)  # of v in `last_iterate_tail`, in units of 1 / (4 eta^2 sigma^2 H_T)
TAIL_NEEDS = [*EXPECTATION_NEEDS, positive("eta"), in_unit_interval("beta")]


def harmonic(steps: int) -> float:
    """H_T = 1 + 1/2 + ... + 1/T.

    >>> harmonic(4)
    2.083333333333333
    """
    return float(np.sum(1 / np.arange(steps, 0, -1)))


def decaying_strides(*, steps: int, gradient_norm: float, sigma: float, d: int, distance: float) -> Array:
    """eta_t = (D / G) (T - t) / (T + 1)^{3/2} for t = 0..T-1: the linear decay of Defazio et al. (2023).

    >>> decaying_strides(steps=1, gradient_norm=1.0, sigma=0.0, d=1, distance=4.0).round(6)
    array([1.414214])
    """
    top = stride(steps=steps + 1, gradient_norm=gradient_norm, sigma=sigma, d=d, distance=distance)
    return top * np.arange(steps, 0, -1) / (steps + 1)


@theorem(
    "wzw25.lemC.2",
    kind="tail",
    says=r"\Pr\left[\hat L(\mathbf{w}_T;S)-\hat L(\mathbf{w}_{ref};S)\le O\left(\frac{\|\mathbf{w}_{ref}-\mathbf{w}_0\|"
    r"\,\Delta\sqrt{d\log(1/\beta)}}{\mu}\right)\right]\ge 1-\beta,"
    r"\quad\eta=\sqrt{\frac{\|\mathbf{w}_{ref}-\mathbf{w}_0\|^2}{T(n^2\Delta^2+d\sigma^2\log(1/\beta))}}",
    needs=[integer("d"), positive("mu"), at_least("sensitivity", 0), at_least("distance", 0), in_unit_interval("beta")],
    source=", Equation 8; Liu & Zhou 2024, Theorem 3.5",
)
def last_iterate_rate(*, d: int, mu: float, sensitivity: float, distance: float, beta: float) -> float:
    """The order of the excess loss of the last iterate at a constant step size.

    distance Delta sqrt(d log(1/beta)) / mu. It tends to 0 as beta tends to 1, which no law of w_T with a density in
    three or more dimensions can follow. For beta <= 1/2 `lemmata.bounds.wzw25.last_iterate_proof` shows 15 times it
    where log T <= d log(1/beta). Otherwise we know neither a proof nor a counterexample, and `last_iterate_corrected`
    is larger by a factor of at most 4.5 (1 + H_T) there.

    >>> last_iterate_rate(d=4, mu=0.5, sensitivity=1.0, distance=1.0, beta=exp(-1))
    4.0
    """
    return distance * sensitivity * sqrt(d * log(1 / beta)) / mu


@last_iterate_rate.corrected(
    says=r"\Pr\left[\hat L(\mathbf{w}_T;S)-\hat L(\mathbf{w}_{ref};S)\le 2\sqrt 2\,(1+H_T)"
    r"\frac{\|\mathbf{w}_{ref}-\mathbf{w}_0\|\,\Delta\sqrt{d\log(e/\beta)}}{\mu}\right]\ge 1-\beta,"
    r"\quad\eta=\frac{\|\mathbf{w}_{ref}-\mathbf{w}_0\|}{\sqrt{T(n^2\Delta^2+d\sigma^2\log(e/\beta))}}",
    needs=[
        integer("n"),
        integer("d"),
        positive("mu"),
        at_least("sensitivity", 0),
        at_least("distance", 0),
        in_unit_interval("beta"),
    ],
    source=f"derived here; cf. {LIU_ZHOU}",
)
def last_iterate_corrected(*, n: int, d: int, mu: float, sensitivity: float, distance: float, beta: float) -> float:
    """The excess loss of the last iterate, with log(e/beta) and a harmonic factor.

    T = ceil(n^2 mu^2) >= 1, sigma = Delta sqrt(T) / mu, convex L with ||grad L|| <= n Delta. Derivation: in
    `last_iterate_tail` take v = 1 / (4 eta^2 sigma^2 H_T). All k_t >= k_T = 1, so K_{t+1} >= T - t and
    1/k_t >= 1 - 2 eta^2 sigma^2 v H_T = 1/2: 1 <= k_t <= 2. Hence k_0 v K_1 / K_0^2 <= 2 v / (T + 2),
    sum_t k_t v_t <= v (2 H_T + 1), log k_0 <= log 2, and dividing by 2 eta v,

        a_T <= D^2 / (eta (T + 2)) + eta G0^2 (H_T + 1/2) + eta sigma^2 H_T (d log 2 + 2 log(1/beta)).

    With A = n^2 Delta^2 + d sigma^2 (1 + log(1/beta)) the last two terms are at most eta A (2 H_T + 1), since d >= 1,
    and the first at most D sqrt(A / T) at eta = D / sqrt(T A). So a_T <= 2 (1 + H_T) D sqrt(A / T), and A / T <=
    (Delta / mu)^2 (1 + d log(e/beta)) <= 2 d log(e/beta) (Delta / mu)^2.

    >>> round(last_iterate_corrected(n=1, d=1, mu=1.0, sensitivity=1.0, distance=1.0, beta=0.1), 3)
    10.28
    """
    problem = {"d": d, "mu": mu, "sensitivity": sensitivity, "distance": distance}
    rate = last_iterate_rate.theorem.formula(**problem, beta=beta / e)
    return 2 * sqrt(2) * (1 + harmonic(printed_steps(n, mu))) * rate


@last_iterate_rate.explicit(
    part="expectation",
    says=r"\mathbb{E}\hat L(\mathbf{w}_T)-\hat L(\mathbf{w}_{ref})\le\frac{D^2}{2\eta(T+1)}+\frac{\eta G^2}{2}(1+H_T)",
    kind="mean",
    needs=[*EXPECTATION_NEEDS, positive("eta")],
    source=f"derived here; cf. {LIU_ZHOU}",
)
def last_iterate_mean(*, d: int, steps: int, gradient_norm: float, sigma: float, distance: float, eta: float) -> float:
    """The expected excess loss of noisy descent's last iterate at a constant step size.

    The moving comparator with k_t = 1, so v_t = v / (T - t), and (v_t / v_{t+1})^2 <= v_t / v_{t+1}: the
    expectations of v_t ||w_t - z_t||^2 telescope from at most v D^2 / (T + 1); the squared gradients add
    eta^2 G^2 sum_t v_t = eta^2 G^2 v (H_T + 1). Divide by 2 eta v.

    >>> last_iterate_mean(d=1, steps=1, gradient_norm=1.0, sigma=1.0, distance=1.0, eta=0.5)
    1.5
    """
    squared = gradient_norm**2 + d * sigma**2
    return distance**2 / (2 * eta * (steps + 1)) + eta * squared / 2 * (1 + harmonic(steps))


@last_iterate_rate.explicit(
    part="decaying",
    says=r"\mathbb{E}\hat L(\mathbf{w}_T)-\hat L(\mathbf{w}_{ref})\le\frac{D\,G}{\sqrt{T+1}},"
    r"\quad\eta_t=\frac{D}{G}\,\frac{T-t}{(T+1)^{3/2}}",
    kind="mean",
    needs=EXPECTATION_NEEDS,
    source="derived here; Zamani & Glineur 2023, Defazio et al. 2023",
)
def decaying_mean(*, d: int, steps: int, gradient_norm: float, sigma: float, distance: float) -> float:
    """The expected excess loss of the last iterate with linearly decaying steps.

    The moving comparator with v_t = (T + 1) / (T - t), v_{-1} = 1, and eta_t = h / v_t. Multiply the chain by v_t^2:
    since v_{t+1}^2 ||w_{t+1} - z_{t+1}||^2 = v_t^2 ||w_{t+1} - z_t||^2 it telescopes exactly, from D^2, and the
    weights 2 v_t^2 eta_t = 2 h v_t are those of (C) with k_t = 1: 2 h (T + 1) E a_T <= D^2 + (T + 1) h^2 G^2.
    Take h = D / (G sqrt(T + 1)).

    >>> decaying_mean(d=1, steps=3, gradient_norm=1.0, sigma=1.0, distance=1.0) ** 2
    0.5
    """
    return distance * sqrt((gradient_norm**2 + d * sigma**2) / (steps + 1))


def batch_square(*, n: int, rate: float) -> float:
    """n^2 + n (1-q)/q: E ||sum_{i in B} g_i / q||^2 for n vectors of norm at most 1, each in B with probability q.

    The square of the mean, ||sum g_i||^2, and n independent variances ||g_i||^2 (1-q)/q.

    >>> batch_square(n=10, rate=0.5), batch_square(n=10, rate=1.0)
    (110.0, 100.0)
    """
    return n**2 + n * (1 - rate) / rate


@last_iterate_rate.explicit(
    part="batches",
    says=r"\mathbb{E}\hat L(\mathbf{w}_T)-\hat L(\mathbf{w}_{ref})\le D\,L\sqrt{\frac{n^2+n(1-q)/q+d/(aq)^2}{T+1}},"
    r"\quad\sigma=\frac La",
    kind="mean",
    needs=[
        integer("n"),
        integer("d"),
        integer("steps"),
        in_unit_interval("rate"),
        positive("scale"),
        positive("lipschitz"),
        positive("distance"),
    ],
    source="derived here, from the decaying steps",
)
def batches_mean(*, n: int, d: int, steps: int, rate: float, scale: float, lipschitz: float, distance: float) -> float:
    """The expected excess loss of the last iterate: decaying steps, random batches.

    Every record, with a gradient of norm at most L = `lipschitz`, is in a batch with probability q = `rate`; the sum
    over the batch gets noise of standard deviation L / a, a = `scale`, and is divided by q. `decaying_mean` asks for an
    unbiased gradient whose expected square is at most G^2: here that of `batch_square`, and d (L / (a q))^2.

    >>> round(batches_mean(n=10, d=1, steps=3, rate=0.5, scale=1.0, lipschitz=1.0, distance=1.0) ** 2, 6)
    28.5
    """
    return distance * lipschitz * sqrt((batch_square(n=n, rate=rate) + d / (scale * rate) ** 2) / (steps + 1))


@last_iterate_rate.explicit(
    part="weighted",
    says=r"\hat L(\bar{\mathbf{w}}_\lambda)-\hat L(\mathbf{w}_{ref})\le\frac{\lambda_0D^2+\eta^2G_0^2\sum_t\lambda_t"
    r"+\frac d2\log\frac{\lambda_0}{\lambda_T}+\log\frac1\beta}{2\eta\sum_t\lambda_t},"
    r"\quad\frac1{\lambda_t}=\frac1{\lambda_0}+2\eta^2\sigma^2t",
    needs=TAIL_NEEDS,
    source="derived here",
)
def weighted_tail(
    *, d: int, steps: int, gradient_norm: float, sigma: float, distance: float, eta: float, beta: float
) -> float:
    """The excess loss of a weighted average of the iterates, probability 1 - beta.

    The average is sum_{t<T} l_t w_t / sum l_t (l for lambda), for the l_0 that makes the right side smallest; it
    depends on no data. Noncentral chi square: with 1 - 2 l_{t+1} eta^2 sigma^2 = l_{t+1} / l_t,
    E exp(l_{t+1} ||x - eta xi||^2) = (l_t / l_{t+1})^{d/2} exp(l_t ||x||^2). At x = w_t - u - eta g_t,
    ||x||^2 <= ||w_t - u||^2 - 2 eta a_t + eta^2 G0^2, so exp(l_t ||w_t - u||^2 + sum_{s<t} l_s (2 eta a_s -
    eta^2 G0^2) - (d/2) log(l_0 / l_t)) is a supermartingale. Markov at t = T, then convexity.

    >>> problem = dict(d=1, steps=9, gradient_norm=1.0, sigma=1.0, distance=1.0, eta=0.2)
    >>> weighted_tail(**problem, beta=0.01) > weighted_tail(**problem, beta=0.1)
    True
    """
    return _weighted(d, steps, gradient_norm, sigma, distance, eta, beta)[0]


def iterate_weights(
    *, d: int, steps: int, gradient_norm: float, sigma: float, distance: float, eta: float, beta: float
) -> Array:
    """lambda_0..lambda_{T-1} of `weighted_tail`, shape (steps,)."""
    start = _weighted(d, steps, gradient_norm, sigma, distance, eta, beta)[1]
    return 1 / (1 / start + 2 * (eta * sigma) ** 2 * np.arange(steps))


@last_iterate_rate.explicit(
    part="last",
    says=r"\hat L(\mathbf{w}_T)-\hat L(\mathbf{w}_{ref})\le\frac{k_0vK_1K_0^{-2}D^2+\eta^2G_0^2\sum_{t\le T}k_tv_t"
    r"+\frac d2\log k_0+\log\frac1\beta}{2\eta v}",
    needs=TAIL_NEEDS,
    source="derived here",
)
@lru_cache(maxsize=256)
def last_iterate_tail(
    *, d: int, steps: int, gradient_norm: float, sigma: float, distance: float, eta: float, beta: float
) -> float:
    """The excess loss of the last iterate with probability at least 1 - beta.

    The moving comparator inside an exponential: for any v > 0 let k_T = 1, K_t = k_t + ... + k_T, v_t = v / K_{t+1}
    (v_T = v_{T-1} = v) and, backwards, 1/k_t = 1/k_{t+1} - 2 v_t eta^2 sigma^2, as long as that is positive. Since
    v_{t+1} ||w_{t+1} - z_{t+1}||^2 <= v_t ||w_{t+1} - z_t||^2 and E exp(k_{t+1} v_t ||x - eta xi||^2) =
    (k_t / k_{t+1})^{d/2} exp(k_t v_t ||x||^2), the process

        exp(k_t v_t ||w_t - z_t||^2 + sum_{s<t} k_s v_s (2 eta (L(w_s) - L(z_s)) - eta^2 G0^2) - (d/2) log(k_0 / k_t))

    is a supermartingale that starts at k_0 v_0 ||w_0 - z_0||^2 = k_0 v_0 (v_{-1} / v_0)^2 D^2 = k_0 v K_1 K_0^{-2}
    D^2. Add the noiseless chain link at t = T, use (C), and Markov. `v` is the best of a geometric grid: any v
    gives a bound, and this one depends on no data.

    >>> problem = dict(d=1, steps=9, gradient_norm=1.0, sigma=1.0, distance=1.0, eta=0.2)
    >>> last_iterate_tail(**problem, beta=0.01) > last_iterate_tail(**problem, beta=0.1)
    True
    """
    noise, best = (eta * sigma) ** 2, np.inf
    for v in SCALES / (4 * noise * harmonic(steps)):
        weights = comparator_weights(steps, v, noise)
        if weights is None:
            break
        k, v_t = weights
        all_k = float(np.sum(k))
        start = k[0] * v * (all_k - k[0]) / all_k**2 * distance**2
        top = start + (eta * gradient_norm) ** 2 * float(k @ v_t) + d / 2 * log(k[0]) + log(1 / beta)
        best = min(best, top / (2 * eta * v))
    return float(best)


@lru_cache(maxsize=256)
def _weighted(
    d: int, steps: int, gradient_norm: float, sigma: float, distance: float, eta: float, beta: float
) -> tuple[float, float]:
    """(bound, lambda_0) of `weighted_tail`: a one-dimensional minimum in log lambda_0."""
    inflation = 2 * (eta * sigma) ** 2

    def bound(log_start: float) -> float:
        start = exp(log_start)
        total = float(np.sum(1 / (1 / start + inflation * np.arange(steps))))
        top = start * distance**2 + (eta * gradient_norm) ** 2 * total + log(1 / beta)
        return (top + d / 2 * np.log1p(start * inflation * steps)) / (2 * eta * total)

    middle = -log(inflation * steps)
    best = minimize_scalar(bound, bounds=(middle - 15, middle + 15), method="bounded").x
    return float(bound(best)), exp(best)


def comparator_weights(steps: int, v: float, noise: float) -> tuple[Array, Array] | None:
    """(k_0..k_T, v_0..v_T) of `last_iterate_tail` for noise = eta^2 sigma^2; None if some k_t is not positive."""
    k, weights = np.ones(steps + 1), np.full(steps + 1, v, dtype=float)
    total = 1.0  # K_{t+1}
    for t in range(steps - 1, -1, -1):
        weights[t] = v / total
        inverse = 1 / k[t + 1] - 2 * weights[t] * noise
        if inverse <= 0:
            return None
        k[t] = 1 / inverse
        total += k[t]
    return k, weights


def problem_of(
    *,
    n: int,
    d: int,
    steps: int,
    mu: float,
    sensitivity: float,
    gradient_norm: float,
    distance: float,
    log_factor: float = 1.0,
) -> dict[str, Any]:
    """The arguments all bounds above share, for Algorithm 5 with T = `steps` and the matching constant step size."""
    sigma = noise_std(steps, sensitivity, mu)
    eta = stride(steps=steps, gradient_norm=n * sensitivity, sigma=sigma, d=d, distance=distance, log_factor=log_factor)
    return {"d": d, "steps": steps, "gradient_norm": gradient_norm, "sigma": sigma, "distance": distance, "eta": eta}


@theorem(
    "wzw25.lemC.2",
    part="batches-privacy",
    reading="explicit",
    kind="privacy",
    says=r"\delta_{\mathcal M^*}(\varepsilon)\le H_{e^{\varepsilon}}\left(P_+^{\otimes N}\otimes\mathcal N(\mu,1)\,\|\,"
    r"P_-^{\otimes N}\otimes\mathcal N(0,1)\right),\quad P_\pm=(1-q)\,\mathcal N(0,1)+q\,\mathcal N(\pm a,1)",
    needs=[
        at_least("epsilon", 0),
        require("0 < rate <= 1", lambda rate: bool(0 < rate <= 1)),
        positive("scale"),
        integer("steps"),
        positive("mu"),
    ],
    source="derived here; dominating pairs: Dong, Roth & Su 2022, Zhu, Dong & Wang 2022",
)
def batches_privacy(*, epsilon: float, rate: float, scale: float, steps: int, mu: float) -> float:
    """The privacy curve of Algorithm 3 run on random batches, rounded up.

    `lemmata.mechanisms.learners.descent.sampled_gd` runs it.

    There are N = `steps` steps, each on one batch that all runs share; a batch has every record with probability q =
    `rate`. The gradients of a record in m runs, each at most s times the standard deviation of its noise long, are one
    vector of length at most a = `scale` = s sqrt(m) in units of the noise; all scores together are mu-GDP. Why the two
    laws of one step are dominated by P_+ and P_- is derived in `lemmata.bounds.exact.sampled_gaussian`: half-lines are
    the best events.

    >>> round(batches_privacy(epsilon=1.0, rate=0.01, scale=0.8, steps=1000, mu=0.1), 5)
    0.0098
    """
    return batches_delta(epsilon=epsilon, rate=rate, a=scale, steps=steps, mu=mu)
