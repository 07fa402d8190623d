"""The worst mu-GDP run of private tuning, next to Lemma K.1 of Wang, Zhu & Wang (2025): an account that is attained."""

import numpy as np

from lemmata.bounds.exact import winner_profile
from lemmata.bounds.exact.balls import Phi, exact
from lemmata.bounds.exact.tuning_curves import sharp_growth
from lemmata.bounds.wzw25 import best_of_runs as bound
from lemmata.experiments.checks import Control, inconclusive, inequality_claim, run_script
from lemmata.experiments.checks.tuning_account import BITS, Runs, account_cases, rare_outputs_inserted

SMALLEST = 1e-10  # of delta: sums of probabilities are off by up to 3e-13


def settings(*points, eta=1.0):
    """Settings of (mu, r, delta)."""
    return tuple({"mu": m, "r": r, "delta": d, "eta": eta} for m, r, d in points)


def chords_are_above(*, mu, r, eta):
    """Pairs (whether the chords are at least v(a) - c v(G(a)), the message if not) for many a and c, in balls."""
    chain = winner_profile.chords(mu=mu, r=r, eta=eta, growth=sharp_growth(mu, r))
    ends = [float(end) for end in chain.logs]
    for log_c in [ends[0] - 1.0, *(ends[i] for i in (0, 40, 90, 110, 118)), ends[-1] - 0.01 * mu]:
        c = exact(log_c).exp()
        upper = sum(w * max(0.0, -float(np.expm1(log_c - end))) for w, end in zip(chain.weights, ends, strict=True))
        for s in np.linspace(-8.0, 3.0, 45):
            a, moved = Phi(exact(float(s))), Phi(exact(float(s)) + exact(mu))
            value, image = ((exact(r) / (exact(r) + (1 - exact(r)) * x)) ** (exact(eta) + 1) for x in (a, moved))
            yield value - c * image <= exact(upper * (1 + 1e-12)), f"a chord lies too low at s = {s}, log c = {log_c}"


@inequality_claim(
    bound.worst_epsilon,
    quick=settings((0.3, 1e-3, 1e-3), (0.1, 1 / 495, 1e-5)),
    full=settings((0.5, 0.01, 1e-6), (2.0, 0.1, 1e-3))
    + settings((0.3, 1e-3, 1e-3), (0.2, 1e-6, 1e-4), eta=0.0)
    + settings((0.3, 1e-3, 1e-3), eta=3.0),
    control=Control(
        "epsilon divided by {} (up to 1.08: the slack of part sharp)", (1.02, 1.2), settings((0.1, 1 / 495, 1e-5))[0]
    ),
    given=[bound.sharp_epsilon],
    cites=("Blackwell's theorem on comparisons, as in Dong, Roth & Su 2022, Theorem 2",),
    cost=2,
    bits=BITS,
    note="runs that release a finely binned Gaussian, with the rare outputs placed where they gain the most, "
    "nearly attain it",
)
def worst_run_keeps_its_promise(*, factor=1, **setting):
    """The exact curve of scores, random orders, the order that is nearly the worst, and the chords in balls."""
    if setting["delta"] < SMALLEST:
        return inconclusive("BUDGET", f"sums of probabilities in floats decide from delta = {SMALLEST:g} on")
    promised = bound.worst_epsilon(**setting) / factor
    found = rare_outputs_inserted(Runs(**setting), promised)
    yield setting | {"epsilon": promised, "order": "rare outputs inserted"}, found, setting["delta"]
    sizes = {name: setting[name] for name in ("mu", "r", "eta")}
    ending = yield from account_cases(Runs(**setting), promised, chords_are_above(**sizes), f"η = {setting['eta']:g}")
    if not isinstance(ending, dict):
        return ending
    reached = found / setting["delta"]
    return ending | {"note": f"{ending['note']}; the worst order found {reached:.3f} δ", "tightness": (reached, 1.0)}


if __name__ == "__main__":
    run_script(__file__)
