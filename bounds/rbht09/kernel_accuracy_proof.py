"""How the proof of Theorem 14 of Rubinstein et al. 2009 puts its events together.

A is the event of the frequencies (`kernel_accuracy.features_for`), C that of the noise, D that of the theorem.
"""

from lemmata.bounds.theorem import require, theorem

CONDITIONAL = require("0 <= conditional <= 1", lambda conditional: 0 <= conditional <= 1)
EVENT = require("0 <= event <= 1", lambda event: 0 <= event <= 1)
DENSITY = require("p has a density", lambda atoms: not atoms)


@theorem(
    "rbht09.thm14.s2",
    says=r"\Pr(C)=\Pr(C\mid A)",
    needs=[CONDITIONAL],
    source=", proof: event C is independent of A and B",
)
def independent_chance(*, conditional: float, atoms: bool) -> float:
    """The probability that the noise moves f-tilde by at most epsilon/2, if the frequencies do not matter.

    `atoms` says whether frequencies can repeat. The proof needs less: given any frequencies, C has probability at least
    1 - delta/2, so it has this probability given A too.

    Derivation. Let p have a density. Then d-hat frequencies are linearly independent over the rationals, but for
    probability 0, and by Kronecker's theorem the phases <rho_j, x> come near every point of the torus. So the supremum
    over x of the sum of r_j cos(<rho_j, x> - t_j) is the sum of the r_j, whatever the frequencies are.
    """
    return conditional


independent_chance_of_density = independent_chance.corrected(
    says=r"p\ \mathrm{has\ a\ density}\ \Rightarrow\ \Pr(C)=\Pr(C\mid A)", needs=[CONDITIONAL, DENSITY]
)(independent_chance.theorem.formula)


@theorem(
    "rbht09.thm14.s3",
    says=r"\Pr(D)=\Pr(D\mid A)\Pr(A)",
    kind="identity",
    needs=[CONDITIONAL, EVENT],
    source=", proof, last line",
)
def joint_chance(*, conditional: float, event: float) -> float:
    """The probability of D, if it cannot happen without A.

    Derivation. Pr(D) = Pr(D | A) Pr(A) + Pr(D and not A), and the second summand is at least 0: at least, not equal.
    """
    return conditional * event


joint_chance_at_least = joint_chance.corrected(says=r"\Pr(D)\ge\Pr(D\mid A)\Pr(A)", kind="inequality")(
    joint_chance.theorem.formula
)
