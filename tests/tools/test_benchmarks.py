"""The benchmarks themselves: what they time, that each of them runs, and that each limit is one of theirs."""

import ast
import importlib
import inspect
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import pytest

import lemmata
from lemmata.tools.speed import benchmarks, limits
from lemmata.tools.speed.benchmarks.side_by_side import QUICK, cost, exponent, module

FOLDER = Path(benchmarks.__file__).parent
NAMES = sorted(path.stem for path in FOLDER.glob("bench_*.py"))


def load(name):
    return importlib.import_module(f"lemmata.tools.speed.benchmarks.{name}")


def kinds(name):
    """The classes that a module of benchmarks defines itself."""
    room = load(name)
    return [kind for kind in vars(room).values() if inspect.isclass(kind) and kind.__module__ == room.__name__]


def test_every_limit_is_one_of_a_benchmark():
    for limit in limits.load_limits():
        name, kind, function = limit.benchmark.split(".")
        measured = getattr(load(name), kind)
        assert callable(getattr(measured, function)) and limit.at_most > 0
        names = getattr(measured, "param_names", ())
        spelled = [
            ", ".join(f"{a} = {b!r}" for a, b in zip(names, combination, strict=True))
            for combination in product(*getattr(measured, "params", ()))
        ]
        assert any(limit.parameters in one for one in spelled), limit


def test_every_public_name_has_a_growth_benchmark_or_no_size():
    """A new name of `lemmata` is measured, or is said to take nothing that grows."""
    public, estimators = load("bench_public"), load("bench_estimators").NAMES
    measured = {*public.FUNCTIONS, *estimators}
    assert measured.isdisjoint([*public.OF_NUMBERS, *public.HELD])
    assert {*measured, *public.OF_NUMBERS, *public.HELD} == set(lemmata.__all__)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_the_benchmarks_can_be_imported_beside_a_wheel(path):
    """asv imports all that stands beside a benchmark, in a virtualenv in which there are neither tools nor tests."""
    for node in ast.parse(path.read_text()).body:
        name = node.module or "" if isinstance(node, ast.ImportFrom) else ""
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [name]
        assert not any(one.startswith(("lemmata.tools", "tests")) for one in names), ast.unparse(node)


@pytest.mark.parametrize("name", NAMES)
def test_seconds_are_of_a_cpu(name):
    """asv's own timer is the wall's, where limits and the page speak of CPU seconds."""
    if any(function.startswith("time_") for kind in kinds(name) for function in dir(kind)):
        assert load(name).timer is time.process_time


SAMPLED = """
from asv_runner.discovery import get_benchmark_from_name
asked = {"sample_time": 0.02, "repeat": (2, 2, 1.0), "warmup_time": 0.0}
benchmark = get_benchmark_from_name(%r, "bench_exact.Inverse.time_epsilon-1", asked)
benchmark.do_setup()
print(benchmark.do_run()["number"])
"""


def test_a_sample_is_many_calls():
    program = [sys.executable, "-c", SAMPLED % str(FOLDER)]
    assert int(subprocess.run(program, capture_output=True, text=True, check=True).stdout) > 1


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_benchmark_runs_at_its_smallest_setting(name, monkeypatch):
    monkeypatch.setenv(QUICK, "1")
    for kind in kinds(name):
        combination = next(product(*getattr(kind, "params", ())))
        for function in (f for f in dir(kind) if f.startswith(("time_", "track_"))):
            benchmark = kind()
            try:
                benchmark.setup(*combination)
            except NotImplementedError as skipped:  # as asv skips it: dear in a brief run, or a peer is missing
                is_peer = str(skipped).startswith("No module named") and "lemmata" not in str(skipped)
                assert is_peer or str(skipped).startswith("not in a brief"), skipped
                continue
            value = getattr(benchmark, function)(*combination)
            getattr(benchmark, "teardown", lambda *_: None)(*combination)
            assert function.startswith("time_") or isinstance(value, float), (kind, function)


@pytest.mark.parametrize(
    "missing", [("lemmata.mechanisms.nothing",), ("lemmata.mechanisms.selection.tnb", "law", "nothing")]
)
def test_a_commit_without_a_core_skips_its_benchmark(missing):
    with pytest.raises(NotImplementedError, match="nothing"):
        module(*missing)


def test_a_cost_is_measured_and_its_growth_fitted():
    seconds, peak = cost(lambda: bytearray(10**6), rounds=1)
    assert seconds < 1 and peak >= 10**6
    assert exponent([1, 10, 100], [2, 20, 200]) == (1.0, 2.0)


def test_asv_finds_every_benchmark_once():
    """A class that is imported into another module of benchmarks would be measured there again."""
    for name in NAMES:
        imported = [thing for thing in vars(load(name)).values() if inspect.isclass(thing)]
        for kind in set(imported) - set(kinds(name)):
            assert not any(function.startswith(("time_", "track_", "peakmem_")) for function in dir(kind)), (name, kind)
