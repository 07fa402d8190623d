"""What benchmarks share: two functions timed in turns, how a cost grows, and modules that an old commit may lack."""

import importlib
import os
import sys
import time
import tracemalloc

import numpy as np

QUICK = "LEMMATA_BENCH_QUICK"  # in the environment of a brief run

ENOUGH, ENOUGH_BRIEFLY = 5.0, 0.5  # CPU-seconds, after which no further round begins

GAMMA = 0.5  # the margin of `margin_data`

# CPU seconds: what else the machine does matters less. asv looks for `timer` in the module of a benchmark, so that each
# module imports it.
timer = time.process_time

TICK = 0.005  # CPU-seconds that a sample takes at least: a clock may tick slowly

# Setups here make inputs that no call changes, so a sample is as many calls as take `sample_time`. From 0.3 on asv's
# runner prepares anew for each call, times one call at a time, and has no switch (its issue 1613) but this attribute.
if runner := sys.modules.get("asv_runner.benchmarks.time"):
    runner.TimeBenchmark._setup_isolates_timed_calls = False


def sampled(function, calls):
    """CPU seconds of one call, the mean of so many."""
    start = time.process_time()
    for _ in range(calls):
        function()
    return (time.process_time() - start) / calls


def ratio(ours, other, rounds=5):
    """Best CPU time of `ours` over best of `other`, measured alternately; below 1 we are faster.

    Two rounds at least: the first may load and compile kernels.
    """
    best, calls = [float("inf"), float("inf")], [1, 1]
    began, enough = time.process_time(), ENOUGH_BRIEFLY if os.environ.get(QUICK) else ENOUGH
    for turn in range(rounds):
        if turn > 1 and time.process_time() - began > enough:
            break
        for i, function in enumerate((ours, other)):
            while (spent := sampled(function, calls[i])) * calls[i] < TICK:
                calls[i] *= 2
            best[i] = min(best[i], spent)
    return best[0] / best[1]


def cost(function, rounds=3):
    """(least CPU seconds of a few calls, peak bytes that one allocates)."""
    seconds = min(sampled(function, 1) for _ in range(rounds))
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return seconds, peak


def exponent(sizes, costs):
    """(a, c) of cost = c size^a, by least squares in logarithms.

    >>> exponent([1.0, 2.0, 4.0], [3.0, 12.0, 48.0])
    (2.0, 3.0)
    """
    a, log_c = np.polyfit(np.log(sizes), np.log(costs), 1)
    return round(float(a), 9), round(float(np.exp(log_c)), 9)


def dear(why):
    """In a brief run, skip a setting that takes more than seconds; to be called in `setup`."""
    if os.environ.get(QUICK):
        raise NotImplementedError(f"not in a brief run: {why}")


def module(name, *parts):
    """A module of ours, with all its `parts`; a commit that has none of them skips the benchmark."""
    try:
        found = importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise NotImplementedError(str(error)) from None
    if missing := [part for part in parts if not hasattr(found, part)]:
        raise NotImplementedError(f"{name} has no {', '.join(missing)}")
    return found


def margin_data(n, d):
    """n unit vectors with margin GAMMA in the direction e_1."""
    rest = np.random.default_rng(11).normal(size=(n, d - 1))
    rest *= np.sqrt(1 - GAMMA**2) / np.linalg.norm(rest, axis=1, keepdims=True)
    return np.column_stack([np.full(n, GAMMA), rest])
