"""The exponential mechanism, and privacy of finite laws: Definitions 2.1 and 6.1 of Bassily, Mohri &
Suresh.

From finitely many candidates c with scores q(S, c), each of which moves by at most Dq between neighbouring
datasets, release c with probability proportional to exp(epsilon q(S, c) / (2 Dq)). The proofs use two facts
of it without stating them: it is epsilon-DP, and its score is within (2 Dq / epsilon) log(|C| / b) of the
best with probability at least 1 - b.
"""

from __future__ import annotations

import itertools

import numpy as np

from bounds.gdp import hockey_stick
from bounds.theorem import at_least, in_unit_interval, integer, positive, theorem

BMS22 = "Bassily, Mohri & Suresh 2022"


# Definitions ----------------------------------------------------------------------------------------------


@theorem(
    "bms22.def2.1",
    kind="definition",
    says=r"\Pr[\mathcal{A}(S)\in O]\le e^{\varepsilon}\,\Pr[\mathcal{A}(S')\in O]+\delta\quad"
    r"\forall O\subset\mathcal{H},\ S,S'\ \mathrm{differing\ in\ one\ sample}",
    needs=[at_least("epsilon", 0)],
    source=f"{BMS22}, Definition 2.1",
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


@theorem(
    "bms22.def2.1",
    part="pure",
    reading="explicit",
    kind="identity",
    says=r"\min\{\varepsilon:\ (\varepsilon,0)\mathrm{-DP}\}="
    r"\max_{S\sim S'}\max_{o}\log\frac{\Pr[\mathcal{A}(S)=o]}{\Pr[\mathcal{A}(S')=o]}",
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


def replace_pairs(universe, m):
    """All datasets of m records from a finite universe, and the pairs that differ in one record.

    `universe`: a list of records. Returns (datasets, pairs): a list of tuples of positions in `universe`,
    and positions of neighbours in that list, each unordered pair once.

    >>> [len(x) for x in replace_pairs("abc", 2)]
    [9, 18]
    """
    datasets = list(itertools.product(range(len(universe)), repeat=m))
    pairs = [
        (i, j)
        for (i, a), (j, b) in itertools.combinations(enumerate(datasets), 2)
        if sum(x != y for x, y in zip(a, b, strict=True)) == 1
    ]
    return datasets, pairs


def label_pairs(universe, m):
    """As `replace_pairs`, for records (x, y): only the pairs whose one differing record keeps its x."""
    datasets, pairs = replace_pairs(universe, m)

    def same_features(pair):
        a, b = datasets[pair[0]], datasets[pair[1]]
        return all(universe[i][0] == universe[j][0] for i, j in zip(a, b, strict=True))

    return datasets, [pair for pair in pairs if same_features(pair)]


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


@theorem(
    "bms22.def6.1",
    part="weaker",
    reading="explicit",
    kind="inequality",
    says=r"(\varepsilon,\delta)\mathrm{-DP}\ \Rightarrow\ (\varepsilon,\delta)\mathrm{-label-DP}",
    needs=[at_least("epsilon", 0)],
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


# What the proof of Theorem 3.1 uses -----------------------------------------------------------------------


@theorem(
    "bms22.thm3.1.em-privacy",
    parent="bms22.thm3.1",
    kind="privacy",
    says=r"\Pr[c]\propto\exp\left(\frac{\varepsilon\,q(S,c)}{2\Delta_q}\right),\ "
    r"\max_{S\sim S'}\max_c|q(S,c)-q(S',c)|\le\Delta_q\ \Rightarrow\ \varepsilon\mathrm{-DP}",
    needs=[positive("epsilon")],
    source=f"{BMS22}, proof of Theorem 3.1: the exponential mechanism is an epsilon-differentially private mechanism",
)
def selection_epsilon(*, epsilon):
    """The exponential mechanism is epsilon-DP.

    Derivation. With s = epsilon / (2 Dq), log p(c) - log p'(c) = s (q(c) - q'(c)) + log(Z' / Z). The first
    term is at most s Dq = epsilon / 2 by the sensitivity; every summand of Z' is at most e^{s Dq} times
    that of Z, so the second is too. The factor 2 cannot be saved: given p, the ratio is largest where c's
    score moves by Dq one way and all others the other way (p' rises in q'(c) and falls in the rest), and
    there it tends to epsilon as p(c) -> 0 (`worst_log_ratio`). A random projection drawn independently of S
    is public: it holds for each of its values.

    >>> selection_epsilon(epsilon=0.5)
    0.5
    """
    return epsilon


def worst_log_ratio(weight, epsilon):
    """The largest log-ratio at a candidate of probability `weight` whose score rises by Dq while all others
    fall.

    log p'(c) - log p(c) = epsilon / 2 - log(w e^{epsilon / 2} + (1 - w) e^{-epsilon / 2}), decreasing in w,
    from epsilon to 0.

    >>> round(float(worst_log_ratio(0.5, 1.0)), 6)
    0.379885
    """
    return epsilon / 2 - np.logaddexp(np.log(weight) + epsilon / 2, np.log1p(-weight) - epsilon / 2)


@theorem(
    "bms22.thm3.1.em-accuracy",
    parent="bms22.thm3.1",
    kind="tail",
    says=r"m\ge\frac{4\log(4|\mathcal{C}|/\beta)}{\varepsilon\alpha}\ \Rightarrow\ "
    r"\Pr\left[\hat{R}(\tilde{w})>\hat{R}(\hat{w})+\alpha\right]\le\frac{\beta}{4}",
    needs=[integer("candidates"), positive("epsilon"), integer("m"), in_unit_interval("beta")],
    source=f"{BMS22}, proof of Theorem 3.1, before equation (9), (8) in the appendix",
)
def printed_excess(*, candidates, epsilon, m, beta):
    """The exponential mechanism on empirical risks: the excess that has probability at most beta / 4.

    Scores are -R, of sensitivity 1/m. `candidates`: |C|. The printed condition on m, solved for alpha: 4
    log(4 |C| / beta) / (epsilon m), twice what is needed (the explicit reading at b = beta / 4), so its
    failure probability is at most about (beta / 4)^2 / |C|.

    >>> round(float(printed_excess(candidates=100, epsilon=1.0, m=1000, beta=0.1)), 6)
    0.033176
    """
    return 4 * np.log(4 * candidates / beta) / (epsilon * m)


@theorem(
    "bms22.thm3.1.em-accuracy",
    parent="bms22.thm3.1",
    reading="explicit",
    kind="tail",
    says=r"\Pr\left[q(\tilde{c})<\max_c q(c)"
    r"-\frac{2\Delta_q}{\varepsilon}\log\frac{|\mathcal{C}|}{\beta}\right]\le\beta",
    needs=[integer("candidates"), positive("epsilon"), positive("sensitivity"), in_unit_interval("beta")],
    source="McSherry & Talwar 2007; Dwork & Roth 2014, Theorem 3.11",
)
def selection_excess(*, candidates, epsilon, sensitivity, beta):
    """How far below the best score the exponential mechanism selects, in normal form.

    Derivation. Let B be the set of candidates more than a below the best. Each weighs less than x =
    e^{-epsilon a / (2 Dq)} times the best, which is not in B, so P(B) < |B| x / (|B| x + 1) <= (K - 1) x /
    ((K - 1) x + 1) with K candidates: the worst scores have two levels, one candidate at the top and the
    others just below the threshold. At a = (2 Dq / epsilon) log(K / beta), x = beta / K, and P(B) / beta <
    (1 - 1/K) / (1 + (1 - 1/K) beta) < 1; it tends to 1 as K -> inf and beta -> 0, so nothing can be saved.

    >>> round(float(selection_excess(candidates=100, epsilon=1.0, sensitivity=0.001, beta=0.1)), 6)
    0.013816
    """
    return 2 * sensitivity / epsilon * np.log(candidates / beta)


def two_level_failure(candidates, excess, epsilon, sensitivity):
    """P(more than `excess` below the best) if one candidate is best and all others lie just below the
    threshold.

    >>> round(float(two_level_failure(2, 0.0, 1.0, 1.0)), 6)
    0.5
    """
    x = (candidates - 1) * np.exp(-epsilon * np.asarray(excess) / (2 * sensitivity))
    return x / (1 + x)
