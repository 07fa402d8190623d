"""One run: claims become cells, cells become chunks, chunks go to the store as they arrive.

`schedule` hands out chunks without rounds; workers compute them; the parent folds in index order and stops a cell at
its verdict. Kill it at any moment and start again: it continues where it stopped.
"""

import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager

from flint import ctx
from tqdm import tqdm

from lemmata.bounds.library import library
from lemmata.experiments.engine import costs, registry, workers
from lemmata.experiments.engine.claim import Claim, Setting
from lemmata.experiments.engine.deadline import HUNG, cpu_seconds, deadline
from lemmata.experiments.engine.schedule import Job, Pool, Result, Schedule, drive
from lemmata.experiments.engine.store import Chunk, Store
from lemmata.mechanisms.streams import LEDGER_ROOT, generator


class Fault(Exception):
    """The run cannot go on, through nobody's mistake; the message is one line, and stored work is kept."""


PRECISION = 53  # bits of a ball at the beginning of every chunk


def compute(
    key: str,
    setting: Setting,
    stream: str,
    index: int,
    root: int,
    factor: float,
    size: int,
    brought: Iterable[tuple[str, str]] = (),
) -> Result:
    """One chunk, in a worker, of the papers that are `brought`. Returns a `Chunk`, or the text of what it raised."""
    for folder, package in brought:
        library.add(folder, package)
    claim = registry.find(key)
    assert claim is not None, f"{key} is handed out and not registered here"
    rng = generator(root, key, setting, stream, index)
    digest = rng.bytes(16)
    start, spent = time.perf_counter(), cpu_seconds()
    arguments = claim.arguments(setting, factor, root=root, stream=stream, index=index)
    try:
        with deadline(HUNG), ctx.workprec(PRECISION):  # whatever this process computed before
            decider = claim.decider(setting, factor)
            if decider is None:
                payload = claim.trial(**arguments)
            else:
                payload = decider.pack(claim.trial(rng, size, **arguments))
                decider.add(payload)  # raises here what would raise when folding, before anything is stored
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return Chunk(payload, time.perf_counter() - start, digest, cpu_seconds() - spent)


def plan(claims: Iterable[Claim], profile: str) -> dict[str, float]:
    """Planned core-seconds of each claim, by arithmetic: chunks x trials x measured cost, controls included."""
    return {claim.key: sum(costs.of_cell(claim, s) for s in costs.planned(claim, profile)) for claim in claims}


def planned_table(claims: Sequence[Claim], profile: str) -> str:
    """Planned core-seconds a module and in all."""
    by_module: dict[str, float] = {}
    for claim, seconds in zip(claims, plan(claims, profile).values(), strict=True):
        module = registry.module_of(claim)
        by_module[module] = by_module.get(module, 0.0) + seconds
    lines = [f"{module:32} {value:9.1f}" for module, value in by_module.items()]
    return "\n".join([*lines, f"{'all':32} {sum(by_module.values()):9.1f}  core-seconds at the caps"])


def pool_of(jobs: int, dask: str | None, running: Iterable[Job]) -> AbstractContextManager[Pool]:
    """Where the chunks of a run are computed: here, in `jobs` processes, or on the cluster at `dask`."""
    if dask:
        from lemmata.experiments.engine import cluster  # which looks at all that workers have to agree in

        return cluster.pool_of(compute, dask, {job.claim.key: job.code for job in running})
    return workers.pool_of(compute, jobs)


def execute(
    claims: Iterable[Claim],
    store: Store,
    *,
    root: int = LEDGER_ROOT,
    profile: str = "quick",
    jobs: int = 1,
    dask: str | None = None,
    progress: bool = False,
) -> list[Job]:
    """Decide `claims`; every chunk goes to `store`. Returns the jobs."""
    running = [Job(claim, root, profile, store) for claim in claims]
    with tqdm(total=len(running), unit="claim", file=sys.stderr, disable=None if progress else True) as bar:
        bar.update(sum(job.done for job in running))
        try:
            with pool_of(jobs, dask, running) as pool:
                drive(Schedule(running, store.costs()), pool, lambda job: bar.update())
        except workers.Lost as error:
            raise Fault(f"{error}; what was finished is stored, run it again") from None
    for job in running:
        store.mark_done(job.claim.key, job.code, root, profile)
    return running
