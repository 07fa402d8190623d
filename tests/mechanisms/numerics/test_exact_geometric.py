"""Exact waiting times and numbers of runs: their laws, what is settled in balls, and that chances are exact."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from lemmata.mechanisms.learners.descent import sampled_gd
from lemmata.mechanisms.learners.erm import dp_erm
from lemmata.mechanisms.numerics import exact_geometric
from lemmata.mechanisms.selection import tnb
from tests.mechanisms.exact_samplers import fit_pvalue


class Scripted(np.random.Generator):
    """Hands out the words and halves that it was given, then one half again and again."""

    def __init__(self, words, halves=()):
        super().__init__(np.random.PCG64(0))
        self.words, self.halves, self.asked = list(words), list(halves), 0

    def integers(self, low, high=None, size=None, dtype=np.int64):
        if size is not None:
            return np.array([self.words.pop(0) for _ in range(size)], dtype=dtype)
        self.asked += 1
        return self.halves.pop(0) if self.halves else 2**31 + 1


def chances(law, drawn):
    """p-value of a chi-square test of `drawn` with the chances law(1), law(2), ..., the rest in one cell."""
    return fit_pvalue(drawn, np.arange(1, 12), np.array([law(k) for k in range(1, 12)]))


@pytest.mark.parametrize("rate", [0.9, 0.5, 0.1])
def test_waiting_times_are_geometric(rate):
    """False alarm 1e-4 each; a rate that is off by a tenth is caught."""
    drawn = exact_geometric.draw_waiting_times(np.random.default_rng(1), rate, 40_000)
    assert chances(lambda k: rate * (1 - rate) ** (k - 1), drawn) > 1e-4
    assert chances(lambda k: 0.9 * rate * (1 - 0.9 * rate) ** (k - 1), drawn) < 1e-4


@pytest.mark.parametrize("eta", [-0.5, 0.0, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("r", [0.3, 0.05])
def test_numbers_of_runs_have_their_law(eta, r):
    law = tnb.law(eta=eta, r=r)
    drawn = law.exactly(np.random.default_rng(2), 8000)
    assert chances(lambda k: float(np.exp(law.log_density(k))), drawn) > 1e-4
    other = tnb.law(eta=eta, r=0.7 * r)
    assert chances(lambda k: float(np.exp(other.log_density(k))), drawn) < 1e-4


@pytest.mark.parametrize("rate", [0.5, 0.25, 0.01, 1e-6])
def test_every_time_is_the_floor_by_fractions(rate):
    """(1 - rate)^G < U <= (1 - rate)^(G - 1) for all U that begin as drawn, at the edges of cells and far out."""
    miss, edges = 1 - Fraction(rate), [1, 2**46, 2**47 - 1, 2**47, 2**63 - 2, 2**62]
    edges += [int((1 - rate) ** k * 2.0**63) + off for k in (1, 2, 5, 30) for off in (-(2**12), -1, 1, 2**12)]
    edges = [d for d in edges if 0 < d < 2**63]
    for digits in edges:
        source = Scripted([digits], [2**31 + 1] * 9)
        (time,) = exact_geometric.draw_waiting_times(source, rate, 1).tolist()
        if time > 1000:
            continue
        low, high = Fraction(digits, 2**63), Fraction(digits + 1, 2**63)
        if source.asked:
            low += Fraction(2**31 + 1, 2**95)
            high = low + Fraction(1, 2**95)
        assert miss**time <= high and low <= miss ** (time - 1)


@pytest.mark.parametrize("first, expected", [(2**62 - 1, 2), (2**62, 1)])
def test_a_half_is_decided_by_further_digits(first, expected):
    """U = 1/2 - 2^-63 + ...: at a rate of a half its time is 2, however many ones follow; U = 1/2 + ... has 1."""
    assert exact_geometric.draw_waiting_times(Scripted([first], [2**32 - 1] * 3), 0.5, 1).tolist() == [expected]


@pytest.mark.parametrize("more, expected", [(0, 1), (2**32 - 1, 2)])
def test_a_run_count_is_decided_by_further_digits(more, expected):
    """P(K = 1) = 1/3 of TNB(2, 1/2), which lies between two neighbouring numbers of 63 digits."""
    assert exact_geometric.draw_run_count(Scripted([2**63 // 3], [more]), 2.0, 0.5) == expected


def test_all_zeros_are_drawn_on():
    """U below 2^-95: no logarithm of zero."""
    source = Scripted([0], [0, 3])
    (time,) = exact_geometric.draw_waiting_times(source, 0.5, 1)  # U is between 3 and 4 times 2^-127
    assert time == 126 and source.asked >= 2


def test_an_event_that_is_sure_comes_at_once():
    assert exact_geometric.draw_waiting_times(np.random.default_rng(0), 1.0, 3).tolist() == [1, 1, 1]


def test_exact_batches_hold_their_share():
    rng, n, rate = np.random.default_rng(3), 500, 0.04
    drawn = list(sampled_gd.draw_batches(rng, n, rate, 400, exactly=True))
    counts = np.bincount(np.concatenate(drawn), minlength=n)
    assert len(drawn) == 400 and all((np.diff(one) > 0).all() for one in drawn)
    spread = np.sqrt(400 * rate * (1 - rate))
    assert abs(counts.mean() - 400 * rate) < 5 * spread / np.sqrt(n) and np.abs(counts - 400 * rate).max() < 6 * spread


@pytest.mark.parametrize(
    ("m", "epsilon", "delta", "rounds"), [(500, 1.0, 1e-5, 3), (50, 2.0, 1e-3, 20), (10**5, 0.1, 1e-7, 6)]
)
def test_the_multiplier_of_rounds_is_that_of_floats_proved(m, epsilon, delta, rounds, monkeypatch):
    plain = dp_erm.bounds.tight_multiplier(m, epsilon, delta, rounds)
    assert dp_erm.certified_multiplier(m, epsilon, delta, rounds) == plain
    monkeypatch.setattr(dp_erm.bounds, "tight_multiplier", lambda *_: plain * (1 - 4e-9))
    dp_erm.certified_multiplier.cache_clear()
    mended = dp_erm.certified_multiplier(m, epsilon, delta, rounds)
    dp_erm.certified_multiplier.cache_clear()
    assert plain * (1 - 1e-8) <= mended <= plain * (1 + 1e-8)


def test_chances_of_copies_are_those_of_fractions():
    """Bin(5, 1/5) twice over, exactly: every bound is at most a 2^-40 above."""
    share = Fraction(1, 5)
    once = {j: comb(5, j) * share**j * (1 - share) ** (5 - j) for j in range(6)}
    twice = {}
    for a, p in once.items():
        for b, q in once.items():
            twice[a * a + b * b] = twice.get(a * a + b * b, 0) + p * q
    found, left_out = dp_erm._copies(5, 2, 1e-30)
    assert {total for total, _ in found} == set(twice) and 0 <= left_out < 1e-25
    for total, chance in found:
        assert twice[total] <= Fraction(chance) * (1 + Fraction(1, 2**40)) <= twice[total] * (1 + Fraction(1, 2**39))
