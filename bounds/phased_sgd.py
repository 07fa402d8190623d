"""Phased SGD for generalized linear losses, the oracle A_GLL of Lemma 3.1 of Bassily, Mohri & Suresh (2022).

One pass over n records in K = floor(log2 n) phases (Bassily, Guzman & Menart 2021, Algorithm 2; Feldman, Koren & Talwar
2020, Algorithm 2). Phase i takes the next n_i = floor(n / 2^i) records, steps eta_i = eta / 4^i, and releases the
average of its iterates plus N(0, sigma_i^2 I_k),

    sigma_i = 2 L eta_i tau,    L = r / rho,

where 2 L eta_i is how far one replaced record moves that average and tau is the *noise multiplier*. The loss is
smoothed with b = 2 / eta: every eta_i is below 2 / b, so no step pulls two runs apart. Here a = Lambda r / rho is the
largest margin in units of rho; the expected loss is the mean over records drawn with replacement.
"""

from __future__ import annotations

from math import ceil, log, sqrt

from bounds.theorem import in_unit_interval, integer, positive, require, theorem

BMS22 = "Bassily, Mohri & Suresh 2022"
PROOF = f"{BMS22}, Appendix B.2, proof of Lemma 3.1"
STEP = {"parent": "bms22.lem3.1", "source": PROOF}
ROUND_CONSTANT = sqrt(3072)  # C of the expected excess of one round; derived in `round_order`


def phase_lengths(n):
    """n_i = floor(n / 2^i) for i = 1, ..., floor(log2 n): how many records each phase reads.

    >>> phase_lengths(11), phase_lengths(1)
    ([5, 2, 1], [])
    """
    return [int(n) >> i for i in range(1, int(n).bit_length())]


def one_round(epsilon, delta, rounds):
    """(epsilon', delta') of steps 2 and 3 of Algorithm 5 (appendix: Algorithm 4) for a whole number of rounds.

    >>> tuple(round(x, 8) for x in one_round(1.0, 0.01, 3))
    (0.01302708, 1.3e-06)
    """
    share = 4 * rounds * log(2 * rounds / delta)
    return epsilon / share, delta**2 / share


# Privacy of the oracle ------------------------------------------------------------------------------------


@theorem(
    "bms22.lem3.1.s2",
    part="oracle",
    kind="privacy",
    says=r"\sigma_i=\frac{4L\eta_i\sqrt{\log(1/\delta')}}{\varepsilon'}\Rightarrow \mathcal{A}_{GLL}\ "
    r"\mathrm{is}\ (\varepsilon',\delta')\mathrm{-DP}",
    needs=[
        positive("epsilon"),
        in_unit_interval("delta"),
        require("epsilon' <= log(1/delta')", lambda epsilon, delta: epsilon <= -log(delta)),
    ],
    parent="bms22.lem3.1",
    source=f"{PROOF}; noise of Feldman, Koren & Talwar 2020, Algorithm 2",
)
def printed_multiplier(*, epsilon, delta):
    """The noise of every phase makes A_GLL private

    tau = sigma_i / (2 L eta_i) = 2 sqrt(log(1/delta')) / epsilon'. Derivation. Neighbours differ in one record, which
    one phase reads; the phases before it have the same law, those after it only process what it released. In that phase
    the iterates are equal up to the differing record; that step parts them by at most 2 L eta_i, since both gradients
    have norm at most L; the later steps part them no further, since a gradient step of a convex b-smooth function does
    not expand for eta_i <= 2/b, nor does the projection. So the average moves by at most 2 L eta_i and the phase is
    (1/tau)-GDP. With mu = 1/tau and l = log(1/delta'), mu^2/2 + mu sqrt(2 l) = epsilon'^2/(8 l) + epsilon'/sqrt 2
    <= epsilon' as soon as epsilon' <= 8 (1 - 1/sqrt 2) l = 2.34 l, and (epsilon', delta')-DP follows by Lemma E.1 of
    wzw25. Algorithm 5 calls with epsilon' < log(1/delta')/4.

    >>> round(printed_multiplier(epsilon=0.1, delta=1e-5), 3)
    67.861
    """
    return 2 * sqrt(-log(delta)) / epsilon


def phase_shift(lipschitz, eta, phase, length):
    """The largest move of one phase's average that a search may find: 2 L eta_i (n_i - 1) / n_i.

    The first iterate comes before the first record, so even a replaced first record leaves one of n_i iterates alone.
    """
    return 2 * lipschitz * eta / 4**phase * (length - 1) / length


# Utility of the oracle ------------------------------------------------------------------------------------


def excess_coefficients(n, k, multiplier):
    """(A, B) such that the excess is at most L Lambda (A / h + B h), h = eta L / Lambda; n >= 2.

    A: distance to the minimiser, 1 / (2 (h/4) n_1). B: the smoothing gap 1/4 (b = 2/eta), the steps sum_i 4^-i / 2, the
    starts of phases 2..K, off by the noise before, sum_i 32 k tau^2 4^-i / n_i, and the noise of the last phase,
    2 sqrt(k) tau 4^-K.
    """
    lengths = phase_lengths(n)
    last = len(lengths)
    starts = sum(32 * k * multiplier**2 / 4**i / lengths[i - 1] for i in range(2, last + 1))
    steps = (1 - 4.0**-last) / 6
    return 2 / lengths[0], 1 / 4 + steps + starts + 2 * sqrt(k) * multiplier / 4**last


def base_step(*, n, k, multiplier, lipschitz, norm_bound):
    """eta = (Lambda/L) sqrt(A/B), which minimises the bound; it depends on public numbers only. 0 without a phase."""
    if n < 2:
        return 0.0
    distance, slope = excess_coefficients(n, k, multiplier)
    return norm_bound / lipschitz * sqrt(distance / slope)


@theorem(
    "bms22.lem3.1.s4",
    part="round",
    reading="explicit",
    kind="mean",
    says=r"\mathbb{E}\,\widehat{L}^{\rho}(\tilde{w}^t)-\min_{\|w\|\le\Lambda}\widehat{L}^{\rho}(w)"
    r"\le\frac{2\Lambda\tilde{r}}{\rho}\sqrt{AB}",
    needs=[integer("m"), integer("k"), positive("multiplier"), positive("a")],
    parent="bms22.lem3.1",
    source="our constants",
)
def round_excess(*, m, k, multiplier, a):
    """The expected excess of one round, with our constants

    a = Lambda r / rho. With A, B of `excess_coefficients` and eta = (Lambda/L) sqrt(A/B). Derivation, F the mean of the
    hinge over the records, F_b its Moreau envelope: F_b <= F <= F_b + L^2/(2b). Phase i starts at v_1, the projection
    of the last release; SGD on fresh draws gives E F_b(mean) - F_b(u) <= E ||v_1 - u||^2/(2 eta_i n_i) + eta_i L^2/2
    for every u in the ball that is fixed before the phase: the minimiser for i = 1 (distance at most Lambda), the
    average of phase i - 1 for i >= 2, at most ||noise|| away, in square k sigma_{i-1}^2. The last noise costs at most
    L sqrt(k) sigma_K. For m = 1 there is no phase, the release is 0 and the excess at most Lambda L.

    >>> round(round_excess(m=2**17, k=10, multiplier=100.0, a=1.0), 4)
    0.0393
    """
    if m < 2:
        return a
    distance, slope = excess_coefficients(m, k, multiplier)
    return a * 2 * sqrt(distance * slope)


@theorem(
    "bms22.lem3.1.s4",
    part="round",
    kind="mean",
    says=r"\mathbb{E}\,\widehat{L}^{\rho}(\tilde{w}^t)-\min\widehat{L}^{\rho}=\frac{\Lambda\tilde{r}}{\rho}\cdot "
    r"O\left(\frac{1}{\sqrt{m}}+\frac{\sqrt{k\log(1/\delta')}}{\varepsilon'm}\right)",
    needs=[integer("m"), integer("k"), positive("epsilon"), in_unit_interval("delta"), positive("a")],
    **STEP,
)
def round_order(*, m, k, epsilon, delta, a):
    """The expected excess of one round

    What the O(.) multiplies, at epsilon', delta'. With s = sqrt(k) tau, tau = 2 sqrt(log(1/delta'))/epsilon', it is
    a (1/sqrt(m) + s/(2m)). The explicit excess is at most C = sqrt(3072) = 55.4 times as large: for m >= 2,
    n_1 >= m/3, n_i >= m/2^{i+1} and 4^-K <= 4/m^2, hence

        (explicit / a)^2 <= (24/m) (5/12 + 32 s^2/m + 8 s/m^2) = 10/m + 768 s^2/m^2 + 192 s/m^3,

    term by term at most 3072 (1/m + s^2/(4 m^2) + s/m^{3/2}) = 3072 (1/sqrt(m) + s/(2m))^2. For m = 1 it is at most 1.
    """
    return a * (1 / sqrt(m) + sqrt(k * -log(delta)) / (epsilon * m))


WHOLE_SETTING = [
    integer("m"),
    integer("k"),
    positive("epsilon"),
    in_unit_interval("delta"),
    in_unit_interval("beta"),
    require("delta < 1/m", lambda m, delta: delta < 1 / m),
    require("epsilon <= log(1/delta)", lambda epsilon, delta: epsilon <= -log(delta)),
]


def rounds_for(beta):
    """M = log(2/beta), rounded up: Algorithm 5 counts rounds from 1 to M.

    >>> rounds_for(0.1), rounds_for(0.99)
    (3, 1)
    """
    return ceil(log(2 / beta))


def substituted(m, k, epsilon, delta, beta):
    """1/sqrt(m) + sqrt(k log(1/delta'))/(epsilon' m) at the epsilon', delta' of Algorithm 5."""
    first, second = one_round(epsilon, delta, rounds_for(beta))
    return 1 / sqrt(m) + sqrt(k * -log(second)) / (first * m)


@theorem(
    "bms22.lem3.1.s4",
    part="substitution",
    says=r"\frac{1}{\sqrt{m}}+\frac{\sqrt{k\log(1/\delta')}}{\varepsilon'm}=O\left(\frac{1}{\sqrt{m}}"
    r"+\frac{\sqrt{k}\log^{3/2}(1/\delta)\log(1/\beta)}{\varepsilon m}\right)",
    needs=[*WHOLE_SETTING, require("log(1/beta) < m", lambda m, beta: -log(beta) < m)],
    **STEP,
)
def printed_substitution(*, m, k, epsilon, delta, beta):
    """The privacy parameters of one round put in

    What the O(.) multiplies. The proof excludes log(1/beta) >= m, where the lemma is trivial. The appendix (002) draws
    the root over all of k log^{3/2}(1/delta) log(1/beta), the lemma itself, in both texts, over k alone: the latter is
    printed here.
    """
    return 1 / sqrt(m) + sqrt(k) * (-log(delta)) ** 1.5 * -log(beta) / (epsilon * m)


@theorem(
    "bms22.lem3.1.s4",
    part="substitution",
    reading="corrected",
    says=r"\frac{1}{\sqrt{m}}+\frac{\sqrt{k\log(1/\delta')}}{\varepsilon'm}=O\left(\frac{1}{\sqrt{m}}"
    r"+\frac{\sqrt{k}\log^{3/2}(1/\delta)\log(2/\beta)}{\varepsilon m}\right)",
    needs=[
        *WHOLE_SETTING,
        require("m >= 2", lambda m: m >= 2),
        require("2 ceil(log(2/beta)) <= delta^-3", lambda beta, delta: log(2 * rounds_for(beta)) <= -3 * log(delta)),
    ],
    **STEP,
)
def corrected_substitution(*, m, k, epsilon, delta, beta):
    """The privacy parameters of one round put in, with the number of rounds as it is

    log(2/beta) for log(1/beta). With l = log(1/delta), M = ceil(log(2/beta)) <= 2 log(2/beta), u = 1/l and
    v = log(2M)/l, the ratio of the noise terms is 4 M (l + log 2M) sqrt(2 l + log(4 M (l + log 2M))) / (log(2/beta)
    l^{3/2}) <= 8 (1+v) sqrt(2 + v + u log 2 + u log(1+v) + u log(1/u)), certified on u <= 1/log 2, v <= 3.
    """
    return 1 / sqrt(m) + sqrt(k) * (-log(delta)) ** 1.5 * log(2 / beta) / (epsilon * m)
