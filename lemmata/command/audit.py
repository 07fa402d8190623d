"""The command `lemmata audit`: two samplers named on the command line, attacked."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

import click

from lemmata import lab
from lemmata.command.console import Usage, plainly, root_option

REFUTED_BY_AUDIT, NOTHING_LEARNT = 1, 3


@click.command()
@click.argument("sample_a", metavar="MODULE:A")
@click.argument("sample_b", metavar="MODULE:B")
@click.option("--epsilon", type=click.FloatRange(0), help="The epsilon that is claimed.")
@click.option("--delta", type=click.FloatRange(0, 1, max_open=True), help="The delta that is claimed beside it.")
@click.option("--mu", type=click.FloatRange(0, min_open=True), help="Or the mu of Gaussian privacy.")
@click.option(
    "--neighbours", type=click.Choice(["replace", "add/remove", "label"]), default="replace", show_default=True
)
@click.option("--group", type=click.IntRange(1), default=1, help="The datasets differ in so many records.")
@click.option(
    "--budget", type=click.IntRange(128), default=100_000, show_default=True, help="Releases to draw at most."
)
@click.option("--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=1e-10, show_default=True)
@click.option("--bits", is_flag=True, help="Judge every bit of a release, not the release over the reals.")
@click.option("--json", "as_json", is_flag=True, help="The machine's interface.")
@click.option("--plot", type=click.Path(dir_okay=False), metavar="FILE", help="Draw how the evidence grew.")
@root_option
@plainly()
def audit(
    sample_a: str,
    sample_b: str,
    epsilon: float | None,
    delta: float | None,
    mu: float | None,
    neighbours: str,
    group: int,
    budget: int,
    level: float,
    bits: bool,
    as_json: bool,
    plot: str | None,
    root: int,
) -> None:
    """Attack a mechanism: its releases on each of two neighbouring datasets.

    MODULE:A and MODULE:B name laws, functions (rng, size) that return `size` independent releases, or arrays of
    releases; a release may be anything. A complete example is a file noisy.py

    \b
        def a(rng, size): return rng.laplace(0, 1, size)      # a count of 0
        def b(rng, size): return rng.laplace(1, 1, size)      # one record more

    \b
        lemmata audit noisy:a noisy:b --epsilon 1          # survives
        lemmata audit noisy:a noisy:b --epsilon 0.5        # REFUTED

    Exit status 0 if it survives (with what would have been caught), 1 if it is REFUTED, 2 for bad usage, 3 if nothing
    was learnt: the budget is too small, or no attacker told the datasets apart.
    """
    if (epsilon is None) == (mu is None):
        raise Usage("--epsilon and --mu: give exactly one of them")
    if mu is not None and delta is not None:
        raise Usage(f"--delta = {delta}: it goes with --epsilon, not with --mu")
    if epsilon == 0 and not delta:
        raise Usage("--epsilon = 0 is outside (0, inf) without --delta")
    for option, value in (("--epsilon", epsilon), ("--mu", mu)):
        if value is not None and not value < float("inf"):
            raise Usage(f"{option} = {value} is outside (0, inf)")
    draw = drawing() if plot else None
    sys.path.insert(0, os.getcwd())
    samples = {path: imported(path) for path in dict.fromkeys((sample_a, sample_b))}
    from lemmata.mechanisms.audit import game
    from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP

    claim: PureDP | ApproxDP | GaussianDP
    if mu is not None:
        claim = GaussianDP(mu, neighbours)
    elif epsilon is not None:
        claim = ApproxDP(epsilon, delta, neighbours) if delta else PureDP(epsilon, neighbours)
    pair = samples[sample_a], samples[sample_b]
    try:
        with progress_of(budget) as progress:
            result = game.audit(
                *pair, claim, root=root, budget=budget, level=level, records=group, bits=bits, progress=progress
            )
    except Exception as error:  # whatever somebody else's function does is no fault of this program
        problem = f"{type(error).__name__}: {error}".splitlines()[0]
        raise Usage(f"{sample_a} or {sample_b} cannot be attacked ({problem})") from None
    if draw:
        draw(result, level, plot)
    click.echo(json.dumps(result.as_json(), indent=1, ensure_ascii=False) if as_json else result)
    sys.exit({"": REFUTED_BY_AUDIT, "AUDIT_ONLY": 0}.get(result.reason, NOTHING_LEARNT))


def drawing() -> Callable[..., None]:
    """What draws the picture of an audit, before anything is drawn from the samplers: it may not be installed."""
    try:
        from lemmata.experiments.audits.picture import draw
    except ImportError as error:
        if needed := lab.missing("--plot", error):
            raise Usage(needed) from None
        raise
    return draw


@contextlib.contextmanager
def progress_of(budget: int) -> Iterator[Callable[[int, float], None] | None]:
    """A bar on stderr, if there is a terminal, for (releases so far, log10 of the evidence)."""
    if not sys.stderr.isatty():
        yield None
        return

    def evidence(log10_e: float | None) -> str:
        return "" if log10_e is None else f"log10 e = {log10_e:.1f}"

    with click.progressbar(length=budget, file=sys.stderr, show_pos=True, item_show_func=evidence) as bar:
        yield lambda releases, log10_e: bar.update(releases - bar.pos, log10_e)


def imported(path: str) -> Any:
    """The object that MODULE:FUNCTION names."""
    module, _, name = path.partition(":")
    try:
        return getattr(importlib.import_module(module), name)
    except Exception as error:  # the module is somebody else's and may raise anything
        raise Usage(f"MODULE:FUNCTION = {path!r} cannot be imported ({type(error).__name__}: {error})") from None
