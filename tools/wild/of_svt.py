"""Variants of the sparse vector technique, as Lyu, Su & Li (2017) number them; epsilon and sensitivity are 1."""

import numpy as np

from lemmata import PureDP
from lemmata.tools.wild.targets import honest, known

PAPER = "arXiv 1603.01699"
x = np.arange(20) % 2 * 1.0


def counting(x, queries):
    """How many records are above 1/2, beyond half of them: asked, then asked of the others. Each moves by at most 1."""
    above = np.sum(np.asarray(x) > 0.5) - len(x) / 2
    return np.repeat([above, -above], queries // 2)


def svt(answers, rng, threshold, query, cut=np.inf, numeric=False, again=False):
    """Is each answer above the threshold, which is 0? `threshold` and `query` are the scales of the noise."""
    told, rho = [], rng.laplace(scale=threshold)
    for answer in answers:
        noisy = answer + rng.laplace(scale=query) if query else answer
        told.append((noisy if numeric else 1.0) if noisy >= rho else -99.0)
        cut -= told[-1] != -99.0
        rho = rng.laplace(scale=threshold) if again and told[-1] != -99.0 else rho
        if cut <= 0:
            break
    return np.array(told + [99.0] * (len(answers) - len(told)))


@honest("the paper's own: cut-off 1, noise 2 and 4", budget=100_000)
def algorithm_1():
    return lambda x, rng: svt(counting(x, 12), rng, 2.0, 4.0, cut=1), x, PureDP(1.0)


@honest("Dwork & Roth 2014: cut-off 2, the threshold's noise is drawn again", budget=100_000)
def algorithm_2():
    return lambda x, rng: svt(counting(x, 12), rng, 4.0, 8.0, cut=2, again=True), x, PureDP(1.0)


@known(
    PAPER,
    "Roth 2011: the answer that was compared is released",
    line="of_svt.py:22 of_svt.py:23",
    budget=100_000,
    unfound="Who knows both laws needs 20,000 to 54,000 releases in this game (four pairs, two roots), as they differ "
    "only where many answers were below and the number is small, in 8 % of them; our attackers, who have to learn how "
    "long the answers were alike and how small the number was, do not learn it from 300,000",
)
def algorithm_3():
    return lambda x, rng: svt(counting(x, 40), rng, 2.0, 2.0, cut=1, numeric=True), x, PureDP(1.0)


@known(PAPER, "Lee & Clifton 2014: noise that does not grow with the cut-off", line="of_svt.py:22", budget=100_000)
def algorithm_4():
    return lambda x, rng: svt(counting(x, 40), rng, 4.0, 4 / 3, cut=20), x, PureDP(1.0)


@known(PAPER, "Stoddard et al. 2014: no noise on the answers", line="of_svt.py:20 of_svt.py:22", budget=100_000)
def algorithm_5():
    return lambda x, rng: svt(counting(x, 12), rng, 2.0, 0.0), x, PureDP(1.0)


@known(PAPER, "Chen et al. 2015: no cut-off", line="of_svt.py:22", budget=100_000)
def algorithm_6():
    return lambda x, rng: svt(counting(x, 40), rng, 2.0, 2.0), x, PureDP(1.0)
