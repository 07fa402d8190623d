"""How accurate is the private SVM of a kernel? Lemmas 10, 11, 12, 22 and Theorem 14 of Rubinstein et al. 2009.

The noise moves f~ little (Lemma 10, decided with Erlang tails), f~ is near f* if the kernels are near (Lemmas 12 and
22, decided in `kernel_accuracy_proof`), and the kernels are near if there are enough frequencies (Lemma 13,
`lemmata.experiments.rbht09.random_features`). Each step's function is called with what the step before it returns.
"""

from itertools import product
from math import ceil, exp, log, sqrt

from lemmata.bounds.rbht09 import kernel_accuracy as bounds, svm_accuracy
from lemmata.bounds.rbht09.kernel_spectra import cauchy_profile
from lemmata.bounds.rbht09.random_features import uniform_features_normalised
from lemmata.bounds.theorem import between
from lemmata.experiments.checks import Step, equality, grid, inequality_claim, run_script
from lemmata.experiments.rbht09.kernel_svm import hinge
from lemmata.experiments.rbht09.svm_accuracy import erlang_tail

EXPONENTS = 1e-10  # relative: e^x in floats, |x| up to a thousand

# Lemma 10 -------------------------------------------------------------------------------------------------------------

CONFIDENCES = (1e-200, 1e-12, 1e-3, 0.05, 0.5, 0.999)


def exact_noise(count, acc, lam, over=1.0):
    """Pr(d_hat^(-1/2) ||mu||_1 > over acc / 2): an Erlang tail, a ball."""
    return erlang_tail(2 * count, over * acc * sqrt(count) / (2 * lam))


NOISE = {"quick": grid(count=[1, 20]), "full": grid(count=[4, 100, 400]), "rounding": EXPONENTS}


@inequality_claim(bounds.noise_range, caught=(1.1, 2), given=[bounds.noise_tail, bounds.noise_tail_halved], **NOISE)
def noise_moves_little(*, count):
    """The two steps at the printed lambda; both are equalities at delta = 2 4^(-d_hat), where the minimum changes."""
    for acc, delta in product((1.0, 0.02), (*CONFIDENCES, 2 * 4.0**-count)):
        if delta == 0 or delta >= 1:
            continue
        setting = {"acc": acc, "count": count}
        lam = bounds.noise_range(delta=delta, **setting)
        first, second = (step(lam=lam, **setting) for step in (bounds.noise_tail, bounds.noise_tail_halved))
        yield setting | {"delta": delta, "step": 1}, first, second
        yield setting | {"delta": delta, "step": 2}, second, delta / 2
        yield setting | {"delta": delta}, exact_noise(count, acc, lam), delta / 2


@inequality_claim(bounds.noise_range_sharp, caught=(1.1, 2), given=[svm_accuracy.useful_scale_half], **NOISE)
def noise_in_one_line(*, count):
    """Theorem 8's explicit scale at F = 2 d_hat, never below the printed minimum; and the exact tail."""
    for acc, delta in product((1.0, 0.02), CONFIDENCES):
        setting = {"acc": acc, "delta": delta, "count": count}
        lam = bounds.noise_range_sharp(**setting)
        yield setting, lam, svm_accuracy.useful_scale_half(acc=acc / 2, delta=delta / 2, Phi=count**-0.5, F=2 * count)
        yield setting, exact_noise(count, acc, lam), delta / 2
        yield setting, bounds.noise_range(**setting), lam


@inequality_claim(
    bounds.noise_range_compact,
    quick=grid(count=[2, 1000], d=[1, 10]),
    full=grid(count=[10**6], d=[1, 15]),
    caught=(1.1, 2),
    rounding=1e-9,
    note="Larger than the printed range by √d̂/log d̂: this is what Theorem 16 needs.",
)
def noise_over_a_compact_set(*, count, d):
    """A net of M, the tail at each of its points, and the drift between them: delta / 2 together."""
    for delta, sigma_p, diam in product((0.99, 0.05, 1e-9), (1.0, 0.01), (0.01, 2.0)):
        acc, space = 1.0, {"sigma_p": sigma_p, "diam": diam}
        lam = bounds.noise_range_compact(acc=acc, delta=delta, count=count, d=d, **space)
        r = delta * acc / (32 * sqrt(count) * sigma_p * lam)
        drift = bounds.drift_tail(acc=acc, lam=lam, count=count, sigma_p=sigma_p, r=r)
        points = bounds.net_points(d=d, diam=diam, r=r) * bounds.point_tail(acc=acc, lam=lam, count=count)
        yield {"delta": delta, "count": count, "d": d} | space, points + drift, delta / 2
    still = {"acc": 1.0, "delta": 0.05, "count": 2, "d": d, "sigma_p": 0.0, "diam": 1.0}  # a set of one point
    lam = bounds.noise_range_compact(**still)
    yield still, bounds.point_tail(acc=1.0, lam=lam, count=2), 0.05 / 4


@inequality_claim(
    bounds.noise_tail,
    quick=grid(count=[1, 20]),
    full=grid(count=[4, 300]),
    given=[svm_accuracy.chernoff_tail],
    rounding=EXPONENTS,
)
def noise_by_chernoff(*, count):
    """Theorem 8's bound for 2 d_hat features of size d_hat^(-1/2) and accuracy acc / 2, and the tail it bounds."""
    for z, (acc, scaled) in product((0.3, 1.0, 3.0, 8.0), ((1.0, 1.0), (0.01, 5.0))):
        lam = acc * sqrt(count) / (4 * min(z * count, 600))  # z = 1 at the mean of the noise; floats end at e^-700
        claimed = bounds.noise_tail(acc=acc, lam=lam, count=count)
        chernoff = svm_accuracy.chernoff_tail(acc=acc / 2 * scaled, lam=lam * scaled, Phi=count**-0.5, F=2 * count)
        yield {"count": count, "acc": acc, "lam": lam}, chernoff, claimed
        yield {"count": count, "acc": acc, "lam": lam}, erlang_tail(2 * count, acc * sqrt(count) / (2 * lam)), claimed


@inequality_claim(
    bounds.noise_tail_halved,
    quick=grid(count=[1, 20]),
    full=grid(count=[300]),
    steps=[Step("the hypothesis on λ")],
    rounding=EXPONENTS,
    tightness=equality,
)
def half_of_the_exponent_pays(*, count):
    """The tail of the step before against the next one, for λ within the hypothesis; equal at its end."""
    for acc, lam in product((1.0, 0.01), (0.09, 0.08, 0.02, 2e-4, 1e-4)):
        if lam * 16 * log(2) * sqrt(count) <= acc:
            setting = {"acc": acc, "lam": lam, "count": count}
            yield setting, bounds.noise_tail(**setting), bounds.noise_tail_halved(**setting)


# Lemma 11 -------------------------------------------------------------------------------------------------------------


def distances():
    """On the line: a t^2 / 2, and risks that rise faster, a t^2 / 2 + |t| and + hinges."""
    for a, t in product((1.0, 0.25), (-3.0, -0.5, 1e-6, 0.5, 40.0)):
        for more in (0.0, abs(t), hinge(1 - t) + hinge(1 + t)):
            excess = a * t * t / 2 + more
            yield {"a": a, "excess": excess, "share": a * t * t / 2 / excess}, abs(t)


@inequality_claim(
    bounds.distance_of_excess,
    over=[between("share", 0, 1)],
    steps=[Step("(a/2) ‖f − f*‖² ≤ R[f] − R[f*]")],
    measured=distances,
)
def excess_is_distance():
    """(a/2) ||f - f*||^2 is a share of the excess, all of it for the square."""
    for a, excess, share in product((0.25, 1.0, 40.0), (0.0, 1e-6, 3.0), (0.5, 1.0)):
        setting = {"a": a, "excess": excess}
        yield setting | {"share": share}, sqrt(2 * share * excess / a), bounds.distance_of_excess(**setting)


# Theorem 14 -----------------------------------------------------------------------------------------------------------

SPACES = (
    {"d": 1, "sigma_p": 1.0, "diam": 2.0, "C": 1.0, "Lambda": 1.0},
    {"d": 20, "sigma_p": 0.3, "diam": 1e-3, "C": 30.0, "Lambda": 2.0, "L": 0.5},
)


@inequality_claim(
    bounds.features_for,
    quick=grid(acc=[0.1, 30.0], delta=[0.05]),
    full=grid(acc=[1e-3, 1.0], delta=[0.999, 1e-9]),
    given=[uniform_features_normalised, bounds.closeness],
)
def features_by_lemma_13(*, acc, delta):
    """Lemma 13 at the accuracy that Lemma 22 asks for and confidence delta / 2: the very number that is printed."""
    for space in SPACES:
        problem = {name: space[name] for name in ("C", "Lambda", "L") if name in space}
        eta = bounds.closeness(acc=acc, **problem)
        place = {name: space[name] for name in ("d", "sigma_p", "diam")}
        needed = uniform_features_normalised(eps=eta, delta=delta / 2, **place)
        claimed = bounds.features_for(acc=acc, delta=delta, **space)
        if needed > 0:
            yield {"acc": acc, "delta": delta} | space, needed, claimed


NOT_NORMALISED = """import numpy as np
from {module} import {noise}
from lemmata.bounds.rbht09.kernel_spectra import cauchy_profile
from lemmata.mechanisms.features.random_features import fourier_map
C, acc, rng = 0.25, 0.1, np.random.default_rng(0)  # n records (0, +1); f*(0) = C g(0) = 2 C, margins are at most 1
phi = fourier_map("cauchy", 1, 50, rng=rng)(np.zeros((1, 1)))[0]
missed = C * cauchy_profile(point=[0.0]) - C * phi @ phi  # f~(0) = C always
lam = {noise}(acc=acc, delta={delta}, count=50{more})
noise = rng.laplace(scale=lam, size=(1000, len(phi))) @ phi
assert missed > 2 * acc and (abs(missed + noise) > acc).mean() > 0.9  # 1/2 at any scale, as the noise is symmetric"""

ROOT_OF_D = """from math import exp
from lemmata.bounds.rbht09.kernel_accuracy import useful_noise
acc, delta, d, count = 1.0, 1e-6, 110, 1  # M of so small a diameter that one frequency is allowed
lam = useful_noise(acc=acc, delta=delta, count=count, d=d)
assert exp(-acc / lam) > 10 * delta       # at x = 0, phi_hat = (1, 0): the error there is |Laplace(lam)|"""


def flaws(statement, more=""):
    """The common part of the rows on the scale of the noise: two flaws, and a program for each."""

    def python(setting, *_):
        if setting.get("flaw") == "sqrt(d)":
            return ROOT_OF_D
        names = {"module": statement.__module__, "noise": statement.__name__, "more": more}
        return NOT_NORMALISED.format(**names, delta=setting["delta"])

    quick = ({"flaw": "g(0)", "delta": 0.1}, {"flaw": "sqrt(d)", "delta": 1e-6})
    return {"quick": quick, "severity": "statement", "python": python}


def flawed(noise, claimed, flaw, delta):
    """Success at least `claimed`? Two places inside the hypotheses where it is known in closed form.

    g(0): the Cauchy row of Table 1 in R^1, all records (0, +1), C = 1/4: f*(0) = 1/2, f~(0) = 1/4, and noise is
    symmetric, so at accuracy 0.1 no more than half of the runs succeed. sqrt(d): M = {0} but for a hair, d_hat = 1.
    """
    if flaw == "g(0)":
        C, acc = 0.25, 0.1
        kernel = {"kernel": "Cauchy of Table 1", "g(0)": 2}
        yield (
            {"flaw": flaw, **kernel, "delta": delta},
            claimed,
            0.5 if C * (cauchy_profile(point=[0.0]) - 1) > acc else 1.0,
        )
    else:
        d, sigma_p, diam = 110, sqrt(110), 1e-9
        count = max(1, ceil(bounds.features_for(acc=1.0, delta=delta, d=d, sigma_p=sigma_p, diam=diam, C=1, Lambda=1)))
        lam = noise(acc=1.0, delta=delta, count=count, d=d)
        failure = exp(-1.0 / lam) if count == 1 else 0.0  # at x = 0 the features are (1, 0)
        yield {"flaw": flaw, "delta": delta}, claimed, 1 - failure


@inequality_claim(
    bounds.useful_noise,
    finding="the hypothesis g(0) = 1 is missing",
    note="two flaws. Lemma 13 needs g(0) = 1, which the Cauchy row of Table 1 does not have. And the second term of "
    "the noise has √d for √d̂, which matters only where there may be fewer features than dimensions, that is for "
    "very small sets. Lemma 12 asks for a bound Λ in both optimisations and the theorem in one, which is enough "
    "(Lemma 22, explicit)",
    **flaws(bounds.useful_noise, more=", d=1"),
)
def useful_as_used(*, flaw, delta):
    """Success with probability 1 - delta, as the proof means it."""
    yield from flawed(bounds.useful_noise, 1 - delta, flaw, delta)


@inequality_claim(
    bounds.useful_noise_defined,
    finding="the hypothesis g(0) = 1 is missing; δ is read two ways",
    note="Definition 2 makes δ the probability of success: false near δ = 1 as Theorem 8 is, and for kernels with g(0) "
    "≠ 1",
    **flaws(bounds.useful_noise_defined, more=", d=1")
    | {"quick": ({"flaw": "g(0)", "delta": 0.9}, {"flaw": "sqrt(d)", "delta": 1 - 1e-6})},
)
def useful_as_defined(*, flaw, delta):
    """Success with probability delta, as Definition 2 words it."""
    yield from flawed(bounds.useful_noise_defined, delta, flaw, delta)


THEOREM = {
    "quick": grid(acc=[0.5, 40.0], delta=[0.05, 0.95]),
    "full": grid(acc=[1e-2, 3.0], delta=[0.999, 1e-9]),
    "caught": (1.01, 2),
    "given": [bounds.features_for, bounds.closeness_by_gap, bounds.noise_range],
}


def composed(noise, features, *, acc, delta, failure, **problem):
    """The parts at the parameters of the theorem: lambda within Lemma 10's range, and the two failures together.

    Lambda bounds the dual variables of f* alone, so the kernels have to be as near as the duality gap asks for, which
    is less. `failure` is delta, or 1 - delta where delta is the chance of success.
    """
    duals = {"C": 1.0, "Lambda": 1.0}
    yield {"acc": acc}, bounds.closeness(acc=acc, **duals), bounds.closeness_by_gap(acc=acc, **duals)
    for d, sigma_p, diam in ((1, 1.0, 2.0), (50, 0.2, 1e-4)):
        space = {"d": d, "sigma_p": sigma_p, "diam": diam}
        count = max(1, ceil(features(acc=acc, delta=failure, **space, **problem)))
        for more in (count, 7 * count):
            allowed = bounds.noise_range(acc=acc, delta=failure, count=more)
            yield {"acc": acc, "delta": delta, "count": more} | space, noise(acc=acc, delta=delta, count=more), allowed
    yield {"delta": delta}, 1 - failure, (1 - failure / 2) ** 2


@inequality_claim(bounds.useful_noise_corrected, **THEOREM)
def useful_with_the_root_of_d_hat(*, acc, delta):
    """Lemmas 13, 22 and 10 put together."""
    noise = bounds.useful_noise_corrected
    yield from composed(noise, bounds.features_for, acc=acc, delta=delta, failure=delta, C=1.0, Lambda=1.0)


@inequality_claim(bounds.useful_noise_defined_corrected, **THEOREM | {"given": [bounds.useful_noise_corrected]})
def useful_as_defined_corrected(*, acc, delta):
    """The same at the chance of failure 1 - delta."""
    noise = bounds.useful_noise_defined_corrected
    yield from composed(noise, bounds.features_for, acc=acc, delta=delta, failure=1 - delta, C=1.0, Lambda=1.0)


if __name__ == "__main__":
    run_script(__file__)
