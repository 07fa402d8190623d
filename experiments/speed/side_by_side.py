"""Two functions timed in turns, so that a busy machine slows both alike."""

from __future__ import annotations

import time


def ratio(ours, other, rounds=5):
    """Best time of `ours` over best time of `other`, measured alternately; below 1 we are faster."""
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        for i, function in enumerate((ours, other)):
            start = time.perf_counter()
            function()
            best[i] = min(best[i], time.perf_counter() - start)
    return best[0] / best[1]
