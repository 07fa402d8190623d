"""Counts by key: thresholds, categories that the data decides, shapes and orders."""

from collections import Counter
from math import exp, log
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom, norm

from lemmata.experiments.audits.corpus.registry import ADDED, RECORDS, Rng, published, rounded, tidy, two_sided
from lemmata.mechanisms.privacy import ApproxDP, gaussian_mu

TOWNS = pd.DataFrame({"town": list("aaaaaabbbc")})
AB = np.array([0, 0, 1, 1, 1, 2])
PUBLIC = list("abcd")
GEOMETRIC = exp(-4) / (1 + exp(-1))  # that two-sided geometric noise of epsilon = 1 lifts 1 above 4
REPORTS, DUMMIES = 1.0, 40  # epsilon of a local report, and fair bits among which it is hidden


def by_town(frame: Any) -> list[tuple[str, int]]:
    """How many records each town has; a record more or less moves one count by 1."""
    return sorted(Counter(map(str, frame["town"])).items())


@published(
    "google/differential-privacy#101", "keys", ApproxDP(1.0, exp(-2.9) / 2, "add/remove"), TOWNS
)  # a new key has one record, and Laplace noise exceeds 2.9 with chance e^-2.9 / 2
def threshold_cut_to_an_integer(frame: Any, rng: Rng, mended: bool) -> Any:
    """The threshold 3.9 is cut to 3. Mended: it is 3.9."""
    noisy = {key: float(rounded(count + rng.laplace())) for key, count in by_town(frame)}
    return {key: count for key, count in noisy.items() if count > (3.9 if mended else 3)}


@published("opendp/opendp#2922", "keys", ApproxDP(1.0, GEOMETRIC, "add/remove"), TOWNS)
def released_at_the_threshold(frame: Any, rng: Rng, mended: bool) -> Any:
    """Keys are released at 4, and delta is that of more than 4. Mended: above 4."""
    noisy = {key: int(count + two_sided(rng, 1.0)) for key, count in by_town(frame)}
    return {key: count for key, count in noisy.items() if count >= (5 if mended else 4)}


@published("opendp/smartnoise-sdk#204", "keys", ApproxDP(2.0, 0.05, "add/remove"), TOWNS)
def threshold_of_other_noise(frame: Any, rng: Rng, mended: bool) -> Any:
    """The threshold of Laplace noise is used with normal noise. Mended: its own; a known key costs (2, .05) alone."""
    sigma = 1 / gaussian_mu(2.0, 0.05)
    threshold = 1 + sigma * norm.isf(0.05) if mended else 1 - log(2 * 0.05) / 2
    noisy = {key: float(rounded(count + rng.normal(scale=sigma))) for key, count in by_town(frame)}
    return {key: count for key, count in noisy.items() if count > threshold}


@published("alan-turing-institute/reprosyn#38", "keys", ADDED, TOWNS)
def categories_of_the_data(frame: Any, rng: Rng, mended: bool) -> Any:
    """The categories are those that the data has. Mended: they are public, and others are left out."""
    counts = dict(by_town(frame))
    return {key: counts.get(key, 0) + int(two_sided(rng, 1.0)) for key in (PUBLIC if mended else counts)}


@published("FreeMoveProject/dp_mobility_report#21", "keys", ADDED, AB)
def days_that_occur(x: Any, rng: Rng, mended: bool) -> Any:
    """Days without records are missing. Mended: all days are there."""
    days = np.asarray(x, dtype=int) % 7
    return {int(day): int((days == day).sum() + two_sided(rng, 1.0)) for day in (range(7) if mended else set(days))}


@published("sassoftware/dpmm#18", "shape or error", ADDED, AB)
def largest_value_as_domain(x: Any, rng: Rng, mended: bool) -> Any:
    """The domain ends at the largest value of the data. Mended: at 3."""
    counts = np.bincount(np.clip(np.asarray(x, dtype=int), 0, 3), minlength=4 if mended else 0)
    return counts + two_sided(rng, 1.0, len(counts))


@published("opendp/opendp#1826", "position", ADDED, TOWNS[::-1])
def groups_as_they_come(frame: Any, rng: Rng, mended: bool) -> Any:
    """Groups are listed in the order in which they first occur. Mended: in a public one."""
    counts = Counter(map(str, frame["town"]))
    order = PUBLIC if mended else dict.fromkeys([*(key for key in counts if key in PUBLIC), *PUBLIC])
    return {key: int(counts[key] + two_sided(rng, 1.0)) for key in order}


def hidden_among_dummies(epsilon: float) -> float:
    """The exact delta of one bit's report, put into a random order with the dummies: it adds to a binomial number."""
    keep = exp(REPORTS) / (1 + exp(REPORTS))
    ones = binom.pmf(np.arange(-1, DUMMIES + 1), DUMMIES, 0.5)
    one, other = (share * ones[:-1] + (1 - share) * ones[1:] for share in (keep, 1 - keep))
    one, other = (np.append(law, 0.5**DUMMIES * last) for law, last in ((one, keep), (other, 1 - keep)))
    return float(max(np.maximum(p - exp(epsilon) * q, 0).sum() for p, q in ((one, other), (other, one))))


@published("arx-deidentifier/arx#218", "position", ApproxDP(0.25, hidden_among_dummies(0.25)), RECORDS)
def reports_in_their_order(x: Any, rng: Rng, mended: bool) -> Any:
    """Local reports are charged as a shuffle with 40 dummies, and come in the order of the records. Mended: shuffled.

    The other reports are independent of the record, so what hides it is at least the dummies.
    """
    bits = tidy(x) > 0.5
    reports = np.where(rng.random(len(bits)) < exp(REPORTS) / (1 + exp(REPORTS)), bits, ~bits)
    reports = np.concatenate([reports, rng.random(DUMMIES) < 0.5]).astype(int)
    return rng.permutation(reports) if mended else reports
