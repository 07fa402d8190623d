"""Why Question 8.1 of Wang, Zhu & Wang (2025) is not a question about the proof: hinge minimisers need the margin."""

from __future__ import annotations

from fractions import Fraction

from bounds import excess as bound
from experiments.claim import Sabotage, exact_claim, holds, refuted
from experiments.excess import broken, hinge_sum, inner, smallest_hinge

HAIR = Fraction(1, 10**9)


@exact_claim(
    bound.hinge_risk,
    quick=({"inliers": 40},),
    full=({"inliers": 200},),
    control=Sabotage("1/{} of the outliers", (2, 4)),
    cost=0.2,
    note="no answer to the question, which is open. It shows that the factor 1/gamma is no artefact of the proof as "
    "long as a hinge loss is minimised, whatever its width",
)
def hinge_needs_the_margin(*, inliers, factor=1):
    """The exact minimiser for every gamma and c: its errors on all records, and no other minimiser beside it."""
    curve = []
    for gamma in (Fraction(j, 20) for j in range(1, 20)):
        s = int(gamma * inliers) + 1
        planted = max(1, s // factor)
        Z = [(gamma,)] * inliers + [(Fraction(-1),)] * planted
        errors = {}
        for width in (gamma / 100, gamma, Fraction(3)):
            w, _ = smallest_hinge(Z, width)
            alone = hinge_sum(w, Z, width) < min(hinge_sum((w[0] + step,), Z, width) for step in (-HAIR, HAIR))
            errors[width] = sum(inner(z, w) < 0 for z in Z) if alone else None
        claimed = bound.hinge_risk(n=inliers + s, s=s, gamma=gamma) * (inliers + s)
        for width, count in errors.items():
            if count is None or abs(count - claimed) > 1e-9:
                setting = {"inliers": inliers, "gamma": float(gamma), "width": float(width)}
                low, high = sorted((count or 0, Fraction(round(claimed))))
                return refuted("enumeration", broken(setting, {}, high, low, f"{claimed:g} errors", ""))
        curve.append((float(gamma), inliers / (inliers + s), s / (inliers + s), min(1.0, s / (inliers + s) / gamma)))
    names = ("gamma", "risk of the hinge minimiser", "|S_out| / n", "|S_out| / (gamma n)")
    series = {name: [float(x) for x in column] for name, column in zip(names, zip(*curve, strict=True), strict=True)}
    return holds("derivation", "everywhere", tightness=(1, 1), series=series)


if __name__ == "__main__":
    from experiments.run import script

    script("excess")
