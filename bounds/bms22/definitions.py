"""Definitions 2.1 and 6.1 of Bassily, Mohri & Suresh (2022) on finite laws, and the losses of their Section 2."""

from typing import Any

import numpy as np

from lemmata.bounds.bms22 import BMS22
from lemmata.bounds.exact.numbers import Array, Real
from lemmata.bounds.exact.privacy_curves import hockey_stick_of_masses as hockey_stick
from lemmata.bounds.theorem import at_least, positive, theorem

# Definitions 2.1 and 6.1 ----------------------------------------------------------------------------------------------


@theorem(
    "bms22.def2.1",
    kind="definition",
    says=r"\Pr[\mathcal{A}(S)\in O]\le e^{\varepsilon}\,\Pr[\mathcal{A}(S')\in O]+\delta\quad"
    r"\forall O\subset\mathcal{H},\ S,S'\ \mathrm{differing\ in\ one\ sample}",
    needs=[at_least("epsilon", 0)],
)
def smallest_delta(*, laws: Any, pairs: Any, epsilon: float) -> float:
    """The smallest delta at which a finite mechanism is (epsilon, delta)-DP.

    Over all neighbouring pairs and both orders; the worst event of a pair is {p > e^epsilon q}, so
    delta = max sum_o (p_o - e^epsilon q_o)_+. `laws`: probabilities, shape (datasets, outputs). `pairs`: indices of
    neighbouring datasets, shape (pairs, 2).

    >>> laws = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> float(smallest_delta(laws=laws, pairs=[(0, 1)], epsilon=0.0))
    0.5
    """
    a, b = _both_orders(laws, pairs)
    return hockey_stick(a, b, epsilon).max(initial=0.0)


@smallest_delta.explicit(
    part="pure",
    says=r"\min\{\varepsilon:\ (\varepsilon,0)\mathrm{-DP}\}="
    r"\max_{S\sim S'}\max_{o}\log\frac{\Pr[\mathcal{A}(S)=o]}{\Pr[\mathcal{A}(S')=o]}",
    kind="identity",
    needs=(),
    source=", with delta = 0",
)
def smallest_epsilon(*, laws: Any, pairs: Any) -> float:
    """The smallest epsilon at which a finite mechanism is pure-DP.

    Single outputs decide it.

    Derivation. P(O) <= e^epsilon Q(O) for every event iff p_o <= e^epsilon q_o for every output: sum over o in O, and
    take O = {o}. `laws`: shape (datasets, outputs); `pairs`: shape (pairs, 2). Infinite if an output is possible under
    one law only.

    >>> float(smallest_epsilon(laws=np.array([[0.75, 0.25], [0.25, 0.75]]), pairs=[(0, 1)]))
    1.0986
    """
    a, b = _both_orders(laws, pairs)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(a > 0, np.log(a) - np.log(b), 0.0)
    return logs.max(initial=0.0)


def _both_orders(laws: Any, pairs: Any) -> tuple[Array, Array]:
    laws, pairs = np.asarray(laws, dtype=float), np.asarray(pairs, dtype=int).reshape(-1, 2)
    return laws[np.concatenate([pairs[:, 0], pairs[:, 1]])], laws[np.concatenate([pairs[:, 1], pairs[:, 0]])]


@theorem(
    "bms22.def6.1",
    kind="definition",
    says=r"\Pr[\mathcal{A}(S)\in O]\le e^{\varepsilon}\,\Pr[\mathcal{A}(S')\in O]+\delta\quad"
    r"\forall O\subset\mathcal{H},\ S,S'\ \mathrm{differing\ in\ one\ label\ of\ one\ sample}",
    needs=[at_least("epsilon", 0)],
    source=f"{BMS22}, Definition 6.1 (E.1 in the appendix)",
)
def smallest_label_delta(*, laws: Any, pairs: Any, epsilon: float) -> float:
    """The smallest delta at which a mechanism is (epsilon, delta)-label private.

    Pairs differ in one label.

    `pairs` as `label_pairs` lists them; features are public.

    >>> float(smallest_label_delta(laws=np.array([[1.0, 0.0], [0.5, 0.5]]), pairs=[(0, 1)], epsilon=0.0))
    0.5
    """
    return smallest_delta(laws=laws, pairs=pairs, epsilon=epsilon)


@smallest_label_delta.explicit(
    part="weaker",
    says=r"(\varepsilon,\delta)\mathrm{-DP}\ \Rightarrow\ (\varepsilon,\delta)\mathrm{-label-DP}",
    kind="inequality",
    source=f"{BMS22}, Definitions 2.1 and 6.1",
)
def label_delta_bound(*, laws: Any, pairs: Any, epsilon: float) -> float:
    """Differential privacy implies label privacy, as labels are part of records.

    The pairs of Definition 6.1 are among those of Definition 2.1, so its smallest delta is at most theirs. The converse
    fails.

    Derivation. The smallest delta is the maximum over the pairs and over the events O of P(O) - e^epsilon Q(O). Two
    neighbours that differ in one label differ in one record, so the label pairs are among all pairs, and the maximum
    over fewer pairs is not larger.

    >>> float(label_delta_bound(laws=np.array([[1.0, 0.0], [0.5, 0.5]]), pairs=[(0, 1)], epsilon=0.0))
    0.5
    """
    return smallest_delta(laws=laws, pairs=pairs, epsilon=epsilon)


# Section 2: losses ----------------------------------------------------------------------------------------------------

CONSEQUENCE = f"consequence of the definitions of {BMS22}, Section 2"


@theorem(
    "bms22.def.losses",
    kind="definition",
    says=r"\hat R_S(h)=\frac1m\sum_i1_{y_ih(x_i)\le0},\quad\hat R^\rho_S(h)=\frac1m\sum_i1_{y_ih(x_i)\le\rho},\quad"
    r"\ell^\rho(u)=\max\left(1-\frac u\rho,0\right)",
    needs=[positive("rho")],
    source=f"{BMS22}, Section 2",
)
def losses(*, u: Real, rho: Real) -> tuple[int, int, Real]:
    """The zero-one, margin and hinge losses of one record at u = y h(x).

    (1[u <= 0], 1[u <= rho], max(1 - u/rho, 0)). A tie u = 0 is an error. The margin loss is defined for rho = 0 too.

    >>> losses(u=0.5, rho=1)
    (0, 1, 0.5)
    """
    return int(u <= 0), int(u <= rho), max(1 - u / rho, 0)


@losses.explicit(
    part="margin", says=r"1_{u\le0}\le1_{u\le\rho}", kind="inequality", needs=[at_least("rho", 0)], source=CONSEQUENCE
)
def margin_loss(*, u: Real, rho: Real) -> int:
    """The margin loss of a record is at least its zero-one loss, also at rho = 0.

    Derivation. If u <= 0, then u <= rho because rho >= 0, so the right side is 1; if u > 0, the left side is 0.
    """
    return int(u <= rho)


@losses.explicit(part="hinge", says=r"1_{u\le0}\le\ell^\rho(u)", kind="inequality", source=CONSEQUENCE)
def hinge_loss(*, u: Real, rho: Real) -> Real:
    """The hinge loss of a record is at least its zero-one loss.

    Derivation. If u <= 0, then 1 - u/rho >= 1, which is the left side; if u > 0, the left side is 0 and the hinge loss
    at least 0.
    """
    return max(1 - u / rho, 0)


@losses.explicit(part="ramp", says=r"\min(1,\ell^\rho(u))\le1_{u\le\rho}", kind="inequality", source=CONSEQUENCE)
def ramp_loss(*, u: Real, rho: Real) -> Real:
    """The hinge loss capped at 1 is at most the margin loss.

    The hinge loss itself is not.

    Derivation. If u <= rho, the right side is 1 and the left side at most 1; if u > rho, then 1 - u/rho < 0, so the
    left side is 0.
    """
    return min(1, max(1 - u / rho, 0))


@losses.explicit(
    part="lipschitz", says=r"|\ell^\rho(u)-\ell^\rho(v)|\le\frac{|u-v|}\rho", kind="inequality", source=CONSEQUENCE
)
def lipschitz_constant(*, rho: Real) -> Real:
    """The hinge loss at margin rho is (1/rho)-Lipschitz in the prediction.

    Derivation. The loss is max{a, 0} of a = 1 - u/rho, and |max{a, 0} - max{b, 0}| <= |a - b|, which is |u - v|/rho for
    b = 1 - v/rho.
    """
    return 1 / rho


@losses.explicit(
    part="origin",
    says=r"\min_{\|w\|\le\Lambda}\hat L^\rho_S(w)\le\hat L^\rho_S(0)=1",
    kind="inequality",
    source=CONSEQUENCE,
)
def loss_of_zero(*, rho: Real) -> Real:
    """The least hinge loss over a ball is at most 1, the hinge loss of w = 0.

    Derivation. w = 0 lies in the ball, so the minimum is at most its loss, which is max{1 - 0/rho, 0} = 1 on every
    record, whatever the data.
    """
    return hinge_loss(u=0, rho=rho)
