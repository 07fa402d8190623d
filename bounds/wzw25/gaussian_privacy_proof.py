"""Remark 2.3 of Wang, Zhu & Wang (2025) as executed: exact releases that are not sums over records. Ours.

Averages of iterates and minimisers are not sums of whole numbers, so they are computed with an error. Either the error
is bounded beforehand by public numbers and charged (`averages`), or the release is a rounding of a mechanism over the
real numbers that is proved draw by draw (`minimiser`). Both rest on float64 functions with proved errors (`tables`).

Accounts, at the end, are about releases that are chosen one after the other. The remark composes mechanisms whose mu_i
are fixed in advance. There a release, its guarantee and whether there is one at all may depend on all outcomes before,
under caps that are kept: a privacy filter (Rogers, Roth, Ullman & Vadhan 2016; Smith & Thakurta 2022 for sums of mu^2;
Whitehouse, Ramdas, Rogers & Wu 2023). Each statement is a way in which `lemmata.mechanisms.privacy.accountant` keeps an
account, and gives its curve: the largest P(A) - e^t Q(A) over events A and over ways to choose, P and Q the laws of all
that is seen under two neighbours. The induction that all of them share is in `gaussian_account`. Written for the
largest chance p(b) under P of a test of chance b under Q; the curve is the largest p(b) - e^t b.
"""

from math import comb, exp, expm1, log, log1p, sqrt

import numpy as np

from lemmata.bounds.exact.privacy_curves import log_gaussian_delta
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, positive, require
from lemmata.bounds.wzw25.gaussian_privacy import SOURCE, composed_gdp, gaussian_mechanism_gdp, textbook_release

UNIT = 2.0**-52


@textbook_release.explicit(
    part="averages",
    says=r"\left\|\mathrm{fl}\left(\tfrac1n\sum_{t\le n}v_t\right)-\tfrac1n\sum_{t\le n}v_t\right\|_2\le "
    r"2n(k+16)2^{-52}(\Lambda+a),\quad v_{t+1}=\Pi_\Lambda\left(v_t+s_tz_t\right),\ "
    r"s_t=\min\left(\tfrac{p(\rho-\langle v_t,z_t\rangle)_+}{\|z_t\|^2},c\right),\ c\|z_t\|\le a,\ p\le\tfrac12",
    needs=[integer("length"), integer("k"), positive("longest"), positive("norm_bound")],
    source=SOURCE,
)
def average_error(*, length: int, k: int, longest: float, norm_bound: float) -> float:
    """A bound on float64's error in the average of the iterates of a phase of SGD.

    The phase has `length` steps in R^k.

    Derivation. Let u = 2^-52 (k + 16) and a = `longest`, the longest step. (1) <v, z> is off by k 2^-52 |v| |z| at
    most, in any order and with fused products or without; so the number that is cut at c is off by a relative u/2 of
    c and by p k 2^-52 |v| / |z|, and its product with z by u/2 (a + |v|). (2) Sum and projection add (k/2 + 8) 2^-53
    (|v| + a). One step is off by at most 3 u (Lambda + a). (3) A step over the reals, a proximal one, moves no two
    points apart as p <= 2: after t steps the points are at most t times that apart, their average (n - 1)/2 times, and
    summing n points adds n 2^-53 of the longest. (4) So replacing a record moves the float average by at most the
    sensitivity over the reals and twice this error; the average plus a Gaussian over the reals, rounded to a public
    grid, is post-processing of a Gaussian mechanism with that sensitivity (`corrected`).

    Sparse rows in R^k, k >= 2048, may be read lazily. For R = 32 steps at most a point is v_t = c_t u_t: a row is
    added to u, a projection changes c alone, v is written out where c < 1/2, and q_t follows |v_t|^2. Let e = 2^-53
    and m = k/64 + 66, so that sums of k products, 64 at a time, are off by m e |v| |z|. (5) As in (1), s z is off by
    (m + 3) e (Lambda + a); s/c and u add 4 e (Lambda + a), and writing v out e Lambda. (6) q begins within m e
    Lambda^2 of |v|^2. A step of length x <= Lambda adds (m + 17) e (Lambda + x)^2 to q's error, which is at most 2 (m
    + 17) e Lambda (Lambda + a): the products add (m + 1) e (2 x Lambda + x^2), and at most 16 roundings of q, c and u
    the rest. After a longer step q is summed anew. So q is off by E <= 66 (m + 17) e Lambda (Lambda + a), and a
    projection by E/Lambda, as there is one where q > Lambda^2. (7) One step is off by 67 (m + 17) e (Lambda + a), and
    the average, as in (3), by half of n times that. (8) The points of R steps add up to (sum_t c_t) u_1 and to the
    rows, each with its s/c times the later c's, at most R s. These are sums and products of nonnegative numbers, off
    by 34 e of at most R a in each step. u_t is the sum of these rows up to 200 e (Lambda + a), and 2 n sums of
    vectors up to n Lambda + R^2 a leave 2 e (n Lambda + R^2 a) of their average. Together that is at most 3402 e
    (Lambda + a) + 2 n e Lambda. (9) All of it is below 4 n (k + 16) e (Lambda + a), the bound above: 33.5 (m + 17) +
    3404 is 7257 at k = 2048 and 4 (k + 16) is 8256; for one more number the first grows by 0.53, and the second by 4.

    >>> average_error(length=500, k=84, longest=0.5, norm_bound=1.0) == 500 * 300 * 2.0**-52
    True
    """
    return 2 * length * (k + 16) * UNIT * (norm_bound + longest)


@textbook_release.explicit(
    part="averages-privacy",
    says=r"g\left\lfloor\tfrac{\mathrm{fl}(\bar v)+\sigma\xi}{g}\right\rceil\ \text{is}\ "
    r"\tfrac{2(a+e)}{\sigma}\text{-GDP},\quad\|\mathrm{fl}(\bar v)-\bar v\|_2\le e,\ \xi\ \text{exact}",
    needs=[positive("longest"), positive("error"), positive("sigma")],
    source=SOURCE,
)
def average_gdp(*, longest: float, error: float, sigma: float) -> float:
    """The mu of the noisy average of a phase of SGD in float64: 2 (a + e) / sigma.

    Derivation. Over the reals a replaced record moves the average by at most 2 a, twice the longest step; in float64 by
    2 a + 2 e (`average_error`, step 4). Clipping, projecting and whatever else is done with the release is
    post-processing, and phases compose (Remark 2.3).

    >>> average_gdp(longest=0.5, error=2.0**-20, sigma=4.0) - 0.25 < 1e-6
    True
    """
    return gaussian_mechanism_gdp(sensitivity=2 * (longest + error), sigma=sigma)


@textbook_release.explicit(
    part="counts",
    says=r"\Big(\#\{i:b(x_{ij})=k\}+h\left\lfloor\tfrac{\sigma\xi_{jk}}{h}\right\rceil\Big)_{j\le d,\,k}"
    r"\ \text{is}\ \frac{\sqrt{2d}}{\sigma}\text{-GDP},\quad h=2^{-q}\le1",
    needs=[integer("columns"), positive("sigma")],
    source=", the Gaussian mechanism, on counts",
)
def column_counts(*, columns: int, sigma: float) -> float:
    """Noisy counts of all d columns of a table are together (sqrt(2 d) / sigma)-GDP.

    Derivation. (1) A record is in one bin of each of the d columns, by a function b of its own entries: float64 decides
    which, and may decide as it likes. (2) Replacing a record takes 1 from one count of each column and adds 1 to
    another, or to the same: the vector of all counts moves by at most sqrt(2 d) in the L2 norm. (3) Counts are whole,
    so they lie on every grid h = 2^-q <= 1: a count plus h round(sigma xi / h), xi exact, is count plus sigma xi,
    rounded to that grid: post-processing of a Gaussian mechanism (Remark 2.3), whose mu is sensitivity over sigma.
    Counts to 2^53 are exact in float64.

    >>> column_counts(columns=8, sigma=16.0)
    0.25
    """
    return gaussian_mechanism_gdp(sensitivity=sqrt(2 * columns), sigma=sigma)


@textbook_release.explicit(
    part="moments",
    says=r"\Big(\sum_i z_iz_i^T+E,\ \sum_i y_iz_i+e\Big)\ \text{is}\ \frac{\sqrt{9/2}}{\sigma}\text{-GDP},"
    r"\quad\|z_i\|\le1,\ |y_i|\le1,\ E_{jj},e_j\sim N(0,\sigma^2),\ E_{jk}=E_{kj}\sim N(0,\sigma^2/2)",
    needs=[positive("sigma")],
    source=", the Gaussian mechanism, on second moments",
)
def second_moments(*, sigma: float) -> float:
    """Noisy second moments of rows z and targets y are together (sqrt(9 / 2) / sigma)-GDP, in exact arithmetic.

    Derivation. (1) Over the standard deviations, moments off the diagonal count twice: the squared distance of two
    records is |z z' - w w'|_F^2 + |y z - x w|^2 over sigma^2. (2) With c = <z, w>, a = |z|^2 and b = |w|^2 it is
    a^2 + b^2 - 2 c^2 + y^2 a + x^2 b - 2 x y c <= a^2 + b^2 - 2 c^2 + a + b + 2 |c| <= 4 - 2 c^2 + 2 |c| <= 9 / 2, with
    equality for unit rows at 60 degrees and targets 1 and -1. (3) Rows and targets are whole steps of a grid 2^-q, so
    their products lie on the grid 4^-q, and their sums are exact in float64 below 2^53 of its steps. A sum plus noise
    rounded to that grid is post-processing of the Gaussian mechanism (Remark 2.3), whose mu is distance over sigma.

    >>> round(second_moments(sigma=3.0), 9)
    0.707106781
    """
    return gaussian_mechanism_gdp(sensitivity=sqrt(9 / 2), sigma=sigma)


@textbook_release.explicit(
    part="ridge-error",
    kind="tail",
    says=r"\Pr\Big[F(\hat w)-F(w_*)>\min\Big(\tfrac R2(1+3\|w_*\|)^2,\ \tfrac{aR^2(1+\|w_*\|)^2}{2(a-R)^2}\Big)\Big]\le"
    r"\beta,\quad\beta\ge\tfrac3{40},\ F(w)=\tfrac12\sum_i(y_i-\langle w,z_i\rangle)^2,\ "
    r"a=\lambda_{\min}\Big(\sum_iz_iz_i^T\Big),\ R=\sigma\big(\sqrt{2D}+\sqrt{2\log40}\big),\ "
    r"\text{the second where}\ a\ge3R",
    needs=[
        integer("D"),
        positive("sigma"),
        at_least("norm", 0),
        at_least("least", 0),
        require("3/40 <= beta < 1", lambda beta: 0.075 <= beta < 1),
    ],
    source=", ridge regression from noisy second moments; the ridge is AdaSSP's (Wang 2018), the constants are ours",
)
def ridge_error(*, D: int, sigma: float, norm: float, least: float, beta: float) -> float:
    """The excess squared error of the private ridge regression over least squares, with probability 1 - beta.

    `norm` is |w*| of the least-squares weights, the shortest ones, on rows of length 1 and targets in [-1, 1], as they
    are counted; `least` the smallest eigenvalue of A = sum z z^T. The mechanism fixes beta = 3/40. Noise is over the
    reals: its grid is left out.

    Derivation. (1) |E| <= R but with chance 1/20: its mean is at most sigma sqrt(2 D), and it is a sigma-Lipschitz
    function of standard normals; |e| <= R but with chance 1/40. Let M = A + E, m its least eigenvalue, w = (M_+ + l)^-1
    (b + e), l = max(0, R - max(0, m - R)). As b = A w*, w - w* = H^-1 g with H = M_+ + l and g = e - (H - A) w*, and
    the excess is g^T H^-1 A H^-1 g / 2. (2) m < R: l = R, so H >= A and H >= R, and |H - A| <= 3 R, for M_+ is within
    R of M: the excess is at most |g|^2 / (2 R), the first bound. (3) m >= R: M_+ = M, l <= R, H >= 2 R and H >= A - R,
    so H >= 2 A / 3, and |H - A| <= 2 R: at most 3 R (1 + 2 |w*|)^2 / 8, which is less. (4) a >= 3 R: m >= 2 R, l = 0, H
    >= (1 - R / a) A and H >= a - R, |g| <= R (1 + |w*|): the second bound.

    >>> round(ridge_error(D=4, sigma=2.0, norm=1.0, least=0.0, beta=0.075), 1)
    88.7
    """
    reach = sigma * (sqrt(2 * D) + sqrt(2 * log(40)))
    always = reach / 2 * (1 + 3 * norm) ** 2
    if least < 3 * reach:
        return always
    return min(always, least * (reach * (1 + norm) / (least - reach)) ** 2 / 2)


@textbook_release.explicit(
    part="tables",
    says=r"|\hat t(x)-t(x)|\le2^{-46},\ 2\Phi(-t(x))=x;\quad|\hat\ell(x)+\log x|\le2^{-46}\quad"
    r"\left(2^{-16}\le x\le1\right);\quad|\hat e(x)e^{-x}-1|\le2^{-46}\quad(-700\le x\le0)",
    kind="inequality",
    needs=[],
    source=", float64 functions of our own, on which the exact samplers rest",
)
def table_error() -> float:
    """Quantile, logarithm and exponential in float64 are within 2^-46 of the truth.

    `lemmata.mechanisms.numerics.proved_floats` computes them.

    Derivation: Taylor polynomials of degree 4 around the middles of segments; the remainders and the tables are
    enclosed in balls over all segments, and the roundings of sums and products, which IEEE 754 bounds, add less than
    2^-49 (top of that file).

    >>> table_error() == 2.0**-46
    True
    """
    return 2.0**-46


@textbook_release.explicit(
    part="choice",
    says=r"\left|\mathrm{fl}\Big(\sum_{j\le i}w_j\Big)-\sum_{j\le i}w_j\right|\le\left(2^{-45}+8(N+1)2^{-53}\right)"
    r"\sum_jw_j,\quad w_j=e^{\theta(q_j-\max_iq_i)}",
    kind="inequality",
    needs=[integer("candidates")],
    source=", the exponential mechanism, executed in float64",
)
def partial_sum_error(*, candidates: int) -> float:
    """A bound on the relative error of float64's partial sums of exponential weights.

    Derivation. A difference and a product are rounded, so an exponent x is off by at most 3 |x| 2^-53 and its weight by
    3 |x| e^x 2^-53 < 2^-52; e^x has a relative error of 2^-46 (`table_error`), or counts as 0 below e^-700; each of N
    additions adds 2^-53 of the sum. The sum is at least 1. A uniform number whose first 63 digits lie farther than that
    from all partial sums chooses the same candidate as over the reals, one nearer is decided in balls with as many
    digits as it takes: the chances are exact, and epsilon is that of the mechanism over the reals, for floats as
    scores.

    >>> partial_sum_error(candidates=1000) == 2.0**-45 + 8008 * 2.0**-53
    True
    """
    return 2 * table_error() + 8 * (candidates + 1) * 2.0**-53


@textbook_release.explicit(
    part="minimiser",
    says=r"\|w-\arg\min J\|_2\le\tfrac1\lambda\|\nabla J(w)\|_2,\quad J\ \lambda\text{-strongly convex}\ \Rightarrow\ "
    r"g\left\lfloor\tfrac{\arg\min J}{g}\right\rceil\ \text{decided}",
    kind="inequality",
    needs=[positive("gradient"), positive("ridge"), require("gradient < inf", lambda gradient: gradient < 1e300)],
    source=", objective perturbation, released without a solver's error",
)
def minimiser_distance(*, gradient: float, ridge: float) -> float:
    """A bound on the distance from the minimiser: gradient norm over the modulus.

    Derivation. <grad J(w) - grad J(w*), w - w*> >= ridge |w - w*|^2 and grad J(w*) = 0; Cauchy-Schwarz. So where w, its
    gradient and the noise b are enclosed in balls, so is the minimiser, and if all of the ball rounds to one point of a
    public grid that is the rounding of the mechanism over the real numbers, whose guarantee it has (post-processing:
    for objective perturbation the density of b at b(w) times a determinant, which no float enters). Else digits of b,
    or Newton steps, are added; a tie has probability 0.

    >>> minimiser_distance(gradient=0.5, ridge=2.0)
    0.25
    """
    return gradient / ridge


# Accounts -------------------------------------------------------------------------------------------------------------

LEVEL = at_least("t", 0)
CHOSEN = r"\mathrm{releases\ chosen\ by\ the\ outcomes\ before}:\quad "
RESERVE = [at_least("epsilon", 0), require("0 <= delta < 1", lambda delta: 0 <= delta < 1)]


@composed_gdp.explicit(
    part="account-pure",
    kind="privacy",
    says=CHOSEN + r"\sum_i\varepsilon_i\le\varepsilon\ \Rightarrow\ H_{e^t}(P\,\|\,Q)\le(1-e^{t-\varepsilon})_+",
    needs=[LEVEL, positive("epsilon")],
    source="for accounts kept as pure; Rogers, Roth, Ullman & Vadhan 2016",
)
def pure_account(*, t: float, epsilon: float) -> float:
    """Pure releases within a cap on the sum of epsilons have one release's curve.

    Derivation. Part account-gaussian with the caps (epsilon, 0, 0): p(b) <= min(1, e^epsilon b), whose curve it is.

    >>> round(pure_account(t=0.5, epsilon=1.0), 4)
    0.3935
    """
    return max(0.0, -expm1(t - epsilon))


@composed_gdp.explicit(
    part="account-approximate",
    kind="privacy",
    says=CHOSEN + r"\sum_i\varepsilon_i\le\varepsilon,\ \sum_i\delta_i\le\delta\ \Rightarrow\ "
    r"H_{e^t}(P\,\|\,Q)\le\delta+(1-\delta)(1-e^{t-\varepsilon})_+",
    needs=[LEVEL, positive("epsilon"), in_unit_interval("delta")],
    source="for accounts kept as approximate; Rogers, Roth, Ullman & Vadhan 2016",
)
def approximate_account(*, t: float, epsilon: float, delta: float) -> float:
    """Releases within caps on epsilons and deltas have one release's privacy curve.

    Derivation. Part account-gaussian with the caps (epsilon, delta, 0): p(b) <= min(1, delta + e^epsilon b).

    >>> round(approximate_account(t=0.5, epsilon=1.0, delta=0.1), 4)
    0.4541
    """
    return delta + (1 - delta) * max(0.0, -expm1(t - epsilon))


@composed_gdp.explicit(
    part="account-gaussian",
    kind="privacy",
    says=CHOSEN + r"\sum_i\mu_i^2\le\mu^2,\ \sum_i\varepsilon_i\le\varepsilon,\ \sum_i\delta_i\le\delta\ \Rightarrow\ "
    r"H_{e^t}(P\,\|\,Q)\le\delta+\delta(t-\varepsilon;\mu)",
    needs=[LEVEL, positive("mu"), *RESERVE],
    source="for accounts kept as Gaussian, with a reserve (epsilon, delta); Smith & Thakurta 2022 without one",
)
def gaussian_account(*, t: float, mu: float, epsilon: float = 0.0, delta: float = 0.0) -> float:
    """The privacy curve of an account with caps on epsilons, deltas and squared mus.

    A mu_i-GDP release is charged (0, 0, mu_i^2), an (epsilon_i, delta_i)-DP one (epsilon_i, delta_i, 0) or (0, delta_i,
    mu_i^2) with the mu_i that epsilon_i implies.

    Derivation. Let G_m(a) = Phi(Phi^-1(a) + m), which is concave. By induction from the last of finitely many releases
    to the first, from any state of the account,

        p(b) <= C(b) = min(1, delta - D + G_r(min(1, e^(epsilon - E) b))),    r^2 = mu^2 - S.

    After the last release p(b) = b. Otherwise b(x) is the test's chance after outcome x of the next release; its mean
    under Q is b, and p(b) is at most the mean under P of C(b(x)), with the C of the state after the charge. (1) Charged
    (epsilon_i, delta_i, 0): P <= e^epsilon_i Q but for a mass delta_i of P, which adds delta_i at most. On the rest, a
    mass of at most 1, Jensen's inequality puts the mean inside the concave G_r (G_r(0) = 0 accounts for the missing
    mass), and the mean of min(1, c b(x)) is at most min(1, e^epsilon_i c b): the C before the charge. (2) Charged (0,
    0, mu_i^2): the release is a function of one draw of N(0, 1) under Q, of N(mu_i, 1) under P (Blackwell). With a(x) =
    min(1, c b(x)) the mean of G_s(a(x)) under P is at most the power, at level min(1, c b), of two independent Gaussian
    pairs at mu_i and s, which is G_r with r^2 = mu_i^2 + s^2. (3) Charged (0, delta_i, mu_i^2): the release is a
    function of one that reveals everything with chance delta_i and otherwise is epsilon_i-DP, so mu_i-GDP (Kairouz, Oh
    & Viswanath 2015). The chance adds delta_i, and (1 - delta_i) G(a / (1 - delta_i)) <= G(a) by concavity. At the
    start E = D = S = 0, and the largest C(b) - e^t b is at most delta + delta(t - epsilon; mu).

    >>> round(gaussian_account(t=1.0, mu=0.26805) * 1e5, 2)
    1.0
    """
    return delta + float(np.exp(log_gaussian_delta(t - epsilon, mu)))


@composed_gdp.explicit(
    part="account-mixed",
    kind="privacy",
    says=CHOSEN + r"\mathrm{first\ as\ approximate},\ \mathrm{from\ sums}\ (E,D)\ \mathrm{on\ as\ Gaussian\ with}\ "
    r"\delta(\varepsilon-E;m)\le\delta-D\ \Rightarrow\ H_{e^\varepsilon}(P\,\|\,Q)\le\delta",
    needs=[positive("epsilon"), in_unit_interval("delta")],
    source="for accounts that switch once, at the first Gaussian release",
)
def mixed_account(*, epsilon: float, delta: float) -> float:
    """The delta of an account that is approximate until its first Gaussian release.

    Derivation. Before the switch p(b) <= min(1, delta - D + e^(epsilon - E) b) is shown as in part account-gaussian,
    step (1), with c b in place of G_r, which is concave too. At the switch delta(epsilon - E; m) <= delta - D says
    G_m(a) <= delta - D + e^(epsilon - E) a for all a, so the C of part account-gaussian at the caps (E, D, m^2) is at
    most what was allowed before. The switch may depend on the outcomes, happens once and is never undone: choosing the
    better of both rules after the fact spends more than twice delta.

    >>> mixed_account(epsilon=1.0, delta=1e-6)
    1e-06
    """
    return delta


@composed_gdp.explicit(
    part="account-plan",
    kind="privacy",
    says=r"n\ \mathrm{releases}\ (\varepsilon,\delta)\ \mathrm{and\ one}\ \mu\mathrm{-GDP},\ \mathrm{order\ by\ the\ "
    r"outcomes}\ \Rightarrow\ H_{e^t}(P\,\|\,Q)\le 1-(1-\delta)^n+(1-\delta)^n\sum_{i=0}^n\binom{n}{i}"
    r"\frac{e^{i\varepsilon}}{(1+e^\varepsilon)^n}\delta(t-(2i-n)\varepsilon;\mu)",
    needs=[at_least("t", 0), integer("n"), positive("epsilon"), in_unit_interval("delta"), positive("mu")],
    source="for accounts of an announced plan; Kairouz, Oh & Viswanath 2015 for a fixed order",
)
def planned_account(*, t: float, n: int, epsilon: float, delta: float, mu: float) -> float:
    """The privacy curve of a plan of n approximate releases and a Gaussian one, in whatever order they are made.

    Derivation. Let (P_g, Q_g) be the pair that dominates guarantee g: randomised response that reveals everything with
    chance delta (Kairouz, Oh & Viswanath), or N(mu, 1) and N(0, 1). Let C_M(b) be the largest chance under the product
    of all P_g, g in M, of a test of chance b under that of the Q_g. By induction on the set M that is left,
    p(b) <= C_M(b): without a further release p(b) = b. If the next one is of g, p(b) is at most the mean under P of
    C_{M - g}(b(x)), x its outcome, by the hypothesis. The release is a function of an outcome of the pair that
    dominates it (Blackwell), of which b is a function as well. So the mean is the power of a test of chance b of the
    product over g and M - g, at most C_M(b): a product has no order. At the start the largest C_M(b) - e^t b is
    E[(1 - e^{t - L})_+] under the product, L the sum of all losses: infinite with chance 1 - (1 - delta)^n, else
    (2 i - n) epsilon for i of the n responses and the loss of a Gaussian pair.

    >>> round(planned_account(t=1.0, n=1, epsilon=1.0, delta=0.1, mu=1e-9), 9)
    0.1
    """
    losses = epsilon * (2 * np.arange(n + 1) - n)
    likely, other = 1 / (1 + exp(-epsilon)), exp(-epsilon) / (1 + exp(-epsilon))
    chances = [comb(n, i) * likely**i * other ** (n - i) for i in range(n + 1)]
    left = float(np.array(chances) @ np.exp(log_gaussian_delta(t - losses, mu)))
    return -expm1(n * log1p(-delta)) + exp(n * log1p(-delta)) * left
