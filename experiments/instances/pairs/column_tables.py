"""Tables that differ in one record, for counts of columns, and what an attack sees of them."""

from dataclasses import dataclass

import numpy as np

from lemmata.mechanisms.tables import column_ranges

EXTREME = (0.0, -0.0, 1.0, -1.0, 5e-324, 1e-300, 2.0**-64, 0.99, 1e6, 1e100, 1.7e308, np.inf, -np.inf, np.nan)


def neighbours(n, d):
    """Pairs of tables that differ in one record: extreme entries, equal and alternating ones."""
    draw = np.random.default_rng(n + d)
    table = draw.normal(size=(n, d)) * 10.0 ** draw.integers(-30, 30, size=d)
    for value in EXTREME:
        for other in (1.5, value):
            replaced = table.copy()
            replaced[0] = np.where(np.arange(d) % 2 == 0, value, other)
            yield value, table, replaced


@dataclass(frozen=True)
class FirstCounts:
    """The first release of a search, as an attack sees it."""

    law: column_ranges.ColumnRangesLaw

    def sample(self, rng, size=1):
        """Shape (size, d 417)."""
        return self.law.first_counts(rng, size).reshape(size, -1)

    def log_density(self, releases):
        """Up to a constant that both datasets share, and up to the rounding to the grid."""
        standard = (releases - column_ranges.count_octaves(self.law.X).ravel()) / self.law.sigma
        return -(standard**2).sum(axis=1) / 2
