"""Is the SVM as stable, and its output perturbation as private, as Rubinstein et al. 2009 print?

Both are decided by derivation (the docstrings of `bounds.svm`), an exact worst pair in rational numbers, and a search
over thousands of neighbours that are solved with a certificate and never exceed the bound. Usefulness, Theorem 8, is
in `experiments.usefulness`; what floating point does to the noise is in `experiments.float_leak`.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from bounds import svm
from experiments import data, svm_pairs
from experiments.claim import Sabotage, attack_claim, exact_claim, grid, holds, inconclusive, refuted
from experiments.streams import generator
from experiments.svm_pairs import ROUNDING, witness
from mechanisms import svm as mechanism
from mechanisms.privacy import PureDP

# ---- Definition 1: the log-ratio of Laplace noise ----------------------------------------------------------


@exact_claim(
    svm.laplace_worst_log_ratio,
    quick=grid(F=[1, 4]),
    full=grid(F=[3, 9]),
    control=Sabotage("the distance / {}", (1.5, 2)),
    cost=0.02,
    note="per coordinate |t - b| - |t - a| is piecewise linear, so its extremes are at a and b",
)
def laplace_log_ratio_is_distance(*, F, factor=1):
    """Enumerate the breakpoints of the log-ratio in exact rationals, coordinates apart, ties included."""
    rng = generator(1, "svm.def1", {"F": F}, "main", 0)
    for lam in (Fraction(1, 7), Fraction(5, 2)):
        for _ in range(200):
            a, b = ([Fraction(int(k), 4) for k in rng.integers(-3, 4, F)] for _ in range(2))
            worst = sum(max(abs(t - q) - abs(t - p) for t in (p, q)) for p, q in zip(a, b, strict=True)) / lam
            claimed = svm.laplace_worst_log_ratio(first=[*map(float, a)], second=[*map(float, b)], lam=float(lam))
            if abs(float(worst) - claimed / factor) > ROUNDING * (1 + claimed):
                centres = [list(map(float, a)), list(map(float, b))]
                return refuted(
                    "enumeration", witness({"F": F}, claimed / factor, float(worst), a=centres[0], b=centres[1])
                )
    return holds("derivation", "everywhere", tightness=(1.0, 1.0))


# ---- Lemmas 6 and 21 ---------------------------------------------------------------------------------------


def sensitivity(bound, loss, *, n, C, F, L, kappa, factor):
    """Exact worst pair, then a certified search, against bound / factor; what a HOLDS rests on is the derivation.

    The search covers hypotheses (loss, dimension, data) that the pair does not: a hole in the derivation would show.
    """
    setting = {"n": n, "C": C, "F": F, "L": L, "kappa": kappa}
    claimed = bound(**setting) / factor
    first, second = svm_pairs.worst_weights(n=n, C=C, F=F, L=L, kappa=kappa)
    distance = sum(abs(p - q) for p, q in zip(first, second, strict=True))
    if distance > Fraction(claimed) * (1 + Fraction(ROUNDING)):
        code = f"""
from fractions import Fraction
from bounds import svm
n, C, F, L, kappa = {n}, Fraction({C}), {F}, Fraction({L}), Fraction({kappa})
phi = kappa / round(F ** 0.5)  # each of the F features of the last row; the other rows have none
w = [L * C / n * phi] * F  # minimises -(L C / n) <w, phi> + |w|^2 / 2; the flipped label gives -w
assert sum(2 * abs(x) for x in w) > svm.{bound.__name__}(n=n, C=C, F=F, L=L, kappa=kappa) / {factor}
"""
        sides = {"point": setting, "lhs": [float(distance)] * 2, "rhs": [claimed] * 2}
        return refuted("enumeration", witness(setting, claimed, float(distance), code, **sides))
    found, kind, where = svm_pairs.search(F, n, C, L, kappa, loss)
    if found > claimed * (1 + 1e-9):
        constructor = f"svm_pairs.searched({F}, {n}, {C * L}, {kappa}, {loss!r}, {kind!r}), rows {where}"
        object = {"object": constructor, "property": "certified L1 distance of the minimisers", "value": found}
        return refuted("certificate", witness(setting, claimed, found, **object))
    reached = float(distance) / claimed
    note = f"search over {loss} reaches {found / claimed:.3f} of the bound, the worst pair {reached:.3f}"
    sizes = [2, 5, 10, 20, 50, 100]
    curve = [bound(**setting | {"n": m}) for m in sizes]
    worst = [float(2 * sum(map(abs, svm_pairs.worst_weights(n=m, C=C, F=F, L=L, kappa=kappa)[0]))) for m in sizes]
    series = {"n": list(map(float, sizes)), "bound": curve, "worst pair": worst}
    return holds("derivation", "everywhere", tightness=(reached, reached), note=note, series=series)


def diameter(**setting):
    """No two minimisers are farther apart, neighbours or not: ||w||_2 <= L C kappa, since w = -(C/n) sum slope phi."""
    return 2 * setting["L"] * setting["C"] * setting["kappa"] * setting["F"] ** 0.5


def trivial(bound):
    """The sentence that a setting is vacuous, for the sensitivity `bound`."""
    sentence = "the bound is at least the distance of any two minimisers, 2 L C kappa sqrt(F)"
    return lambda **setting: sentence if bound(**setting) >= diameter(**setting) else None


def informative_from(bound):
    """The smallest n at which `bound` is below the diameter: every other argument cancels."""
    one = {"C": 1.0, "F": 1, "L": 1.0, "kappa": 1.0}
    return lambda: next(n for n in range(2, 100) if bound(n=n, **one) < diameter(n=n, **one))


DATABASES = (
    {"n": 10, "C": 1.0, "F": 4, "L": 1.0, "kappa": 1.0},
    {"n": 30, "C": 200.0, "F": 16, "L": 0.5, "kappa": 2.0},
)
MORE = (
    {"n": 2, "C": 1e-3, "F": 1, "L": 1.0, "kappa": 1.0},
    {"n": 2, "C": 100.0, "F": 1, "L": 1.0, "kappa": 1.0},
    {"n": 2, "C": 1.0, "F": 25, "L": 3.0, "kappa": 0.01},
    {"n": 60, "C": 1000.0, "F": 4, "L": 1.0, "kappa": 10.0},
)


@exact_claim(
    svm.weight_sensitivity_smooth,
    quick=DATABASES,
    full=MORE,
    trivial=trivial(svm.weight_sensitivity_smooth),
    nonvacuous_from=informative_from(svm.weight_sensitivity_smooth),
    control=Sabotage("sensitivity / {}", (1.5, 2.1, 3)),
    given=("rbht09.lem6/explicit",),
    cost=0.3,
    note="loose by exactly 2 over the whole range",
)
def smooth_sensitivity(*, factor=1, **setting):
    """Lemma 6 as printed, logistic loss in the search."""
    return sensitivity(svm.weight_sensitivity_smooth, "logistic", factor=factor, **setting)


@exact_claim(
    svm.weight_sensitivity_smooth_sharp,
    quick=DATABASES,
    full=MORE,
    trivial=trivial(svm.weight_sensitivity_smooth_sharp),
    nonvacuous_from=informative_from(svm.weight_sensitivity_smooth_sharp),
    control=Sabotage("sensitivity / {}", (1.1, 2)),
    cost=0.3,
)
def smooth_sensitivity_sharp(*, factor=1, **setting):
    """Half of Lemma 6: attained by the linear loss for every n, C, L, kappa and F."""
    return sensitivity(svm.weight_sensitivity_smooth_sharp, "logistic", factor=factor, **setting)


@exact_claim(
    svm.weight_sensitivity,
    quick=DATABASES,
    full=MORE,
    trivial=trivial(svm.weight_sensitivity),
    nonvacuous_from=informative_from(svm.weight_sensitivity),
    control=Sabotage("sensitivity / {}", (1.5, 2.1, 3)),
    given=("rbht09.lem21/explicit",),
    cost=0.3,
    note="loose by exactly 2 over the whole range",
)
def any_sensitivity(*, factor=1, **setting):
    """Lemma 21 as printed, hinge loss in the search."""
    return sensitivity(svm.weight_sensitivity, "hinge", factor=factor, **setting)


@exact_claim(
    svm.weight_sensitivity_sharp,
    quick=DATABASES,
    full=MORE,
    trivial=trivial(svm.weight_sensitivity_sharp),
    nonvacuous_from=informative_from(svm.weight_sensitivity_sharp),
    control=Sabotage("sensitivity / {}", (1.1, 2)),
    cost=0.3,
    note="the hinge loss attains it when L C kappa^2 <= n, the linear loss always",
)
def any_sensitivity_sharp(*, factor=1, **setting):
    """Half of Lemma 21: attained."""
    return sensitivity(svm.weight_sensitivity_sharp, "hinge", factor=factor, **setting)


# ---- Theorem 7: privacy ------------------------------------------------------------------------------------


def flipped(F, n, kappa=1.0, others=0.0):
    """The worst pair as data: phi = identity, last row kappa F^(-1/2) (1, ..., 1), its label flipped."""
    X = np.full((n, F), others * kappa / np.sqrt(F))
    X[-1] = kappa / np.sqrt(F)
    y = np.ones(n)
    return X, y, np.append(y[:-1], -1.0)


def privacy_loss(scale, setting, factor):
    """The worst pair's exact log-ratio at lambda = scale / factor, and what the law of our mechanism says it is.

    The supremum over all neighbours is S / lambda with S the sharp sensitivity, which is attained; so the claim is
    decided in both directions.
    """
    beta, n, C, F, kappa = (setting[k] for k in ("beta", "n", "C", "F", "kappa"))
    lam = scale(beta=beta, n=n, C=C, F=F, kappa=kappa) / factor
    first, second = svm_pairs.worst_weights(n=n, C=C, F=F, kappa=kappa)
    worst = sum(abs(p - q) for p, q in zip(first, second, strict=True)) / Fraction(lam)
    if svm_pairs.hinge_saturates(n=n, C=C, kappa=kappa):
        X, y, z = flipped(F, n, kappa)
        a, b = (mechanism.law(X, t, C=C, scale=lam, kappa=kappa, sampler="float64") for t in (y, z))
        seen = float(a.log_density(a.noise.centre)[0] - b.log_density(a.noise.centre)[0])
        if abs(seen - worst) > 1e-6 * worst:
            return inconclusive("FAILED", f"the law's log-ratio is {seen}, not {float(worst)}")
    if worst > Fraction(beta) * (1 + Fraction(ROUNDING)):
        code = f"""
import numpy as np
from bounds import svm
from mechanisms.svm import law
X = np.zeros(({n}, {F})); X[-1] = {kappa} / {F} ** 0.5
y = np.ones({n}); z = np.append(y[:-1], -1.0)
lam = svm.{scale.__name__}(beta={beta}, n={n}, C={C}, F={F}, kappa={kappa}) / {factor}
a, b = (law(X, t, C={C}, kappa={kappa}, scale=lam, sampler="float64") for t in (y, z))
at = a.noise.centre
assert a.log_density(at)[0] - b.log_density(at)[0] > {beta} * (1 + 1e-9)
"""
        found = float(worst)
        pair = {"a": "last row flipped, other rows 0", "b": "the same, label -1", "output": "w(a)", "log_ratio": found}
        return refuted("enumeration", witness(setting, beta, found, code, **pair))
    distance, kind, _ = svm_pairs.search(F, n, C, 1.0, kappa, "hinge")
    if distance / lam > beta * (1 + 1e-9):
        return refuted("certificate", witness(setting, beta, distance / lam, object=kind))
    reached = float(worst) / beta
    note = (
        f"largest privacy loss found by search {distance / lam / beta:.3f} beta, of the worst pair {reached:.3f} beta"
    )
    ratios = [0.25, 0.5, 0.75, 1.0, 2.0, 4.0]
    series = {"lambda / printed": ratios, "bound": [beta] * 6, "worst pair": [float(worst) / r for r in ratios]}
    series["lambda / printed"] = [lam * r / svm.noise_scale(beta=beta, n=n, C=C, F=F, kappa=kappa) for r in ratios]
    return holds("derivation", "everywhere", tightness=(reached, reached), note=note, series=series)


PRIVATE = (
    {"beta": 1.0, "n": 10, "C": 1.0, "F": 4, "kappa": 1.0},
    {"beta": 0.01, "n": 30, "C": 200.0, "F": 16, "kappa": 2.0},
)
PRIVATE_MORE = (
    {"beta": 20.0, "n": 2, "C": 1.0, "F": 1, "kappa": 1.0},
    {"beta": 1e-6, "n": 2, "C": 1e-3, "F": 25, "kappa": 10.0},
)


@exact_claim(
    svm.noise_scale,
    quick=PRIVATE,
    full=PRIVATE_MORE,
    control=Sabotage("noise / {}", (1.5, 2.1, 3)),
    given=("rbht09.def1/explicit/laplace", "rbht09.lem21/printed", "rbht09.lem21/explicit"),
    cost=0.1,
    note="loose by exactly 2: twice the noise that is needed",
)
def printed_noise_is_private(*, factor=1, **setting):
    """Theorem 7 as printed."""
    return privacy_loss(svm.noise_scale, setting, factor)


@exact_claim(
    svm.noise_scale_sharp,
    quick=PRIVATE,
    full=PRIVATE_MORE,
    control=Sabotage("noise / {}", (1.1, 2)),
    given=("rbht09.def1/explicit/laplace", "rbht09.lem21/explicit"),
    cost=0.1,
)
def sharp_noise_is_private(*, factor=1, **setting):
    """Half of Theorem 7's noise: exactly enough."""
    return privacy_loss(svm.noise_scale_sharp, setting, factor)


def attacked(X, y, z, *, C, beta, calibration, factor, counts=None):
    """Our mechanism on two label vectors over the same rows, its noise divided by `factor`."""
    return tuple(
        mechanism.law(X, t, C=C, privacy=PureDP(beta * factor), calibration=calibration, counts=counts) for t in (y, z)
    )


@attack_claim(
    svm.noise_scale_sharp,
    law="svm.sharp",
    attack="pure",
    bound=lambda *, beta, **_: beta,
    quick=({"beta": 1.0, "n": 10, "C": 1.0, "F": 1},),
    full=({"beta": 2.0, "n": 40, "C": 1.0, "F": 1}, {"beta": 2.0, "n": 10, "C": 1.0, "F": 2}),
    control=Sabotage("noise / {}", (1.2, 1.41, 2)),
    chunk=lambda **_: 2000,
    cap=100,
    cost=2e-6,
    note="worst pair: kappa = 1",
)
def sharp_law_pair(*, beta, n, C, F, factor=1):
    """The label of the extreme row flipped, all other rows alike: the sharp sensitivity is spent to the full."""
    return attacked(*flipped(F, n, others=1.0), C=C, beta=beta, calibration="sharp", factor=factor)


@attack_claim(
    svm.noise_scale,
    law="svm",
    attack="pure",
    bound=lambda *, beta, **_: beta,
    quick=({"beta": 1.0, "n": 10, "C": 1.0, "F": 1},),
    control=Sabotage("noise / {}", (1.5, 2.5, 4)),
    chunk=lambda **_: 2000,
    cap=50,
    cost=2e-6,
    note="worst pair: kappa = 1/2, because the printed calibration is twice what is needed",
)
def printed_law_pair(*, beta, n, C, F, factor=1):
    """The same pair under the printed calibration, our default."""
    return attacked(*flipped(F, n, others=1.0), C=C, beta=beta, calibration="printed", factor=factor)


@attack_claim(
    svm.noise_scale_sharp,
    law="svm.randhie",
    attack="pure",
    bound=lambda *, beta, **_: beta,
    quick=({"beta": 2.0, "n": 2000, "C": 1.0},),
    full=({"beta": 2.0, "n": 20190, "C": 1.0},),
    control=Sabotage("noise / {}", (2, 4)),
    chunk=lambda **_: 2000,
    cap=30,
    cost=6e-6,
)
def randhie_pair(*, beta, n, C, factor=1):
    """Health-insurance records; the last person is at a corner of the codebook and changes the answer."""
    X, y = data.load("randhie")
    X, y = X[:n].copy(), y[:n].copy()
    X[-1] = np.abs(X[0]).max() * np.ones(X.shape[1])  # the constant column's entry in every column: norm 1
    y[-1] = 1.0
    return attacked(X, y, np.append(y[:-1], -1.0), C=C, beta=beta, calibration="sharp", factor=factor)


if __name__ == "__main__":
    from experiments.run import script

    script("svm")
