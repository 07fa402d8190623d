"""The efficient private learner of Bassily, Mohri & Suresh (2022): Theorem 3.2.

Algorithm 2 projects to R^k by the fast projection of Lemma A.4, clips to norm 2r, runs DP-ERM (`dp_erm`) on the ball of
radius 2 Lambda and lifts the result: w^Priv = Phi^T w. a = Lambda r / rho >= 1, since Algorithm 2 takes rho in
(0, Lambda r]; its input says B^d(R) where the theorem says B^d(r). The paper prints the precise bound alone; its
appendix as circulated apart has a form with Õ before the same precise bound. The proof's steps are in
`efficient_learner_proof`.
"""

from math import ceil, inf, log, sqrt

from lemmata.bounds.bms22.dp_erm import CERTAIN, ROUNDS, boosted_excess
from lemmata.bounds.bms22.dp_erm_proof import HINGE, SETTING
from lemmata.bounds.bms22.fast_projection import fast_projection_operations
from lemmata.bounds.bms22.phased_sgd import phase_lengths, rounds_for
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, positive, require, theorem

ORDER = 7600.0  # C of the corrected reading of the risk
TIME_CONSTANTS = (11.6, 41, 37)  # of the three terms of `corrected_time`
LEARNT = r"\Pr\left[R_{\mathcal{D}}(w^{Priv})\le\min_{\|w\|\le\Lambda}\widehat{L}^{\rho}_S(w)+"
PRIVATE = r"\mathrm{Algorithm\ 2\ is\ }(\varepsilon,\delta)\mathrm{-DP}"


def printed_rows(*, m: int, epsilon: float, delta: float, beta: float) -> float:
    """k of step 1, a real number: epsilon m log(m/beta) / (log^{3/2}(1/delta) log(1/beta)).

    >>> round(printed_rows(m=10**4, epsilon=1.0, delta=1e-5, beta=0.1), 1)
    1279.9
    """
    return epsilon * m * log(m / beta) / ((-log(delta)) ** 1.5 * -log(beta))


def corrected_rows(*, m: int, epsilon: float, delta: float, beta: float) -> float:
    """The same with log(2m/beta) and log(2/beta): it stays finite as beta -> 1."""
    return epsilon * m * log(2 * m / beta) / ((-log(delta)) ** 1.5 * log(2 / beta))


# Privacy --------------------------------------------------------------------------------------------------------------


@theorem(
    "bms22.thm3.2",
    part="privacy",
    kind="privacy",
    says=PRIVATE + r"\mathrm{\ for\ every\ }"
    r"\Delta\ge\max_{\|w\|\le2\Lambda}\left|\widehat{L}_{S_\Phi}(w)-\widehat{L}_{S'_\Phi}(w)\right|",
    needs=[*SETTING, *HINGE],
)
def printed_privacy(
    *, m: int, epsilon: float, delta: float, beta: float, radius: float, norm_bound: float, rho: float
) -> float:
    """The efficient learner is private with any valid sensitivity of the scores.

    The epsilon is that at delta, for any fixed Phi.

    Derivation. Phi and k do not depend on the data, a replaced record is a replaced projected record of norm at most
    2r, so DP-ERM is (epsilon, delta)-DP (Lemma 3.1); w^Priv is a function of its release and of Phi.
    """
    return epsilon


@theorem(
    "bms22.thm3.2.calibration",
    kind="privacy",
    says=PRIVATE + r"\mathrm{\ with\ }\Delta=\frac{4\Lambda r}{m}",
    needs=[*SETTING, *HINGE],
    source="Bassily, Mohri & Suresh 2022, Appendix B.2, proof of Lemma 3.1",
)
def calibrated_privacy(
    *, m: int, epsilon: float, delta: float, beta: float, radius: float, norm_bound: float, rho: float
) -> float:
    """The efficient learner's epsilon with the calibration of Lemma 3.1's proof.

    The epsilon is that at delta, for any fixed Phi.
    """
    return epsilon


# Utility --------------------------------------------------------------------------------------------------------------


@theorem(
    "bms22.thm3.2",
    part="utility",
    kind="tail",
    says=LEARNT + r"O\left(\sqrt{\frac{\log(1/\beta)}{m}}+\frac{\Lambda r}{\rho}\left(\frac{1}{\sqrt{m}}"
    r"+\frac{\sqrt{\log(m/\beta)\log(1/\beta)}\log^{3/4}(1/\delta)}{\sqrt{\varepsilon m}}\right)\right)" + CERTAIN,
    needs=[*SETTING, at_least("a", 1)],
)
def printed_order(*, m: int, epsilon: float, delta: float, beta: float, a: float) -> float:
    """The order of the efficient learner's excess risk, as printed."""
    x, logs = -log(beta), log(m) - log(beta)
    return sqrt(x / m) + a * (1 / sqrt(m) + sqrt(logs * x) * (-log(delta)) ** 0.75 / sqrt(epsilon * m))


@printed_order.corrected(
    says=LEARNT + r"O\left(\sqrt{\frac{\log(2/\beta)}{m}}+\frac{\Lambda r}{\rho}\left(\frac{1}{\sqrt{m}}"
    r"+\frac{\sqrt{\log(2m/\beta)\log(2/\beta)}\log^{3/4}(1/\delta)}{\sqrt{\varepsilon m}}\right)\right)" + CERTAIN
)
def corrected_order(*, m: int, epsilon: float, delta: float, beta: float, a: float) -> float:
    """The order of the efficient learner's excess risk, corrected.

    It has log(2/beta) and log(2m/beta), so it also holds for beta near 1.

    The number k of rows is that of `corrected_rows`.

    Phi has independent signs (Lemma A.3). For beta <= 1/2 it is at most twice the printed order.

    Derivation of min(1, explicit) <= C order, with C = `ORDER`, x = log(2/beta), y = log(2m/beta), l = log(1/delta) and
    G = sqrt(x y) l^{3/4}/sqrt(epsilon m); k is y^2/G^2, rounded up. Where C times the order is at least 1 there is
    nothing to show. Else G < 1/C, and as epsilon <= l, m > C^2 x y sqrt(l). Since l > log m, it follows that l > 22.1,
    y > 22.8 and l > 19.3 + 2 log x, and rounding k up costs a factor 1 + 10^-9.

    - One round at 4a. With s = sqrt(k) tau, A <= 4.001/m and B <= 5/12 + 16.001 s^2/m + 8 s/m^2, as floor(m/2^i) is
      m/2^i up to rounding for all phases that matter. So E_1 <= 4a (2.583/sqrt(m) + 16.004 s/m).
    - Rounds. s/m is r G with r = 8 (M/x) (1 + log(2M)/l) sqrt(2 + log(4M (l + log 2M))/l) and M = ceil(x + log 3). For
      M = 2, M/x <= 2.89; for M = 3, x > 0.901, so M/x <= 3.329 and l > 22.4; then r <= 43.2. For M >= 4, M/x <= 2.11,
      and 2 log(2M) <= l.
    - So e E_1 <= a (28.1/sqrt(m) + 7521 G). With 6 (3m + 1)/beta <= 18.1 m/beta, t <= 0.46 G. The selection costs at
      most 20 a y/(epsilon m) <= 0.001 a G. The deviation is 8a/sqrt(m) and sqrt(log(3/beta)/(2m)) <= 0.9 sqrt(x/m).
    """
    x, logs = log(2 / beta), log(2 * m / beta)
    return sqrt(x / m) + a * (1 / sqrt(m) + sqrt(logs * x) * (-log(delta)) ** 0.75 / sqrt(epsilon * m))


def sign_distortion(m: int, k: int, beta: float) -> float:
    """The smallest t with 4 log(6 (3m + 1)/beta) / k <= t^2 - 2 t^3/3, rounded up; inf if that needs t > 1.

    Random signs with k rows distort the squared norms of 3m + 1 vectors by more than t with probability at most beta/3.

    >>> round(sign_distortion(1000, 1000, 0.1), 4), round(1e15 * sign_distortion(1000, 10**32, 0.1), 4)
    (0.2401, 0.6957)
    """
    needed = 4 * log(6 * (3 * m + 1) / beta) / k
    if needed > 1 / 3:
        return inf
    low, high = 0.0, 1.0
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if middle**2 - 2 * middle**3 / 3 < needed else (low, middle)
    return high


@printed_order.explicit(
    says=LEARNT + r"a\left(t+\frac{8}{\sqrt{m}}\right)+8ea\sqrt{AB}+\frac{4(1+4a)\log(6M/\beta)}{\varepsilon m}"
    r"+\sqrt{\frac{\log(3/\beta)}{2m}}"
    + CERTAIN
    + r",\quad a=\frac{\Lambda r}{\rho},\ M=\lceil\log(6/\beta)\rceil,"
    + ROUNDS
    + r",\quad t\le 1,\ t^2-\frac{2t^3}{3}=\frac{4\log(6(3m+1)/\beta)}{k}",
    needs=[*SETTING, at_least("a", 1), integer("k")],
    source="our constants",
)
def learner_excess(
    *, m: int, k: int, epsilon: float, delta: float, beta: float, a: float, calibration: str = "corrected"
) -> float:
    """The efficient learner's excess risk, with our constants.

    The bound holds with probability 1 - beta.

    Phi has independent signs and any number k of rows. Derivation, each of
    the three with probability at least 1 - beta/3:

    - Phi keeps the norms of w*, the x_i and the sums and differences of their directions up to t: 3m + 1 vectors. So
      |<Phi w*, Phi x> - <w*, x>| <= t Lambda r and L_{S_Phi}(Phi w*) <= L_S(w*) + a t; no x_i is clipped and Phi w* is
      in the ball of radius 2 Lambda, as sqrt(1 + t) <= 2.
    - DP-ERM on that ball and norm 2r: its 'a' is 4a.
    - The margin bound for the clipped distribution, which has the signs of the unclipped one: 2 * 2 Lambda * 2r /
      (rho sqrt(m)) + sqrt(log(3/beta) / (2m)) (Mohri, Rostamizadeh & Talwalkar 2018, Theorem 5.8).

    >>> round(learner_excess(m=2**17, k=1000, epsilon=8.0, delta=1e-6, beta=0.1, a=1.0, calibration="tight"), 2)
    0.6
    """
    trained = boosted_excess(m=m, k=k, epsilon=epsilon, delta=delta, beta=beta / 3, a=4 * a, calibration=calibration)
    return a * (sign_distortion(m, k, beta) + 8 / sqrt(m)) + trained + sqrt(log(3 / beta) / (2 * m))


# Rates ----------------------------------------------------------------------------------------------------------------


@printed_order.rate(
    "m",
    says=r"\mathbb{E}R_{\mathcal{D}}(w^{Priv})=O(m^{-1/2+0.1}),\ k=m/20",
    kind="rate",
    needs=[integer("smallest"), integer("largest")],
)
def risk_rate(*, smallest: int, largest: int) -> float:
    """The exponent of m in the efficient learner's excess risk.

    The exponent is at most this number. The row is a registered surrogate of the statement.

    It uses about 1/16 of the printed k and the tight calibration.
    """
    return -0.4


@printed_order.rate(
    "d", says=r"\mathbb{E}R_{\mathcal{D}}(w^{Priv})=O(d^{0.1})", kind="rate", needs=[integer("m"), integer("k")]
)
def dimension_rate(*, m: int, k: int) -> float:
    """The exponent of d in the efficient learner's risk, at a fixed margin.

    The exponent is at most this number. The row is a registered surrogate of the statement.

    The dimensions are d = 50, ..., 50,000.

    The learner uses the fast projection and the tight calibration.
    """
    return 0.1


# Running time ---------------------------------------------------------------------------------------------------------


@theorem(
    "bms22.thm3.2",
    part="time",
    says=r"\mathrm{time}=O\left(md\log(\max(d,m))+\frac{\varepsilon m^2\log(m)}{\log^{3/2}(1/\delta)}\right)",
    needs=[*SETTING, integer("d")],
)
def printed_time(*, m: int, d: int, epsilon: float, delta: float, beta: float) -> float:
    """The order of the efficient learner's running time, as printed without beta."""
    return m * d * log(max(d, m)) + epsilon * m**2 * log(m) / (-log(delta)) ** 1.5


@printed_time.corrected(
    says=r"\mathrm{time}=O\left(md\log(2d)+\log(2/\beta)m"
    r"+\frac{\varepsilon m^2\log(2m/\beta)}{\log^{3/2}(1/\delta)}\right)"
)
def corrected_time(*, m: int, d: int, epsilon: float, delta: float, beta: float) -> float:
    """The order of the efficient learner's running time, corrected.

    It contains beta, and k is rounded up.

    Derivation, from `operations`: D <= 2d, so m + 1 <= 2m transforms take at most 2m (2d + 2d log2(2d) + k), and
    2 + 2 log2(2d) <= 5.78 log(2d). The rest is at most 5mk + M m (13k + 2), as floor(log2 m) <= m/2. With
    K = `corrected_rows`, x = log(2/beta) >= log 2, k <= K + 1 and M <= 2x, the three terms have the constants
    `TIME_CONSTANTS`: 7/log(2) + 26 for K, that and 4 for x, 11.55 for the first; C is the largest.
    """
    return m * d * log(2 * d) + log(2 / beta) * m + epsilon * m**2 * log(2 * m / beta) / (-log(delta)) ** 1.5


@printed_time.corrected(
    part="time-polynomial",
    says=r"\mathrm{time}=O\left(md\log(\max(d,m))+\frac{\varepsilon m^2\log(m)}{\log^{3/2}(1/\delta)}\right),"
    r"\quad m\ge 2,\ m^{-c}\le\beta\le\tfrac12",
    needs=[
        *SETTING,
        integer("d"),
        integer("m", 2),
        integer("power"),
        require("1/m^power <= beta <= 1/2", lambda m, beta, power: float(m) ** -power <= beta <= 1 / 2),
    ],
)
def polynomial_time(*, m: int, d: int, epsilon: float, delta: float, beta: float, power: int) -> float:
    """The printed order of the running time, for beta at least a power of 1/m.

    It is the running time of the efficient learner.

    Derivation: log(2d) <= 2 log(max(d, m)) for m >= 2, log(2/beta) <= (1 + c) log m with beta >= 1/m^c, and
    log(2m/beta) <= (2 + c) log m; so the constant is (2 + 1 + c) for the first term and (2 + c) for the second.
    """
    return (3 + power) * printed_time.theorem.formula(m=m, d=d, epsilon=epsilon, delta=delta, beta=beta)


@printed_time.explicit(
    says=r"\mathrm{operations}=(m+1)\left(D+D\log_2 D+k\right)+m(5k-1)"
    r"+M\left((8k+1)\sum_{i\ge 1}\lfloor m/2^i\rfloor+(6k-1)\lfloor\log_2 m\rfloor+(2k+1)m\right)",
    kind="identity",
    needs=[integer("m"), integer("d"), integer("k"), in_unit_interval("beta")],
    source="our count",
)
def operations(*, m: int, d: int, k: int, beta: float) -> int:
    """The number of operations of the efficient learner, counted.

    Derivation. m + 1 fast transforms; m rows clipped (an inner product of 2k - 1, a scaling of k) and 1/|z|^2 of each
    (2k). M rounds: a step takes two inner products, two sums and two scalings of vectors and three operations on
    numbers, 8k + 1; a phase begins with a clipping and ends with a mean and noise, 6k - 1; a score takes m times 2k +
    1.

    >>> operations(m=100, d=50, k=10, beta=0.1)
    82091
    """
    lengths = phase_lengths(m)
    transforms = (m + 1) * fast_projection_operations(d, k)
    one_round = (8 * k + 1) * sum(lengths) + (6 * k - 1) * len(lengths) + (2 * k + 1) * m
    return transforms + m * (5 * k - 1) + rounds_for(beta) * one_round


def smallest_useful_m(*, k: int | None, epsilon: float, beta: float, a: float, calibration: str) -> int:
    """The smallest power of two m at which the explicit bound is below 1, delta = 1/(10m); k None: the printed one.

    >>> smallest_useful_m(k=1000, epsilon=8.0, beta=0.1, a=1.0, calibration="corrected")
    8388608
    >>> smallest_useful_m(k=None, epsilon=8.0, beta=0.1, a=1.0, calibration="corrected")
    34359738368
    """
    m = 4096
    while True:
        delta = 1 / (10 * m)
        rows = k or max(1, ceil(printed_rows(m=m, epsilon=epsilon, delta=delta, beta=beta)))
        if learner_excess(m=m, k=rows, epsilon=epsilon, delta=delta, beta=beta, a=a, calibration=calibration) < 1:
            return m
        m *= 2


@theorem(
    "bms22.thm3.2.s7",
    kind="rate",
    says=r"k+\log m=O\left(\frac{\varepsilon m\log m}{\log^{3/2}(1/\delta)}\right)",
    needs=[integer("m", 2), positive("epsilon"), in_unit_interval("delta")],
    source=", proof, last paragraph: the operations of a gradient step",
)
def step_order(*, m: int, epsilon: float, delta: float) -> float:
    """The order of the operations of a gradient step, as printed."""
    return epsilon * m * log(m) / (-log(delta)) ** 1.5


@step_order.corrected(
    says=r"\beta\le\frac{1}{2}:\quad k+\log m=O\left(\log m+\frac{\varepsilon m\log m}{\log^{3/2}(1/\delta)}\right)"
)
def step_order_with_logarithm(*, m: int, epsilon: float, delta: float) -> float:
    """The order of the operations of a gradient step, with the logarithm that is left when k is small.

    Derivation. k is at most 1 + epsilon m (1 + log m/log(1/beta))/log^{3/2}(1/delta), and 1 + log m/log 2 <= (2/log 2)
    log m for m >= 2, as 1 <= log m/log 2. So k + log m <= (2/log 2)(log m + the printed order).
    """
    return log(m) + step_order(m=m, epsilon=epsilon, delta=delta)
