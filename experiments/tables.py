"""Do Tables 1 and 2 of Wang, Zhu & Wang (2025) quote rightly? Entry by entry, by linear programming."""

from __future__ import annotations

from bounds import rates, tables
from bounds.certify import enclosure, exact
from experiments.claim import Sabotage, exact_claim, holds, inconclusive, refuted
from experiments.rates import along, compare

STRAY = Sabotage("n to the power {} times the quoted one", (1.1, 2))
N_FOR_N2 = (
    "the root has 1/(n^2 gamma^2) where Theorem 3.1 of BMS22, and Table 2, have 1/(n gamma^2): too small by a factor "
    "1/gamma for large n. Compared is the excess over R, which has the factor 1 on both sides; if R too were meant up "
    "to a constant, the root would not matter, since 2 sqrt(R/(n gamma^2)) <= R + 1/(n gamma^2)"
)

FAMILY = """from bounds.tables import {name}
ratios = []                                       # quoted over source along a family that the domain contains
for t in {points}:
    ratios.append({name}({arguments}))
assert {growth}"""


def steeper(rate, factor):
    """The rate with every power of n multiplied by `factor`."""
    return [one | {"n": one["n"] * factor} for one in rate]


def equal_rates(statement, cone, factor, note=""):
    """HOLDS if each rate is at most a constant times the other; REFUTED with a family along which the ratio grows."""
    quoted, source = tables.COMPARED[statement.theorem.key]
    quoted = quoted if factor == 1 else steeper(quoted, factor)
    down, up = compare(source, quoted, cone), compare(quoted, source, cone)
    if down.constant and up.constant:
        note = f"source <= {down.constant} quoted and quoted <= {up.constant} source, on the whole domain{note}"
        return holds("certificate", "everywhere", note=note)
    failed, sign = (down, -1) if down.family else (up, 1)
    if not failed.family:
        return inconclusive("FAILED", "neither weights nor a family could be rounded to small fractions")
    points = [10, 100, 1000, 10**4, 10**5, 10**6]
    ratios = [rates.quotient(quoted, source, **along(failed.family, t)) ** sign for t in points]
    told = witness(statement, failed, points, ratios, sign, factor)
    series = {
        f"t, along {described(failed.family)}": points,
        "quoted": [rates.value(quoted, **along(failed.family, t)) for t in points],
        "source": [rates.value(source, **along(failed.family, t)) for t in points],
    }
    return refuted("certificate", told, series=series)


def witness(statement, failed, points, ratios, sign, factor):
    """The family, three points of it, and a program that shows the ratio grow (or fall)."""
    formula, family = statement.theorem.function, failed.family
    arguments = ", ".join(f"{name}={written(power)}" for name, power in family.items())
    growth = "ratios[0] > 2 * ratios[1] > 4 * ratios[2]" if sign < 0 else "2 * ratios[0] < ratios[1] < ratios[2] / 2"
    shown = points[1::2]
    python = FAMILY.format(name=formula.__name__, points=tuple(shown), arguments=arguments, growth=growth)
    largest = ratios[-1]
    return {
        "setting": {},
        "claimed": "the two rates are equal up to a constant",
        "found": f"{'source over quoted' if sign < 0 else 'quoted over source'} reaches {largest:.3g} and grows on",
        "family": described(family) + ("; both rates tend to 0" if failed.informative else ""),
        "points": [{"t": float(t)} | {k: float(v) for k, v in along(family, t).items()} for t in shown],
        "ratios": ratios[1::2],
        "lhs": enclosure(exact(ratios[-1])),
        "rhs": enclosure(exact(ratios[0])),
        "python": python if factor == 1 else "",
    }


def described(family):
    """The powers of t in words."""
    return ", ".join(f"{name} = {'1' if power == 0 else f't^{power}'}" for name, power in family.items())


def written(power):
    """t to a whole power, as Python."""
    return "1" if power == 0 else f"t**{power}" if power > 0 else f"1 / t**{-power}"


def quoted_rightly(statement, cone, **fields):
    """Register the comparison of a quotation with its source."""
    known = {"control": STRAY, "cost": 0.05} | fields

    def check(*, factor=1):
        return equal_rates(statement, cone, factor)

    check.__name__ = equal_rates.__name__  # what its stored results depend on
    return exact_claim(statement, **known)(check)


quoted_rightly(tables.realizable_by_table1, "unit")
quoted_rightly(
    tables.agnostic_by_table1,
    "unit",
    control=None,
    corrected_by="wzw25.tab1.s2/corrected",
    severity="cosmetic",
    note=N_FOR_N2,
)
quoted_rightly(tables.agnostic_corrected, "unit")
quoted_rightly(tables.hinge_by_table1, "unit")
quoted_rightly(tables.adaptive_by_table1, "unit")
quoted_rightly(
    tables.hinge_by_section_1_2,
    "unit",
    control=None,
    corrected_by="wzw25.tab1.s3/printed",
    severity="cosmetic",
    note="wherever the rates are below 1 the quoted privacy term 1/(gamma^2 n epsilon) is smaller than the 1/(gamma "
    "sqrt(n epsilon)) of Theorem 3.2, and of Table 1; it is the rate of Lemma 3.1 of BMS22 in dimension 1/gamma^2, to "
    "which their efficient algorithm does not project",
)
quoted_rightly(tables.margin_by_table2, "ball")
quoted_rightly(tables.hinge_by_table2, "ball")
quoted_rightly(tables.adaptive_by_table2, "ball")
quoted_rightly(
    tables.tables_agree_on_margin,
    "unit",
    control=None,
    corrected_by="wzw25.tab1.s2/corrected",
    severity="cosmetic",
    note=N_FOR_N2,
)
quoted_rightly(tables.tables_agree_on_hinge, "unit")
quoted_rightly(tables.tables_agree_on_adaptive, "unit")


# Section 4 on the two rates -----------------------------------------------------------------------------------------

GAIN = """from bounds.tables import actual_gain, claimed_gain
shares = []
for n in (10**5, 10**10, 10**15):                # s = n^(2/5) outliers, which is o(sqrt n)
    s = round(n**0.4)
    shares.append(actual_gain(n=n, s=s) / claimed_gain(n=n, s=s))
assert shares[0] < 0.02 and shares[2] < shares[1] / 50 < shares[0] / 2500"""


@exact_claim(
    tables.claimed_gain,
    corrected_by="wzw25.tab1.s6/corrected",
    severity="cosmetic",
    note="true for boundedly many outliers. For o(sqrt n) of them the new rate is the better one, but by sqrt(n) / (1 "
    "+ |S_out|), which may tend to infinity as slowly as one likes",
    cost=0.01,
)
def gain_with_few_outliers(*, factor=1):
    """The gain with s = n^(2/5) outliers over the gain claimed, along n."""
    sizes = [10**j for j in range(2, 17, 2)]
    gains = [tables.actual_gain(n=n, s=round(n**0.4)) for n in sizes]
    shares = [gain / tables.claimed_gain(n=n, s=0) for gain, n in zip(gains, sizes, strict=True)]
    if shares[-1] > shares[0] / 100:
        return inconclusive("NO_CONSTANT", f"gain / sqrt(n) = {shares}")
    told = {
        "setting": {},
        "claimed": "gain >= c sqrt(n) for one c > 0",
        "found": f"gain / sqrt(n) = {shares[-1]:.2g} at n = 1e16, and tends to 0",
        "family": "s = n^(2/5), gamma and epsilon fixed",
        "points": [{"n": float(10**j), "s": float(round(10 ** (0.4 * j)))} for j in (5, 10, 15)],
        "ratios": [1 / (1 + round(10 ** (0.4 * j))) for j in (5, 10, 15)],
        "python": GAIN,
    }
    series = {
        "n": [float(n) for n in sizes],
        "sqrt(n)": [n**0.5 for n in sizes],
        "gain with n^(2/5) outliers": gains,
        "gain with 3 outliers": [tables.actual_gain(n=n, s=3) for n in sizes],
    }
    return refuted("derivation", told, series=series)


@exact_claim(tables.actual_gain, control=Sabotage("gain times {}", (1.01, 2)), cost=0.01)
def gain_is_root_over_outliers(*, factor=1):
    """(1/sqrt n) / (s/n + 1/n) against sqrt(n) / (1 + s), for square n and any share of outliers."""
    for root in (1, 3, 10, 10**6):
        for s in {0, 1, root, root**2}:
            n = root**2
            ratio = (1 / root) / (s / n + 1 / n)
            claimed = tables.actual_gain(n=n, s=s) * factor
            if abs(ratio / claimed - 1) > 1e-12:
                sides = {"lhs": enclosure(exact(ratio)), "rhs": enclosure(exact(claimed))}
                told = {"setting": {}, "claimed": float(claimed), "found": float(ratio), "point": {"n": n, "s": s}}
                return refuted("enumeration", told | sides | {"python": ""})
    return holds("derivation", "everywhere", tightness=(1, 1))


if __name__ == "__main__":
    from experiments.run import script

    script("tables")
