"""How far risk and hinge loss part after the projection: the proof of Theorem 3.2 of bms22, third step.

The proof of Theorem 3.2 of Bassily, Mohri & Suresh (2022), step by step.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, comb, log, sqrt

import numpy as np
from flint import arb

from bounds.bms22 import efficient_learner_proof as steps
from bounds.bms22.dp_erm import corrected_order
from bounds.bms22.efficient_learner import corrected_rows, printed_rows, sign_distortion
from bounds.bms22.sign_projection import inner_products_preserved
from bounds.exact.certify import at, certify, over
from experiments.bms22.dp_erm import ROUNDING
from experiments.bms22.dp_erm_proof import grows, unbounded, witness
from experiments.bms22.efficient_learner import random_settings, ties
from experiments.engine.claim import Control, exact_claim, grid, tail_claim
from experiments.engine.verdict import holds, inconclusive, refuted
from mechanisms import dp_erm
from mechanisms.fast_projection import fast_projection
from mechanisms.law import clip_rows
from mechanisms.privacy import ApproxDP
from mechanisms.sign_projection import sign_projection

LAWS = {"fast": fast_projection, "signs": sign_projection}


def events(count=12):
    """(kind, T, Phi T, gamma): points w*, x_1..x_9 of norm 1 and the smallest gamma for which the event holds."""
    rng = np.random.default_rng(0)
    for trial in range(count):
        kind, d, k = ("fast", "signs")[trial % 2], (5, 40)[trial // 2 % 2], (20, 100)[trial // 4 % 2]
        T = rng.normal(size=(10, d)) if trial % 3 else np.eye(d)[rng.integers(0, d, size=10)]
        T /= np.linalg.norm(T, axis=1, keepdims=True)
        seen = LAWS[kind](k, d, rng=rng).apply(T)
        gamma = 3 * np.abs(seen @ seen.T - T @ T.T).max()
        yield kind, T, seen, gamma


@exact_claim(
    steps.projected_norm,
    quick=({},),
    control=Control("gamma / {}", (2, 10)),
    given=("bms22.lemA.4/printed/embedding",),
    cost=0.05,
)
def norms_stay(*, factor=1):
    """The factor 1 + gamma/3 on measured events, and that clipping at 2r changes nothing."""
    proof = certify(over(lambda g: (1 + g / 3).sqrt()), at(lambda g: (1 + g / 3).sqrt()), {"g": (0.0, 1.0)}, 2)
    reached = 0.0
    for kind, T, seen, gamma in events():
        if gamma >= 1 or not inner_products_preserved(T, seen, gamma * (1 + ROUNDING)):
            continue
        allowed = steps.projected_norm(gamma=gamma / factor)
        found = (np.linalg.norm(seen, axis=1) ** 2).max()
        reached = max(reached, found / allowed)
        if found > allowed * (1 + ROUNDING):
            point = {"kind": kind, "gamma": gamma}
            sides = {"point": point, "lhs": [found] * 2, "rhs": [allowed] * 2}
            return refuted("enumeration", witness(point, allowed, found, **sides))
        if np.abs(clip_rows(seen, 2.0) - seen).max() > 0:
            return inconclusive("FAILED", "a row of norm at most 2 was clipped")
    if proof.outcome != "HOLDS":
        return inconclusive("BUDGET", f"{proof.bound} was certified")
    note = "part (i) of the event itself; on it every ||Phi x|| is at most 1.16 r"
    return holds("derivation", "everywhere: on the event of Lemma A.4", tightness=(reached, 1.0), note=note)


@exact_claim(
    steps.printed_distortion,
    quick=({},),
    control=Control("log(1/delta) to the power 3/(4 {})", (2,)),
    note=(
        "the second equality of 'gamma = O(sqrt(log(m/beta)/k)) = O(...)'. The first does not follow from Lemma A.4, "
        "whose k has another factor log(m/(gamma beta)); the theorem's sqrt(log(m/beta)) absorbs it. And k is rounded "
        "up to 1 at least, which s6 (projected) shows to matter near beta = 1"
    ),
)
def printed_rows_put_in(*, factor=1):
    """sqrt(log(m/beta)/k) at the printed k against the printed right-hand side."""
    for p in random_settings(50):
        p.pop("a")
        left = sqrt((log(p["m"]) - log(p["beta"])) / printed_rows(**p))
        right = steps.printed_distortion(**p) * (-log(p["delta"])) ** (0.75 / factor - 0.75)
        if abs(left / right - 1) > 1e-6:
            sides = {"point": p, "lhs": [left] * 2, "rhs": [right] * 2}
            return refuted("derivation", witness(p, right, left, **sides))
    return holds("derivation", "everywhere", tightness=(1.0, 1.0))


@exact_claim(
    steps.margin_loss,
    quick=({"rho": 0.5},),
    full=grid(rho=[0.01, 1.0]),
    control=Control("a bound {} times too small", (4, 40)),
    given=("bms22.lemA.4/printed/embedding",),
    cost=0.05,
    note="the event gives r gamma/(3 rho), a third; with Lambda other than 1 it is Lambda r gamma/(3 rho)",
)
def margins_stay(*, rho, factor=1):
    """The margins lost by w* = e_1 on measured events, against r gamma / rho."""
    reached = 0.0
    for kind, T, seen, gamma in events():
        lost = (T @ T[0] - seen @ seen[0])[1:].max() / rho
        allowed = steps.margin_loss.theorem.formula(gamma=gamma, radius=1.0, rho=rho) / factor
        reached = max(reached, lost / allowed)
        if lost > allowed * (1 + ROUNDING):
            point = {"kind": kind, "gamma": gamma, "rho": rho}
            sides = {"point": point, "lhs": [lost] * 2, "rhs": [allowed] * 2}
            return refuted("enumeration", witness(point, allowed, lost, **sides))
    return holds("derivation", "everywhere: on the event of Lemma A.4", tightness=(reached, 1 / 3))


# s4: lifting ----------------------------------------------------------------------------------------------------------


@exact_claim(
    steps.lifted_score,
    quick=({},),
    control=Control("the transpose scaled by {}, and -1 for 0", (2,)),
    cost=0.05,
)
def scores_are_the_same(*, factor=1):
    """<Phi^T w, x> and <w, Phi x> for both projections; signs, so risks, also after clipping; ties stay ties."""
    rng, off = np.random.default_rng(0), 0.0
    for kind, build in LAWS.items():
        for k, d in ((1, 1), (3, 5), (50, 20)):
            phi, X, w = build(k, d, rng=rng), rng.normal(size=(30, d)), rng.normal(size=k)
            X[0] = 0.0
            lifted, projected = factor * X @ phi.transpose(w), steps.lifted_score(w=w, projected=phi.apply(X))
            off = max(off, np.abs(lifted - projected).max() / np.abs(projected).max())
            if off > ROUNDING:
                point = {"kind": kind, "k": k, "d": d}
                sides = {"object": "Phi", "property": "adjoint", "value": off}
                return refuted("enumeration", witness(point, "equal", off, **sides))
            clipped = clip_rows(phi.apply(X), 0.5) @ w
            if (np.sign(clipped) != np.sign(projected)).any() or lifted[0] != 0 or projected[0] != 0:
                return inconclusive("FAILED", f"{kind}: a sign or a tie changed")
    return holds("derivation", "everywhere", tightness=(1.0, 1.0), note=f"both products agree to {off:.1g}")


# s5: training ---------------------------------------------------------------------------------------------------------


def failing_runs(*, m, epsilon, delta, beta, a):
    """A hundred runs that fail more often than beta/3, for the witness."""
    return "\n".join(
        [
            "import numpy as np",
            "from bounds.bms22.efficient_learner import printed_rows",
            "from bounds.bms22.efficient_learner_proof import printed_training",
            "from mechanisms.dp_erm import law",
            "from mechanisms.privacy import ApproxDP",
            f"known = dict(m={m}, epsilon={epsilon}, delta={delta}, beta={beta})",
            f"Z = np.zeros(({m}, int(np.ceil(printed_rows(**known)))))",
            "Z[:, 0] = 1.0  # m equal records",
            f"fixed = dict(rho={1 / a}, radius=2.0, norm_bound=2.0, calibration='corrected')",
            f"trained = law(Z, np.ones({m}), privacy=ApproxDP({epsilon}, {delta}), beta={beta / 3!r}, **fixed)",
            "W = trained.sample(np.random.default_rng(0), 100)",
            f"loss = np.maximum(0, 1 - {a} * W[:, 0])  # the best vector has none",
            f"assert (loss > printed_training(a={a}, **known)).mean() > 0.8  # allowed: beta/3",
        ]
    )


@tail_claim(
    steps.printed_training,
    quick=({"m": 64, "epsilon": 4.0, "delta": 0.015, "beta": 0.5, "a": 1.0},),
    full=({"m": 256, "epsilon": 5.0, "delta": 0.0039, "beta": 0.5, "a": 1.0},),
    bound=lambda *, beta, **_: beta / 3,
    severity="constant",
    chunk=lambda **_: 50,
    cap=6,
    cost=1.5e-3,
    expect=6.0,
    python=failing_runs,
    note=(
        "printed without O(.), so with constant 1; the noise of the rounds makes it false where it says something. The "
        "record is m times (r e_1, 1), the noise the printed one, the selection calibrated validly"
    ),
)
def training_loses_more(rng, size, *, m, epsilon, delta, beta, a):
    """Algorithm 2 at the printed k on m equal records: L(w) - L(w_hat) above the printed bound?"""
    known = dict(m=m, epsilon=epsilon, delta=delta)
    k = ceil(printed_rows(beta=beta, **known))
    Z = np.zeros((m, k))
    Z[:, 0] = 1.0  # Phi x up to a rotation, at norm r
    parameters = dict(rho=1 / a, radius=2.0, norm_bound=2.0, beta=beta / 3, calibration="corrected")
    W = dp_erm.law(Z, np.ones(m), privacy=ApproxDP(epsilon, delta), **parameters).sample(rng, size)
    loss = np.maximum(0.0, 1 - a * W[:, 0])  # the best vector of norm 1 has none, as a >= 1
    return loss > steps.printed_training(beta=beta, a=a, **known)


@exact_claim(
    steps.corrected_training,
    quick=({},),
    control=Control("log(1/delta) to the power 3/4 - {}", (2,)),
    given=("bms22.lem3.1/corrected/utility",),
    cost=0.1,
)
def training_within_order(*, factor=1):
    """Lemma 3.1, corrected, at 4a and beta/3 against C g, or 8a where that is less, at the k of many settings."""

    def g(**p):
        return steps.corrected_training(**p) * (-log(p["delta"])) ** (0 if factor == 1 else -factor)

    points, ratios = ties(g)
    if grows(ratios):
        return unbounded({}, "one record, delta -> 0: the release is 0 and loses 1", points, ratios)
    reached, C = 0.0, 4 * (1 + log(3) / log(2)) * sqrt(2)
    for p in random_settings(300):
        rows = corrected_rows(**{name: p[name] for name in ("m", "epsilon", "delta", "beta")})
        lemma = corrected_order(**(p | {"k": max(1, ceil(rows)), "beta": p["beta"] / 3, "a": 4 * p["a"]}))
        reached = max(reached, min(lemma, 8 * p["a"]) / g(**p))
    if reached > C:
        return inconclusive("FAILED", f"a point reaches {reached}, above {C}")
    note = f"at most {C:.1f} times the lemma's constant; random points reach {reached:.1f} times"
    return holds("derivation", "everywhere", tightness=(0.0, reached / C), note=note)


# s6: the projected best vector ----------------------------------------------------------------------------------------


@exact_claim(
    steps.printed_projected_loss,
    quick=({},),
    severity="cosmetic",
    note=(
        "one record and one row, which the printed k allows: as beta -> 1 the bound goes to 0 and Phi x = 0 has "
        "probability 1/2. With k >= 56 log(2m/beta) and log(2/beta) it holds"
    ),
)
def one_row_loses_all():
    """m = 1, d = 2, x = w* = (1, 1)/sqrt 2, rho = r: Phi is a row of two signs, and half of them send x to 0."""
    points = [{"m": 1, "epsilon": 0.5, "delta": 0.3, "beta": 1 - 10.0**-j, "a": 1.0} for j in (2, 6, 10)]
    if any(ceil(printed_rows(**{n: p[n] for n in ("m", "epsilon", "delta", "beta")})) != 1 for p in points):
        return inconclusive("FAILED", "the printed k is above 1")
    x = np.ones(2) / sqrt(2)
    rows = np.array([[s, t] for s in (-1, 1) for t in (-1, 1)], dtype=float)
    lost = Fraction(int((rows @ x == 0).sum()), len(rows))  # then L(Phi w*) = 1 and L(w*) = 0
    drawn = (fast_projection(1, 2, rng=np.random.default_rng(seed)).apply(np.eye(2))[:, 0] for seed in range(40))
    reach = {tuple(np.sign(row)) for row in drawn}
    if lost <= Fraction(1, 3) or len(reach) != 4:
        return inconclusive("FAILED", f"x is lost with probability {lost}, {len(reach)} rows are drawn")
    ratios = [1 / steps.printed_projected_loss(**p) for p in points]
    if not grows(ratios):
        return inconclusive("NO_CONSTANT", f"ratios {ratios}")
    code = [
        "from bounds.bms22.efficient_learner_proof import printed_projected_loss",
        "known = dict(m=1, epsilon=0.5, delta=0.3, a=1.0)",
        "ratios = [1 / printed_projected_loss(beta=1 - 10.0**-j, **known) for j in (2, 6, 10)]",
        "assert ratios[2] > 5 * ratios[1] > 25 * ratios[0]  # the loss is 1 with probability 1/2 > beta/3",
    ]
    return unbounded({}, "m = 1, k = 1, beta -> 1: loss 1 with probability 1/2 > beta/3", points, ratios, code)


@exact_claim(
    steps.projected_loss,
    quick=({},),
    control=Control("k to the power -1/2 - ({} - 1)", (2,)),
    given=("bms22.lemA.3/explicit/union",),
    cost=0.1,
)
def distortion_within_order(*, factor=1):
    """t of `sign_distortion` against 7.43 g, on the domain where k >= 56 log(2m/beta)."""
    reached, rows_seen = 0.0, []
    for p in random_settings(4000):
        rows = corrected_rows(**{name: p[name] for name in ("m", "epsilon", "delta", "beta")})
        if rows < 56 * log(2 * p["m"] / p["beta"]):
            continue
        g = steps.projected_loss(rows=rows, **p) * rows ** (1 - factor)
        reached = max(reached, p["a"] * sign_distortion(p["m"], ceil(rows), p["beta"]) / g)
        rows_seen.append(rows)
    if factor != 1:  # the distortion of two orthogonal points is of the order 1/sqrt(k): E <Phi u, Phi v>^2 = 1/k
        points = [{"k": 10.0**j} for j in (3, 6, 9)]
        ratios = [p["k"] ** -0.5 / p["k"] ** (0.5 - factor) for p in points]
        if grows(ratios):
            return unbounded({}, "k grows, orthogonal points", points, ratios)
    if reached > 7.43:
        return inconclusive("FAILED", f"a point reaches {reached}")
    note = f"C = 7.43; {len(rows_seen)} random points reach {reached:.2f}"
    return holds("derivation", "everywhere: k >= 56 log(2m/beta), signs", tightness=(0.0, reached / 7.43), note=note)


def two_columns(k=8, flipped=3):
    """Phi of shape (k, 2): columns (1, ..., 1)/sqrt(k) and the same with `flipped` signs changed, squared norms 1."""
    c = np.ones((k, 2)) / sqrt(k)
    c[:flipped, 1] *= -1
    return c


def decide_minimiser(radius, factor):
    """(loss of the best in the ball, loss of Phi w*, gamma) at x = e_1, e_2, w* = (e_1 + e_2)/sqrt 2, rho = r = 1."""
    phi = two_columns()
    inner = Fraction(2, 8)  # <c_1, c_2>, so |c_1 + c_2|^2 = 5/2 and |Phi w*|^2 = 5/4
    norm = arb(5) / 4
    # the mean margin is <w, c_1 + c_2>/2: at most radius |c_1 + c_2|/2, and both margins are alike there
    best = 1 - min(radius / factor * (arb(5) / 2).sqrt() / 2, arb(1))
    own = 1 - min((arb(1) + arb(1) / 4) / arb(2).sqrt(), arb(1))
    if abs(float(phi[:, 0] @ phi[:, 1]) - float(inner)) > 1e-12:
        raise ValueError("Phi is not the matrix of the example")
    return best, own, 3 * (norm - 1)


@exact_claim(
    steps.minimiser_radius,
    quick=({},),
    severity="cosmetic",
    note=(
        "'by definition of w_hat' needs Phi w* in the ball, and its norm may be sqrt(1 + gamma/3) > 1. Display (17) "
        "survives: scaling Phi w* down costs another O(r gamma/rho)"
    ),
)
def projected_vector_sticks_out():
    """A sign matrix on the event at gamma = 3/4 where Phi w* beats every vector of norm 1, in balls."""
    best, own, gamma = decide_minimiser(steps.minimiser_radius(gamma=0.75), 1)
    if not best > own:
        return inconclusive("FAILED", "the best vector of norm 1 is as good")
    code = [
        "import numpy as np",
        "phi = np.ones((8, 2)) / np.sqrt(8)",
        "phi[:3, 1] *= -1  # signs / sqrt(k); x = e_1, e_2; y = 1; w* = (1, 1)/sqrt(2); rho = r = Lambda = 1",
        "star = phi @ np.array([1.0, 1.0]) / np.sqrt(2)",
        "loss = lambda w: np.maximum(0, 1 - w @ phi).mean()",
        "assert max(abs(phi.T @ phi - np.eye(2)).max(), abs(star @ star - 1)) <= 0.25 + 1e-12  # gamma = 0.75",
        "angles = np.linspace(0, 2 * np.pi, 10**5)  # the ball's part in the plane of the columns",
        "basis = np.linalg.qr(phi)[0]",
        "best = min(loss(basis @ np.array([np.cos(t), np.sin(t)])) for t in angles[::20])",
        "assert best > loss(star) + 0.09",
    ]
    told = witness({"gamma": 0.75}, "min over norm 1 <= L(Phi w*)", f"{float(best):.4f} > {float(own):.4f}", code)
    told |= {"object": "k = 8, d = 2, columns with inner product 1/4", "property": "min - L(Phi w*)"}
    return refuted("certificate", told | {"value": float(best - own)}, note=f"gamma = {float(gamma):.2f}")


@exact_claim(
    steps.corrected_minimiser_radius,
    quick=({},),
    control=Control("a radius {} times too small", (2,)),
)
def ball_is_wide_enough(*, factor=1):
    """||Phi w*|| <= sqrt(1 + gamma/3) <= 2 for gamma < 1: Phi w* is a vector of the ball that is trained on."""
    radius = steps.corrected_minimiser_radius(gamma=0.75)
    best, own, _ = decide_minimiser(radius, factor)
    if best > own:
        told = witness({"gamma": 0.75}, "min <= L(Phi w*)", f"{float(best):.4f} > {float(own):.4f}")
        return refuted("certificate", told | {"object": "as printed", "property": "gap", "value": float(best - own)})
    proof = certify(over(lambda g: (1 + g / 3).sqrt()), at(lambda g: (1 + g / 3).sqrt()), {"g": (0.0, 1.0)}, radius)
    if proof.outcome != "HOLDS":
        return inconclusive("BUDGET", f"{proof.bound} was certified")
    return holds("derivation", "everywhere: on the event", tightness=(proof.bound / radius, 1.0))


def worst_gap(U, p, w):
    """sup over vectors of R - (empirical hinge) on the line, shape (samples,). Features U in units of rho.

    U: the values of y x / rho; p: their probabilities, shape (values,); w: counts / m, shape (samples, values). Vectors
    are t in [-top, top], `top` in U's units: the hinge is piecewise linear in t, so its kinks and ends are enough.
    """
    top = 1.0
    kinks = np.concatenate([[-top, top, 1e-9, -1e-9], *([1 / u, -1 / u] for u in np.abs(U[U != 0]) if 1 / u <= top)])
    risk = np.array([p[U * t <= 0].sum() for t in kinks])
    loss = w @ np.maximum(0.0, 1 - np.outer(U, kinks))
    return (risk - loss).max(axis=1)


def line_trial(rng, size, m, a, radius):
    """The gap of `size` samples: five margins, some of them wrong, scaled so that the class has norm `radius`."""
    U = radius * 2 * a * np.array([1.0, 0.9, 0.8, -0.01, -0.02])
    p = np.array([0.3, 0.2, 0.2, 0.2, 0.1])
    return worst_gap(U, p, rng.multinomial(m, p, size=size) / m)


DEVIATIONS = dict(
    quick=({"m": 20, "beta": 0.5, "a": 1.0},),
    full=grid(m=[5, 100], beta=[0.1, 0.9], a=[1.0, 3.0]),
    bound=lambda *, beta, **_: beta / 3,
    chunk=lambda *, beta, **_: round(60 / beta),
    cap=4,
    cost=3e-6,
    expect=0.01,
)


def limit(statement, m, beta, a):
    return statement(m=m, beta=beta, radius=a, rho=1.0)


def decide_deviation(statement, radius, factor):
    """The margin bound at norm `radius`; on two margins of the line the failures are counted, by enumeration."""
    reached = 0.0
    for a in (1.0, 2.0, 10.0):
        for wrong, share in ((-1.0, 0.01), (-1.0, 0.3), (-0.01, 0.5)):
            U, p = 2 * radius * a * np.array([1.0, wrong]), np.array([1 - share, share])
            for m in (1, 2, 30):
                counts = np.arange(m + 1) / m
                gaps = worst_gap(U, p, np.column_stack([1 - counts, counts]))
                chances = np.array([comb(m, i) * share**i * (1 - share) ** (m - i) for i in range(m + 1)])
                for beta in (0.9, 0.1):
                    failing = chances[gaps > limit(statement, m, beta, a) / factor].sum()
                    reached = max(reached, failing / (beta / 3))
                    if failing > beta / 3:
                        point = {"a": a, "margins": U.tolist(), "wrong": share, "m": m, "beta": beta}
                        sides = {"point": point, "lhs": [failing] * 2, "rhs": [beta / 3] * 2}
                        return refuted("enumeration", witness(point, beta / 3, failing, **sides))
    note = f"Mohri, Rostamizadeh & Talwalkar 2018, Theorem 5.8, Rademacher complexity {2 * radius:g}r/sqrt(m)"
    return holds("derivation", "everywhere", tightness=(reached, 1.0), note=note)


@exact_claim(
    steps.printed_deviation,
    quick=({},),
    control=Control("a bound {} times too small", (30, 300)),
    cost=0.05,
)
def unit_ball_deviates(*, factor=1):
    """Vectors of norm 1; and the printed slack over the derivation, log(3/beta)/2 <= 4 log(6/beta)."""
    return decide_deviation(steps.printed_deviation, 1, factor)


@tail_claim(
    steps.printed_released_deviation,
    control=Control("a bound {} times too small", (20, 300)),
    note=(
        "it does not follow: the released vector has norm up to 2, the display is about norm 1 and the derivation "
        "gives 8r for 4r. What was tried stays below the printed number, so it holds at the tested settings only"
    ),
    **DEVIATIONS,
)
def released_deviates(rng, size, *, m, beta, a, factor=1):
    """Is R - L above the printed bound for some vector of norm 2?"""
    return line_trial(rng, size, m, a, 2.0) > limit(steps.printed_released_deviation, m, beta, a) / factor


@exact_claim(
    steps.released_deviation,
    quick=({},),
    control=Control("a bound {} times too small", (30, 300)),
    cost=0.05,
)
def twice_the_radius(*, factor=1):
    """Vectors of norm 2, as Algorithm 2 releases."""
    return decide_deviation(steps.released_deviation, 2, factor)


if __name__ == "__main__":
    from experiments.engine.run import script

    script(__spec__.name)
