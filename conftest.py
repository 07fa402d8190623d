"""What all tests share: no network, the invented paper for its test alone, and `--touched`: what a change concerns."""

import ast
import hashlib
import inspect
import os
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from types import FunctionType

import pytest

ROOT = Path(__file__).parent
FLATS = ("bounds", "mechanisms", "experiments", "tools")
BEGAN = time.monotonic()

collect_ignore = ["tests/fifth_paper", *(f"tests/conformance/{name}.py" for name in ("others", "mistakes"))]  # papers
collect_ignore_glob = ["*/tools/wild/of_*.py"]  # each is read beside the library that it is about, by `make wild`


def offline(event: str, given: tuple) -> None:
    """An audit hook: a test that reaches beyond this machine fails."""
    if event == "socket.connect" and isinstance(given[1], tuple) and not str(given[1][0]).startswith(("127.", "::1")):
        raise PermissionError(f"a test reaches for the network: {given[1]}")


def pytest_configure(config: pytest.Config) -> None:
    sys.addaudithook(offline)
    config.args = [as_imported(argument, config.invocation_params.dir) for argument in config.args]


def as_imported(argument: str, here: Path) -> str:
    """A path of ours by way of the package, `lemmata/bounds` for `bounds`.

    By the other name pytest would import the module a second time, and every record in it would be made twice.
    """
    path, *inside = argument.split("::")
    full = Path(os.path.normpath(here / path))
    named = full.relative_to(ROOT) if full.is_relative_to(ROOT) else full
    ours = named.parts and named.parts[0] in FLATS
    return "::".join([str(ROOT / "lemmata" / named), *inside]) if ours else argument


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--touched", metavar="REVISION", help="only what the changes since a revision of git concern")
    parser.addoption("--at-most", metavar="N", type=int, help="of these N, others at every commit")
    parser.addoption("--within", metavar="SECONDS", type=float, help="skip what would begin later")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out a file of tests that no change concerns, before it is imported."""
    since = config.getoption("--touched")
    if not since or collection_path.suffix != ".py" or not collection_path.is_relative_to(ROOT):
        return None
    if collection_path.name in ("conftest.py", "__init__.py") or asked(collection_path, since):
        return None
    return None if asks_rows(collection_path) and edited(since) else True


@pytest.hookimpl(trylast=True)  # after the marks have been asked
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of the tests that ask every row, keep the rows whose check, law or statement reaches what has changed."""
    since, most = config.getoption("--touched"), config.getoption("--at-most")
    if since:
        kept = [item for item in items if concerns(item, since)]
        if most:
            drawn = set(sorted((item.nodeid for item in kept), key=lot)[:most])
            kept = [item for item in kept if item.nodeid in drawn]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
        items[:] = kept
    if config.getoption("--within") is not None:
        items.sort(key=lambda item: lot(within(item.path)))  # file by file, others first at every commit


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what begins after the time that a run may take."""
    seconds = item.config.getoption("--within")
    if seconds is not None and time.monotonic() - BEGAN > seconds:
        pytest.skip(f"{seconds:g} seconds are over; another commit draws another order")


def lot(nodeid: str) -> bytes:
    """The place of a test in an order that is another at every commit, and the same for all workers."""
    return hashlib.blake2b(f"{head()} {nodeid}".encode(), digest_size=8).digest()


@cache
def head() -> str:
    """The commit that is checked out."""
    return subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout


def concerns(item: pytest.Item, since: str) -> bool:
    """Whether an item asks about what has changed; a file of tests that has changed is asked as a whole."""
    if not asks_rows(item.path) or within(item.path) in touched(since):
        return asked(item.path, since)
    return any(key in item.name for key in rows(since))


def asked(path: Path, since: str) -> bool:
    """Whether a file has changed, or is of tests that mirror or import one whose code has changed."""
    changed, name = touched(since), within(path)
    if name in changed or not name.startswith("tests/"):
        return name in changed
    mirrored = f"{path.parent.name}/{path.stem.removeprefix('test_')}.py"
    anew = edited(since)
    return any(other.endswith(mirrored) for other in anew) or not imported(path).isdisjoint(map(module, anew))


@cache
def edited(since: str) -> tuple[str, ...]:
    """The files that define something otherwise."""
    return tuple(path for path in touched(since) if defined_anew(path, since) != frozenset())


@cache
def rows(since: str) -> frozenset[str]:
    """The keys of the rows that reach a definition that has changed, and the names of the functions that state them."""
    from lemmata.experiments.conformance import edit
    from lemmata.experiments.engine.claims import registry
    from lemmata.experiments.engine.claims.claim import CLAIMS

    registry.load()
    names, found = {module(path): defined_anew(path, since) for path in edited(since)}, set[str]()

    def differs(function: FunctionType) -> bool:
        anew = names.get(function.__module__, frozenset())
        mine = {function.__qualname__.partition(".")[0], *function.__code__.co_names}
        return anew is None or not anew.isdisjoint(mine)

    for key, claim in CLAIMS.items() if names else ():
        roots = filter(None, (claim.trial, claim.by, claim.theorem.formula))
        if any(map(differs, map(inspect.unwrap, edit.reached(*roots, within=edit.PACKAGES)))):
            found |= {key, claim.theorem.formula.__name__}
    return frozenset(found)


@cache
def defined_anew(path: str, since: str) -> frozenset[str] | None:
    """What a file defines otherwise than a revision did, none for a changed comment; None where that is all of it."""
    before = subprocess.run(["git", "show", f"{since}:{path}"], cwd=ROOT, capture_output=True, text=True)
    if before.returncode or not (ROOT / path).exists():
        return None
    old, new = (definitions(text) for text in (before.stdout, (ROOT / path).read_text(encoding="utf-8")))
    anew = frozenset(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
    return None if "" in anew else anew


def definitions(text: str) -> dict[str, str]:
    """{what a file defines at its top level: its syntax tree}, "" for imports and all that it does beside.

    What the file says of itself at its top defines nothing.
    """
    found, tree = dict[str, str](), ast.parse(text)
    for node in tree.body[ast.get_docstring(tree) is not None :]:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", node)]
        for name in (getattr(target, "name", None) or getattr(target, "id", "") for target in targets):
            found[name] = found.get(name, "") + ast.dump(node)
    return found


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
