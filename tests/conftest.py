"""What all tests share: the invented paper is imported by its test alone; `--touched` asks what a change concerns."""

import ast
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FLATS = ("bounds", "mechanisms", "experiments", "tools")

collect_ignore = ["fifth_paper"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--touched", metavar="REVISION", help="only what the changes since a revision of git concern")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out a file of tests that no change concerns, before it is imported."""
    since = config.getoption("--touched")
    if not since or collection_path.suffix != ".py" or not collection_path.is_relative_to(ROOT):
        return None
    changed = touched(since)
    name = within(collection_path)
    if name in changed or asks_rows(collection_path) or collection_path.name in ("conftest.py", "__init__.py"):
        return None
    mirrored = f"{collection_path.parent.name}/{collection_path.stem.removeprefix('test_')}.py"
    if name.startswith("tests/") and any(path.endswith(mirrored) for path in changed):
        return None
    return (
        None if name.startswith("tests/") and imported(collection_path) & {module(path) for path in changed} else True
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of the tests that ask every row, keep the rows whose check, law or statement reaches what has changed."""
    since = config.getoption("--touched")
    if since:
        kept = [item for item in items if concerns(item, touched(since))]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
        items[:] = kept


def concerns(item: pytest.Item, changed: frozenset[str]) -> bool:
    """Whether an item asks about what has changed; a file of tests that has changed is asked as a whole."""
    if not asks_rows(item.path) or within(item.path) in changed:
        return True
    return any(key in item.name for key in rows(changed))


@cache
def rows(changed: frozenset[str]) -> frozenset[str]:
    """The keys of the rows that reach a module that has changed, and the names of the functions that it defines."""
    from lemmata.experiments.conformance import edit
    from lemmata.experiments.engine import registry
    from lemmata.experiments.engine.claim import CLAIMS

    registry.load()
    modules, found = {module(path) for path in changed}, set[str]()
    for key, claim in CLAIMS.items():
        roots = filter(None, (claim.trial, claim.by, claim.theorem.formula))
        if any(function.__module__ in modules for function in edit.reached(*roots, within=edit.PACKAGES)):
            found |= {key, claim.theorem.formula.__name__}
    return frozenset(found)


@cache
def touched(since: str) -> frozenset[str]:
    """The files that differ from a revision, new ones included, relative to the checkout."""
    commands = (["diff", "--name-only", since], ["ls-files", "--others", "--exclude-standard"])
    outputs = [subprocess.run(["git", *c], cwd=ROOT, capture_output=True, text=True) for c in commands]
    if outputs[0].returncode:
        raise pytest.UsageError(f"--touched = {since!r}: {outputs[0].stderr.strip().splitlines()[0]}")
    return frozenset(line for output in outputs for line in output.stdout.splitlines() if line.endswith(".py"))


@cache
def asks_rows(path: Path) -> bool:
    """Whether a file of tests asks every row of the ledger."""
    return path.parent == ROOT / "tests" and path.stem in ("test_verdicts", "test_ties", "test_slips", "test_numbers")


@cache
def imported(path: Path) -> frozenset[str]:
    """The modules that a file names in its imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(names)


def within(path: Path) -> str:
    """Where a file stands in the checkout; `lemmata/bounds` is a link to `bounds`."""
    name = path.relative_to(ROOT).as_posix()
    return name.removeprefix("lemmata/") if name.startswith(tuple(f"lemmata/{flat}/" for flat in FLATS)) else name


def module(path: str) -> str:
    """What a file is imported as."""
    name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return f"lemmata.{name}" if path.split("/")[0] in FLATS else name
