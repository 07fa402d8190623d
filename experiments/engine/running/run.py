"""One run: claims become cells, cells become chunks, chunks go to the store as they arrive.

`schedule` hands out chunks without rounds; workers compute them; the parent folds in index order and stops a cell at
its verdict. Kill it at any moment and start again: it continues where it stopped.
"""

import contextlib
import copy
import functools
import itertools
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from flint import ctx

from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import Claim, Setting
from lemmata.experiments.engine.claims.verdict import Verdict
from lemmata.experiments.engine.ground.deadline import HUNG, cpu_seconds, deadline
from lemmata.experiments.engine.ground.profiles import TIMES, cross_settings
from lemmata.experiments.engine.ground.progress import progress_bar
from lemmata.experiments.engine.running import costs, workers
from lemmata.experiments.engine.running.cell import SEARCH
from lemmata.experiments.engine.running.isolation import compute_apart
from lemmata.experiments.engine.running.schedule import Job, Pool, Result, Schedule, run_schedule
from lemmata.experiments.engine.running.store import Chunk, Store
from lemmata.experiments.engine.search import search
from lemmata.mechanisms.numerics.streams import LEDGER_ROOT, generator


class Fault(Exception):
    """The run cannot go on, through nobody's mistake; the message is one line, and stored work is kept."""


PRECISION = 53  # bits of a ball at the beginning of every chunk
CELLS = 100_000  # of one run: all are held to its end, at 5 kB each and up to 9 kB of trial values, 1.4 GB in all


def compute_chunk(key: str, *chunk: Any, limit: float = HUNG) -> Result:
    """One chunk, in a worker. Returns a `Chunk`, or the text of what it raised, after `limit` CPU seconds at most."""
    return compute_apart(_compute_chunk, key, *chunk, limit=limit)


def _compute_chunk(
    key: str,
    setting: Setting,
    stream: str,
    index: int,
    root: int,
    factor: float,
    size: int,
    *,
    limit: float,
) -> Result:
    """One chunk, here."""
    claim = registry.find(key)
    assert claim is not None, f"{key} is handed out and not registered here"
    rng = generator(root, key, setting, stream, index)
    digest = rng.bytes(16)
    start, spent = time.perf_counter(), cpu_seconds()

    def run_trial(*drawn: Any) -> Any:
        chunk = {"root": root, "stream": stream, "index": index}
        return claim.trial(*drawn, **claim.arguments(copy.deepcopy(setting), factor, **chunk))

    try:
        within = contextlib.nullcontext() if stream == SEARCH else deadline(limit)  # a search limits each evaluation
        with within, ctx.workprec(PRECISION):  # whatever this process computed before
            payload: Any
            if stream == SEARCH:
                payload = search.search(claim, rng, size)
            elif (decider := claim.decider(setting, factor)) is None:
                payload = run_trial()
                if not isinstance(payload, Verdict):
                    got = type(payload).__name__
                    raise TypeError(f"An exact check must return a Verdict (holds(...), refuted(...)), got {got}")
            else:
                before = copy.deepcopy(rng)
                outcomes = run_trial(rng, size)
                payload = decider.pack(outcomes)
                if claim.style != "attack" and len(outcomes) != size:  # who leaves some out may have chosen which
                    raise ValueError(f"a trial must return size = {size} outcomes, got {len(outcomes)}")
                decider.add(payload)  # raises here what would raise when folding, before anything is stored
                # One chunk a setting of a quick run is enough, and costs it two CPU seconds in all.
                repeated = (stream, index) == ("main", 0) and setting in claim.quick
                if repeated and not np.array_equal(outcomes, run_trial(copy.deepcopy(before), size)):
                    raise ValueError(
                        "a trial must repeat itself from one state of its rng, got two results; "
                        "take all randomness from rng, and none from np.random, a clock or an id"
                    )
                if repeated and claim.style != "attack" and size > 1 and _draws_once(run_trial, before, rng):
                    raise ValueError(
                        f"a trial must draw for each of its outcomes, and this one draws as much for 1 as for {size}"
                    )
                if claim.style != "attack" and _untouched(before, rng) and len(set(np.ravel(outcomes))) > 1:
                    raise ValueError(
                        "a trial must draw from its rng, and this one never does, so no seed reproduces it"
                    )
    except (Exception, SystemExit, GeneratorExit) as error:  # a check that exits is one of many: the run is not over
        return f"{type(error).__name__}: {error}"
    return Chunk(payload, time.perf_counter() - start, digest, cpu_seconds() - spent)


def _untouched(before: np.random.Generator, rng: np.random.Generator) -> bool:
    """Whether nobody has drawn from a generator, or made another of it, since it was copied; draws from it."""
    children = [getattr(one.bit_generator.seed_seq, "n_children_spawned", 0) for one in (before, rng)]
    return children[0] == children[1] and before.bytes(16) == rng.bytes(16)


def _draws_once(run_trial: Callable[..., Any], before: np.random.Generator, after: np.random.Generator) -> bool:
    """Whether a trial for one outcome leaves its generator where a trial for many has left it, having drawn from it."""
    alone = copy.deepcopy(before)
    try:
        run_trial(alone, 1)
    except Exception:  # a trial may need more than one outcome
        return False
    ends = [repr(one.bit_generator.state) for one in (before, alone, after)]
    return ends[0] != ends[1] == ends[2]


def plan_claims(claims: Iterable[Claim], profile: str) -> dict[str, tuple[int, float]]:
    """(cells, planned core-seconds) of each claim: chunks x trials x measured cost, controls included; nothing runs.

    Of a deep run the part of it that was measured (`costs.deep_share`).
    """
    planned = {}
    for claim in claims:
        seconds = [
            costs.plan_cell(claim, setting, TIMES[profile]) for setting in costs.planned_settings(claim, profile)
        ]
        planned[claim.key] = len(seconds), sum(seconds) * costs.deep_share(claim, profile)
    return planned


def check_size(claims: Iterable[Claim], profile: str) -> None:
    """Raise `Fault` for more cells than one run holds, before any is made."""
    named = (claim.quick if profile == "quick" else claim.quick + claim.full for claim in claims)
    cells = (cell for own in named for cell in itertools.chain(own, cross_settings(own) if profile == "deep" else ()))
    if any(True for _ in itertools.islice(cells, CELLS, None)):
        raise Fault(
            f"--profile {profile} has more than {CELLS:,} cells, which need over a gigabyte; run a paper, a module "
            "or a statement at a time, into one store"
        )


DECIDES = {  # by what a cell of a claim is
    "exact": "checks without sampling: a case that fails refutes, else so many settings are tested",
    "tail": "probabilities: whether truth / bound is below 1, and its interval",
    "mean": "expectations: the same",
    "rate": "rates: the same, of a registered exponent",
    "attack": "attacks on our code: how close they come, and the smallest leak that they would catch",
}


def format_plan(claims: Sequence[Claim], profile: str) -> str:
    """Cells and planned core-seconds a module, and a line for each kind of claim: what its cells decide."""
    groups: dict[str, list[tuple[int, float]]] = {}
    planned = plan_claims(claims, profile)
    for claim in claims:
        for name in (registry.module_of(claim), DECIDES[claim.style], "all"):
            groups.setdefault(name, []).append(planned[claim.key])
    modules = [name for name in groups if name not in (*DECIDES.values(), "all")]
    kinds = [name for name in DECIDES.values() if name in groups]
    caps = "as drawn cells took" if profile == "deep" and costs.read_deep_ratios() else "if every cell goes to its cap"
    lines = [f"{'':32} {'cells':>9} core-seconds, {caps}"]
    for name in (*modules, *kinds, *(["all"] if groups else [])):
        cells, seconds = map(sum, zip(*groups[name], strict=True))
        lines.append(
            f"{name:32} {cells:9,} {seconds:12,.1f}" if name in modules else f"{cells:42,} {seconds:12,.1f}  {name}"
        )
    return "\n".join(lines)


def open_pool(jobs: int, dask: str | None, running: Iterable[Job], limit: float) -> AbstractContextManager[Pool]:
    """Where the chunks of a run are computed: here, in `jobs` processes, or on the cluster at `dask`."""
    compute = functools.partial(compute_chunk, limit=limit)
    codes = {job.claim.key: job.code for job in running}
    if dask:
        from lemmata.experiments.engine.running import cluster  # which looks at all that workers have to agree in

        return cluster.open_pool(compute, dask, codes)
    return workers.open_pool(compute, jobs, codes)


def execute(
    claims: Iterable[Claim],
    store: Store,
    *,
    root: int = LEDGER_ROOT,
    profile: str = "quick",
    jobs: int = 1,
    dask: str | None = None,
    progress: bool = False,
    limit: float = HUNG,
) -> list[Job]:
    """Decide `claims`; every chunk goes to `store`. Returns the jobs. Raises `Fault`."""
    claims = list(claims)
    check_size(claims, profile)
    running = [Job(claim, root, profile, store) for claim in claims]

    def show(decided: int) -> None:
        first = next((job.claim.key for job in running if not job.done), "")
        shown.set_postfix_str(first, refresh=False)  # so that a check without an end is seen by its name
        shown.update(decided)

    with progress_bar(total=len(running), unit="claim", disable=None if progress else True) as shown:
        show(sum(job.done for job in running))
        shown.refresh()
        try:
            with open_pool(jobs, dask, running, limit) as pool:
                run_schedule(Schedule(running, store.costs()), pool, lambda job: show(1))
        except workers.WorkersLost as error:
            raise Fault(f"{error}; finished results are stored, run it again") from None
    for job in running:
        store.mark_done(job.claim.key, job.code, root, profile)
    return running
