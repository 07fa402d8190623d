"""The proof of Lemma 3.1 of Bassily, Mohri & Suresh (2022), step by step: copies, groups, scores, excess of a round.

epsilon_hat = epsilon / (2M) and delta_hat = delta / M are the budget of one of M rounds, T = 2 log(2/delta_hat) the
number of copies of a record that a round allows for, a = Lambda r / rho. The oracle's sizes are in `phased_sgd`.
"""

from math import expm1, log, sqrt

from lemmata.bounds.bms22.phased_sgd import excess_coefficients, rounds_for
from lemmata.bounds.theorem import in_unit_interval, integer, positive, require, theorem

PROOF = ", Appendix B.2, proof"
HINGE = [positive("radius"), positive("norm_bound"), positive("rho")]
BUDGET = [positive("epsilon"), in_unit_interval("delta")]
SMALL = require("delta < 1/m", lambda m, delta: delta < 1 / m)
RANGE = require("epsilon <= log(1/delta)", lambda epsilon, delta: epsilon <= -log(delta))
SETTING = [integer("m"), *BUDGET, in_unit_interval("beta"), SMALL, RANGE]
WHOLE_SETTING = [*SETTING, integer("k")]
ROUND = [integer("m"), in_unit_interval("delta"), require("M a whole number >= 1", lambda rounds: rounds >= 1)]
GROUP = [*ROUND, SMALL, positive("epsilon"), RANGE]


def allowed_copies(delta: float, rounds: int) -> float:
    """T = 2 log(2/delta_hat), a real number."""
    return 2 * log(2 * rounds / delta)


# s1: copies of a record -----------------------------------------------------------------------------------------------


@theorem(
    "bms22.lem3.1.s1",
    kind="tail",
    says=r"\Pr\left[J>2\log(2/\hat\delta)\right]\le\hat\delta/2,\quad J\sim\mathrm{Bin}(m,1/m)",
    needs=[*ROUND, SMALL],
    source=PROOF,
)
def copies_allowance(*, m: int, delta: float, rounds: int) -> float:
    """P(a record is drawn over 2 log(2/delta_hat) times) is at most delta_hat/2.

    Derivation: with T = 2 log(2/delta_hat) it says P(J > T) <= e^{-T/2}, so P(J >= j) <= e^{-j/2} for j = floor(T) + 1
    is enough. A round exists, so M >= 1 and delta_hat < 1: T > 2 log 2 and j >= 2. j = 2: P(J >= 2) =
    1 - (2 - 1/m)(1 - 1/m)^{m-1} increases to 1 - 2/e = 0.264 < 0.368. j >= 3: P(J >= j) <= C(m, j)/m^j <= 1/j! <=
    e^{-j/2}, since 3! > e^{3/2} and 3 > e^{1/2}.
    """
    return delta / rounds / 2


# s2: the noise of a phase, and groups of copies -----------------------------------------------------------------------


@theorem(
    "bms22.lem3.1.s2",
    part="oracle",
    kind="privacy",
    says=r"\sigma_i=\frac{4L\eta_i\sqrt{\log(1/\delta')}}{\varepsilon'}\Rightarrow \mathcal{A}_{GLL}\ "
    r"\mathrm{is}\ (\varepsilon',\delta')\mathrm{-DP}",
    needs=[*BUDGET, require("epsilon' <= log(1/delta')", lambda epsilon, delta: epsilon <= -log(delta))],
    source=f"{PROOF}; noise of Feldman, Koren & Talwar 2020, Algorithm 2",
)
def printed_multiplier(*, epsilon: float, delta: float) -> float:
    """The noise multiplier 2 sqrt(log(1/delta')) / epsilon' of a private round.

    The round is one of noisy descent.

    The multiplier is tau = sigma_i / (2 L eta_i), and this value makes A_GLL private.

    Derivation. Neighbours differ in one record, which one phase reads; the phases before it have the same law, those
    after it only process what it released. In that phase the iterates are equal up to the differing record; that step
    parts them by at most 2 L eta_i, since both gradients have norm at most L; the later steps part them no further,
    since a gradient step of a convex b-smooth function does not expand for eta_i <= 2/b, nor does the projection. So
    the average moves by at most 2 L eta_i and the phase is (1/tau)-GDP. With mu = 1/tau and l = log(1/delta'), mu^2/2 +
    mu sqrt(2 l) = epsilon'^2/(8 l) + epsilon'/sqrt 2 <= epsilon' as soon as epsilon' <= 8 (1 - 1/sqrt 2) l = 2.34 l,
    and (epsilon', delta')-DP follows by Lemma E.1 of wzw25. Algorithm 5 calls with epsilon' < log(1/delta')/4.

    >>> round(printed_multiplier(epsilon=0.1, delta=1e-5), 3)
    67.861
    """
    return 2 * sqrt(-log(delta)) / epsilon


@theorem(
    "bms22.lem3.1.s2",
    part="parameters",
    kind="identity",
    says=r"\varepsilon'=\frac{\hat\varepsilon}{2\log(2/\hat\delta)},\quad"
    r"\delta'=\frac{\delta\hat\delta}{4\log(2/\hat\delta)}",
    needs=[*ROUND, positive("epsilon")],
    source=PROOF,
)
def round_parameters(*, m: int, delta: float, rounds: int, epsilon: float) -> tuple[float, float]:
    """The privacy (epsilon', delta') of a round in terms of epsilon_hat and delta_hat.

    Derivation. With epsilon^ = epsilon/(2M) and delta^ = delta/M, log(2/delta^) = log(2M/delta), so epsilon' =
    epsilon/(4 M log(2M/delta)) and delta' = delta^2/(4 M log(2M/delta)), which are steps 2 and 3.
    """
    T = allowed_copies(delta, rounds)
    return epsilon / (2 * rounds) / T, delta * (delta / rounds) / (2 * T)


@theorem(
    "bms22.lem3.1.s2",
    part="sum",
    kind="identity",
    says=r"\sum_{j=0}^{2\log(2/\hat\delta)}e^{\varepsilon'j}=\frac{e^{\hat\varepsilon}-1}{e^{\varepsilon'}-1}",
    needs=GROUP,
    source=PROOF,
)
def printed_sum(*, m: int, delta: float, rounds: int, epsilon: float) -> float:
    """The closed form of the geometric sum for the delta of a group of copies.

    It is the sum of T terms if T is whole; the printed sum has floor(T) + 1. A group of J needs J terms, and J <= T:
    (e^{J epsilon'} - 1)/(e^epsilon' - 1) with J epsilon' <= T epsilon' = epsilon_hat.
    """
    return expm1(epsilon / (2 * rounds)) / expm1(epsilon / (2 * rounds) / allowed_copies(delta, rounds))


corrected_sum = printed_sum.corrected(
    says=r"\sum_{j=0}^{J-1}e^{\varepsilon'j}\le\frac{e^{\hat\varepsilon}-1}{e^{\varepsilon'}-1},"
    r"\quad J\le 2\log(2/\hat\delta)",
    kind="inequality",
)(printed_sum.theorem.formula)


@theorem(
    "bms22.lem3.1.s2",
    part="linear",
    says=r"\delta'\frac{e^{\hat\varepsilon}-1}{e^{\varepsilon'}-1}"
    r"\le\frac{\delta\hat\delta(e^{\hat\varepsilon}-1)}{2\hat\varepsilon}",
    needs=GROUP,
    source=PROOF,
)
def linear_bound(*, m: int, delta: float, rounds: int, epsilon: float) -> float:
    """The delta of a group of copies, bounded by means of e^x - 1 >= x.

    The sides' quotient is epsilon'/(e^epsilon' - 1).
    """
    share = epsilon / (2 * rounds)
    return delta * delta / rounds * expm1(share) / (2 * share)


@theorem(
    "bms22.lem3.1.s2",
    part="half",
    says=r"\frac{\delta\hat\delta(e^{\hat\varepsilon}-1)}{2\hat\varepsilon}\le\frac{\hat\delta}{2}",
    needs=GROUP,
    source=PROOF,
)
def half_bound(*, m: int, delta: float, rounds: int, epsilon: float) -> float:
    """The delta of a group of copies is at most delta_hat/2.

    With l = log(1/delta) and epsilon_hat = u l, u <= 1, the quotient is e^-l (e^{ul} - 1)/(u l), increasing in u, at
    most (1 - e^-l)/l <= 1.
    """
    return delta / rounds / 2


# s3: the sensitivity of the scores ------------------------------------------------------------------------------------

MOVE = r"\max_{\|w\|\le\Lambda}\left|\widehat{L}_{S}(w)-\widehat{L}_{S'}(w)\right|\le"


@theorem("bms22.lem3.1.s3", says=MOVE + r"\frac{\Lambda\tilde{r}}{m}", needs=[integer("m"), *HINGE], source=PROOF)
def printed_sensitivity(*, m: int, radius: float, norm_bound: float, rho: float) -> float:
    """Replacing one record moves a score by at most Lambda r / m, as printed.

    Its unit is that of a margin, not of a loss: the Lipschitz constant 1/rho is missing.
    """
    return norm_bound * radius / m


@printed_sensitivity.corrected(
    says=MOVE + r"\frac{1}{m}\min\left(1+\frac{\Lambda\tilde{r}}{\rho},\frac{2\Lambda\tilde{r}}{\rho}\right)",
    source=f"{PROOF}; ours",
)
def score_sensitivity(*, m: int, radius: float, norm_bound: float, rho: float) -> float:
    """Replacing one record moves a hinge score by at most min(1 + a, 2a)/m.

    Derivation. The losses of a record are max(0, 1 - u/rho), |u| <= Lambda r: they lie in [max(0, 1 - a), 1 + a], so
    two differ by at most min(1 + a, 2a), attained by (x, 1) and (x, -1) at w = +-Lambda x/|x|, |x| = r. For another
    convex (1/rho)-Lipschitz loss, a label may shift the loss by any constant; the selection does not see constants, and
    2a/m is enough for it.

    >>> score_sensitivity(m=2, radius=1.0, norm_bound=1.0, rho=0.25)
    2.5
    """
    a = norm_bound * radius / rho
    return min(1 + a, 2 * a) / m


# s4: the excess of one round ------------------------------------------------------------------------------------------


@theorem(
    "bms22.lem3.1.s4",
    part="round",
    kind="mean",
    says=r"\mathbb{E}\,\widehat{L}^{\rho}(\tilde{w}^t)-\min\widehat{L}^{\rho}=\frac{\Lambda\tilde{r}}{\rho}\cdot "
    r"O\left(\frac{1}{\sqrt{m}}+\frac{\sqrt{k\log(1/\delta')}}{\varepsilon'm}\right)",
    needs=[integer("m"), integer("k"), *BUDGET, positive("a")],
    source=PROOF,
)
def round_order(*, m: int, k: int, epsilon: float, delta: float, a: float) -> float:
    """The order of a round's expected excess loss, at epsilon' and delta'.

    With s = sqrt(k) tau, tau = 2 sqrt(log(1/delta'))/epsilon', it is a (1/sqrt(m) + s/(2m)). The explicit excess is at
    most a sqrt(10/m + 768 s^2/m^2 + 192 s/m^3) (`round_excess_bound`) for m >= 2, hence at most a (sqrt(10)/sqrt(m) +
    C s/(2m)), C = sqrt(3072) = 55.4: twice the product of these two is at least 192 s/m^3. For m = 1 it is at most a.
    """
    return a * (1 / sqrt(m) + sqrt(k * -log(delta)) / (epsilon * m))


@round_order.explicit(
    says=r"\mathbb{E}\,\widehat{L}^{\rho}(\tilde{w}^t)-\min_{\|w\|\le\Lambda}\widehat{L}^{\rho}(w)"
    r"\le\frac{2\Lambda\tilde{r}}{\rho}\sqrt{AB}",
    needs=[integer("m"), integer("k"), positive("multiplier"), positive("a")],
    source="our constants",
)
def round_excess(*, m: int, k: int, multiplier: float, a: float) -> float:
    """The expected excess loss of one round of noisy descent is at most 2 a sqrt(A B).

    A, B are those of `excess_coefficients`.

    Derivation. eta = (Lambda/L) sqrt(A/B). With F the mean of the hinge over the records, F_b its Moreau envelope:
    F_b <= F <= F_b + L^2/(2b). Phase i starts at v_1, the projection of the last release; SGD on fresh draws gives
    E F_b(mean) - F_b(u) <= E ||v_1 - u||^2/(2 eta_i n_i) + eta_i L^2/2 for every u in the ball that is fixed before the
    phase: the minimiser for i = 1 (distance at most Lambda), the average of phase i - 1 for i >= 2, at most ||noise||
    away, in square k sigma_{i-1}^2. The last noise costs at most L sqrt(k) sigma_K. For m = 1 there is no phase, the
    release is 0 and the excess at most Lambda L.

    >>> round(round_excess(m=2**17, k=10, multiplier=100.0, a=1.0), 4)
    0.0393
    """
    if m < 2:
        return a
    distance, slope = excess_coefficients(m, k, multiplier)
    return a * 2 * sqrt(distance * slope)


def round_excess_bound(*, m: int, k: int, multiplier: float, a: float) -> float:
    """A simpler bound of `round_excess` for m >= 2: a sqrt((24/m) (5/12 + 32 s^2/m + 8 s/m^2)), s = sqrt(k) tau.

    n_1 >= m/3, n_i >= m/2^{i+1} and 4^-K <= 4/m^2: A <= 6/m, and B <= 5/12 + 32 s^2/m + 8 s/m^2.
    """
    s = sqrt(k) * multiplier
    return a * sqrt(24 / m * (5 / 12 + 32 * s**2 / m + 8 * s / m**2))


SUBSTITUTED = r"\frac{1}{\sqrt{m}}+\frac{\sqrt{k\log(1/\delta')}}{\varepsilon'm}=O\left(\frac{1}{\sqrt{m}}"


@theorem(
    "bms22.lem3.1.s4",
    part="substitution",
    says=SUBSTITUTED + r"+\frac{\sqrt{k}\log^{3/2}(1/\delta)\log(1/\beta)}{\varepsilon m}\right)",
    needs=[*WHOLE_SETTING, require("log(1/beta) < m", lambda m, beta: -log(beta) < m)],
    source=PROOF,
)
def printed_substitution(*, m: int, k: int, epsilon: float, delta: float, beta: float) -> float:
    """The order of a round's excess loss, with epsilon', delta' inserted, as printed.

    The proof excludes log(1/beta) >= m, where the lemma is trivial. The appendix (002) draws the root over all of
    k log^{3/2}(1/delta) log(1/beta), the lemma itself, in both texts, over k alone: the latter is taken here.
    """
    return 1 / sqrt(m) + sqrt(k) * (-log(delta)) ** 1.5 * -log(beta) / (epsilon * m)


@printed_substitution.corrected(
    says=SUBSTITUTED + r"+\frac{\sqrt{k}\log^{3/2}(1/\delta)\log(2/\beta)}{\varepsilon m}\right)",
    needs=[
        *WHOLE_SETTING,
        require("m >= 2", lambda m: m >= 2),
        require("2 ceil(log(2/beta)) <= delta^-3", lambda beta, delta: log(2 * rounds_for(beta)) <= -3 * log(delta)),
    ],
)
def corrected_substitution(*, m: int, k: int, epsilon: float, delta: float, beta: float) -> float:
    """The order of a round's excess loss, with epsilon', delta' inserted, corrected.

    It has log(2/beta).

    With l = log(1/delta), M = ceil(log(2/beta)) <= 2 log(2/beta), u = 1/l and v = log(2M)/l, the ratio of the noise
    terms is 4 M (l + log 2M) sqrt(2 l + log(4 M (l + log 2M))) / (log(2/beta) l^{3/2}) <=
    8 (1+v) sqrt(2 + v + u log 2 + u log(1+v) + u log(1/u)), certified on u <= 1/log 2, v <= 3.
    """
    return 1 / sqrt(m) + sqrt(k) * (-log(delta)) ** 1.5 * log(2 / beta) / (epsilon * m)
