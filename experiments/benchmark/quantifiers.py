"""Statements with a constant: for each value of a variable there is one, or there is one for all values.

Of left <= right with a variable v that is not bounded, left <= c right / v holds with c = v: for every v there is such
a c. That one c serves all v is false if left exceeds c right / v at v = K c^m for every c >= 1, other variables being
fixed. That is a statement about the one number c, which has to be proved.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import inf

import numpy as np

from lemmata.bounds.proof.box import Side
from lemmata.bounds.proof.checker import Goal
from lemmata.bounds.proof.expression import Expression, number, substitute, variable, variables_of
from lemmata.experiments.benchmark.deciding import Sampler, prove, round_settings
from lemmata.experiments.benchmark.formulas import LATEX, over_balls
from lemmata.experiments.benchmark.inequalities import Inequality, Setting

GROWTH = ((1, 1), (100, 1), (10_000, 1), (1, 2), (100, 2))  # (K, m), the smallest first
FROM_ONE = Side(Fraction(1), inf, open_high=True)
TRIED = 3  # settings of the other variables
CONSTANT = "c"  # its name, which no variable of the statement may have


@dataclass(frozen=True)
class Swap:
    """A statement with c, and where every c fails: v = K c^m and the other variables."""

    made: Inequality  # left <= right / v
    name: str
    setting: Setting
    factor: int
    power: int

    def latex(self, *, swapped: bool) -> str:
        """The statement, with one c for all v, or with a c for every v."""
        hypotheses = dict(zip(self.made.names, self.made.latex_hypotheses(), strict=False))
        own = hypotheses.pop(self.name)
        rest = r",\ ".join([*hypotheses.values(), *self.made.latex_hypotheses()[len(self.made.names) :]])
        order = rf"\exists\,c>0\ \forall\,{own}" if swapped else rf"\forall\,{own}\ \exists\,c>0"
        claim = rf"{LATEX(self.made.left)}\le c\,\frac{{{LATEX(self.made.right)}}}{{{LATEX.name(self.name)}}}"
        return rf"{order}" + (rf"\ \forall\,{rest}" if rest else "") + rf":\quad {claim}"

    def words(self, *, swapped: bool) -> str:
        """The same in words."""
        left, right = self.made.texts
        domain = " and ".join(each["text"] for each in self.made.hypotheses())
        order = (
            "There is one number c > 0 for all" if swapped else f"For every {self.name} some number c > 0 serves all"
        )
        return f"{order} settings with {domain}: {left} is at most c*({right})/{self.name}."

    def program(self) -> str:
        """The program: whatever c is, a setting at which the statement fails."""
        left, right = map(over_balls, self.made.texts)
        lines = self.made.preamble() + self.made.assign(self.setting, [n for n in self.made.names if n != self.name])
        lines += ["for c in (1, 10**3, 10**6, 10**9):", f"    {self.name} = arb({self.factor})*arb(c)**{self.power}"]
        lines += [f"    left = {left}", f"    right = c*({right})/{self.name}", "    assert left > right"]
        return "\n".join(lines)


def swap(made: Inequality, rng: np.random.Generator) -> Iterator[Swap]:
    """The first swap that is proved false, if there is one."""
    if made.relation != "=" and len(made.names) > 1 and CONSTANT not in made.names:
        sampler = Sampler(made)
        settings = sampler.settings(sampler.draw(rng, 200))
        inside = np.flatnonzero(np.isfinite(sampler.excess(settings)))
        for name in made.names:
            side = made.box[name]
            tied = side.high < inf or any(name in variables_of(c.below) for c in made.conditions)
            if tied or side.low < 0 or (side.low == 0 and not side.open_low) or name not in variables_of(made.right):
                continue
            for setting in list(round_settings(settings, inside[:TRIED], made))[:TRIED]:
                for factor, power in GROWTH if made.admits(setting) else ():
                    if factor >= side.low and fails_for_every(made, name, setting, factor, power):
                        yield Swap(made, name, setting, factor, power)
                        return


def fails_for_every(made: Inequality, name: str, setting: Setting, factor: int, power: int) -> bool:
    """Whether 2 c right / v <= left is proved at v = factor c^power for all c >= 1, and right is above 0 there."""
    c = variable(CONSTANT)
    at: dict[str, Expression] = {other: number(Fraction(setting[other])) for other in made.names if other != name}
    at[name] = number(factor) * c**power
    left, right = substitute(made.left, at), substitute(made.right, at)
    claim = Inequality(2 * c * right / at[name], left, {"c": FROM_ONE})
    sampler = Sampler(claim)
    tried = {"c": np.array([1.0, 3.0, 1e3, 1e6])} if claim.names else {}
    if not bool((sampler.excess(tried) <= 0).all()) or not tried:
        return False
    return Goal(right, claim.box).is_positive(right) and bool(prove(claim))
