"""The exponential mechanism, and privacy of finite laws: Definitions 2.1 and 6.1 of Bassily, Mohri &
Suresh.

From finitely many candidates c with scores q(S, c), each of which moves by at most Dq between neighbouring
datasets, release c with probability proportional to exp(epsilon q(S, c) / (2 Dq)). The proofs use two facts
of it without stating them: it is epsilon-DP, and its score is within (2 Dq / epsilon) log(|C| / b) of the
best with probability at least 1 - b.

Relative deviation: how far the risk of any hypothesis can exceed its empirical risk when that is small.

Bassily, Mohri & Suresh (2022), Lemma A.1, cited as Lemma I.2 by Wang, Zhu & Wang (2025), who deduce their Lemma 6.6:

    R_D(h) <= R_S(h) + 2 sqrt(R_S(h) Q) + 4 Q,    Q = (V log(2m) + log(4/beta)) / m,    for all h of H at once,

with probability at least 1 - beta over a sample S of m records. Losses lie in {0, 1}: y h(x) <= 0 in the first paper,
y h(x) < 0 in the second; V is the VC dimension of the sets of errors {(x, y): h errs on (x, y)}. For classifiers, and
for linear functions whatever happens at 0, that is the VC dimension of H (step s0 shows a class where it is not).

*Derivation* of Lemma A.1, for all m >= 1, V >= 0, beta in (0, 1), all distributions and all (permissible) classes. The
paper gives none: it cites Cortes, Greenberg & Mohri (2019, Corollary 7) "and VC-dimension bounds". Let e^2 = 4 Q and
L = m Q = m e^2 / 4 >= log 4.
  s1  If R(h) - R_S(h) > e sqrt(R(h)) then m R(h) > m e^2 >= 4 log 4 > 1, so a ghost sample S' of m records has
      R_S'(h) >= R(h) with probability above 1/4.
  s2  Then R_S'(h) - R_S(h) > e sqrt((R_S(h) + R_S'(h)) / 2).
  s3  Swap the i-th records of S and S' by fair coins. Of a pattern of errors on the 2m records with a errors in all
      and s <= min(a, m) pairs that differ, that happens with probability at most exp(-L - L^2 / (3m)) <= exp(-L).
  s4  There are at most Phi_V(2m) = sum_{i <= V} C(2m, i) patterns (Sauer's lemma), and
      4 Phi_V(2m) exp(-L - L^2 / (3m)) <= beta. Phi_V(2m) <= (2m)^V would do, but is false for V = 1, where the
      second-order term of s3 pays for the missing pattern.
  s5  R - R_S <= 2 sqrt(Q R) gives R <= R_S + 2 sqrt(Q R_S) + 4 Q.
"""

from __future__ import annotations

import numpy as np

from bounds.exact.privacy_curves import hockey_stick_of_masses as hockey_stick
from bounds.papers import BMS22
from bounds.theorem import at_least, positive, theorem

# Definitions ----------------------------------------------------------------------------------------------


@theorem(
    "bms22.def2.1",
    kind="definition",
    says=r"\Pr[\mathcal{A}(S)\in O]\le e^{\varepsilon}\,\Pr[\mathcal{A}(S')\in O]+\delta\quad"
    r"\forall O\subset\mathcal{H},\ S,S'\ \mathrm{differing\ in\ one\ sample}",
    needs=[at_least("epsilon", 0)],
)
def smallest_delta(*, laws, pairs, epsilon):
    """Differential privacy, as the smallest delta of a finite mechanism.

    Over all neighbouring pairs and both orders; the worst event of a pair is {p > e^epsilon q}, so
    delta = max sum_o (p_o - e^epsilon q_o)_+.
    `laws`: probabilities, shape (datasets, outputs). `pairs`: indices of neighbouring datasets, shape
    (pairs, 2).

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
    source=f"{BMS22}, Definition 2.1 with delta = 0",
)
def smallest_epsilon(*, laws, pairs):
    """Pure privacy of a finite mechanism is decided by single outputs.

    P(O) <= e^epsilon Q(O) for every event iff p_o <= e^epsilon q_o for every output: sum over o in O, and
    take O = {o}. `laws`: shape (datasets, outputs); `pairs`: shape (pairs, 2). Infinite if an output is
    possible under one law only.

    >>> float(smallest_epsilon(laws=np.array([[0.75, 0.25], [0.25, 0.75]]), pairs=[(0, 1)]))
    1.0986
    """
    a, b = _both_orders(laws, pairs)
    with np.errstate(divide="ignore"):
        logs = np.where(a > 0, np.log(np.where(a > 0, a, 1.0)) - np.log(b), 0.0)
    return logs.max(initial=0.0)


def _both_orders(laws, pairs):
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
def smallest_label_delta(*, laws, pairs, epsilon):
    """Label privacy: the same inequality over pairs that differ in one label.

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
def label_delta_bound(*, laws, pairs, epsilon):
    """Differential privacy implies label privacy: a changed label is a changed sample.

    The pairs of Definition 6.1 are among those of Definition 2.1, so its smallest delta is at most theirs.
    The converse fails.

    >>> float(label_delta_bound(laws=np.array([[1.0, 0.0], [0.5, 0.5]]), pairs=[(0, 1)], epsilon=0.0))
    0.5
    """
    return smallest_delta(laws=laws, pairs=pairs, epsilon=epsilon)


# Section 2 of bms22: losses -----------------------------------------------------------------------------------------


@theorem(
    "bms22.def.losses",
    kind="definition",
    says=r"\hat R_S(h)=\frac1m\sum_i1_{y_ih(x_i)\le0},\quad\hat R^\rho_S(h)=\frac1m\sum_i1_{y_ih(x_i)\le\rho},\quad"
    r"\ell^\rho(u)=\max\left(1-\frac u\rho,0\right)",
    needs=[positive("rho")],
    source=f"{BMS22}, Section 2",
)
def losses(*, u, rho):
    """The zero-one, margin and hinge losses of one record at u = y h(x)

    (1[u <= 0], 1[u <= rho], max(1 - u/rho, 0)). A tie u = 0 is an error. The margin loss is defined for rho = 0 too.

    >>> losses(u=0.5, rho=1)
    (0, 1, 0.5)
    """
    return int(u <= 0), int(u <= rho), max(1 - u / rho, 0)


@losses.explicit(
    part="margin",
    says=r"1_{u\le0}\le1_{u\le\rho}",
    kind="inequality",
    needs=[at_least("rho", 0)],
    source=f"consequence of the definitions of {BMS22}, Section 2",
)
def margin_loss(*, u, rho):
    """The margin loss is at least the zero-one loss, rho = 0 included"""
    return int(u <= rho)


@losses.explicit(
    part="hinge",
    says=r"1_{u\le0}\le\ell^\rho(u)",
    kind="inequality",
    source=f"consequence of the definitions of {BMS22}, Section 2",
)
def hinge_loss(*, u, rho):
    """The hinge loss is at least the zero-one loss"""
    return max(1 - u / rho, 0)


@losses.explicit(
    part="ramp",
    says=r"\min(1,\ell^\rho(u))\le1_{u\le\rho}",
    kind="inequality",
    source=f"consequence of the definitions of {BMS22}, Section 2",
)
def ramp_loss(*, u, rho):
    """The hinge loss capped at 1 is at most the margin loss; the hinge loss itself is not"""
    return min(1, max(1 - u / rho, 0))


@losses.explicit(
    part="lipschitz",
    says=r"|\ell^\rho(u)-\ell^\rho(v)|\le\frac{|u-v|}\rho",
    kind="inequality",
    source=f"consequence of the definitions of {BMS22}, Section 2",
)
def lipschitz_constant(*, rho):
    """The hinge loss is (1/rho)-Lipschitz"""
    return 1 / rho


@losses.explicit(
    part="origin",
    says=r"\min_{\|w\|\le\Lambda}\hat L^\rho_S(w)\le\hat L^\rho_S(0)=1",
    kind="inequality",
    source=f"consequence of the definitions of {BMS22}, Section 2",
)
def loss_of_zero(*, rho):
    """The smallest empirical hinge loss over a ball is at most 1, whatever the data"""
    return max(1 - 0 / rho, 0)
