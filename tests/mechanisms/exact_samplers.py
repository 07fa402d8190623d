"""What tests of exact samplers share: given words instead of random ones, and the chi-square test of what was drawn."""

import numpy as np
from scipy.stats import chisquare


class Words:
    """A generator whose words, or further digits, are given: a sampler as a function of them."""

    def __init__(self, *drawn):
        self.left = list(drawn)

    def integers(self, *_, size=None, **__):
        return self.left.pop(0) if size is None else np.array([self.left.pop(0) for _ in range(size)], dtype=np.int64)


def fit_pvalue(drawn, places, mass):
    """The chi-square p-value of draws against a law with `mass` at some `places`.

    What is expected five times at most, and what lies elsewhere, is one cell. It has one draw more on both sides, so
    that it may be empty.
    """
    counts, often = np.array([(drawn == place).sum() for place in places]), mass * drawn.size > 5
    seen, expected = counts[often], mass[often] * drawn.size
    rest = drawn.size - seen.sum() + 1, drawn.size - expected.sum() + 1
    return chisquare(np.append(seen, rest[0]), np.append(expected, rest[1])).pvalue
