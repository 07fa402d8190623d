"""Which tests concern a change: those that executed what has changed, when all of them were recorded last.

`make record` runs all tests of `make test` and writes the functions of this repository that each executed, and its
seconds, into `executed.json.xz`. `pytest --touched REVISION` then asks the tests that executed a definition that
differs from the revision. It also asks the tests marked `record` (the dear ones where they executed a changed file),
the rows that reach a changed formula, changed files of tests, and tests that are younger than the record and import
what has changed.

A function that a cache answers is executed by the first test of a process only. So what a row reaches is read from
its code as well (`rows`), and the tests marked `record` compare every statement with its committed digest.
"""

import ast
import inspect
import json
import lzma
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest

from lemmata import HOME

ROOT = Path(__file__).parents[1]
FLATS = ("bounds", "mechanisms", "experiments", "tools")
FILE = Path(__file__).with_name("executed.json.xz")
UNKNOWN = 0.1  # seconds that a test takes of which the record has none
DEAR = 1.0  # seconds; a dearer test marked `record` is asked where it executed a file that has changed
CASES = 3  # of one test before other tests have their turn: what all cases reach is seldom noticed by each of them
ROWS = ("test_verdicts", "test_ties", "test_slips", "test_numbers")  # files whose tests ask every row of the ledger


# Names of files, modules and definitions ------------------------------------------------------------------------------


def within(path: Path) -> str:
    """The place of a file in the checkout; `lemmata/bounds` is a link to `bounds`."""
    name = path.relative_to(ROOT).as_posix()
    return name.removeprefix("lemmata/") if name.startswith(tuple(f"lemmata/{flat}/" for flat in FLATS)) else name


def module(path: str) -> str:
    """The name under which a file is imported."""
    name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return f"lemmata.{name}" if path.split("/")[0] in FLATS else name


def definitions(text: str) -> dict[str, str]:
    """{each definition of a file, a method as `Class.method`: its syntax tree}; "" for imports and other statements.

    Docstrings, comments and layout define nothing.
    """
    found: dict[str, str] = {}
    tree = ast.parse(text)
    for node in tree.body[ast.get_docstring(tree) is not None :]:
        if isinstance(node, ast.ClassDef):
            own = [one for one in node.body if isinstance(one, ast.FunctionDef)]
            node.body = [one for one in node.body if one not in own]
            found |= {f"{node.name}.{one.name}": _dump(one) for one in own}
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", node)]
        for name in (getattr(target, "name", None) or getattr(target, "id", "") for target in targets):
            found[name] = found.get(name, "") + _dump(node)
    return found


def _dump(node: ast.AST) -> str:
    documented = isinstance(node, ast.FunctionDef | ast.ClassDef) and node.body and ast.get_docstring(node) is not None
    if documented:
        node.body = node.body[1:]  # type: ignore[attr-defined]
    return ast.dump(node)


# Recording ------------------------------------------------------------------------------------------------------------


class Recorder:
    """A plugin that notes which functions of the repository each test executes, and how long it takes."""

    def __init__(
        self, file: Path, worker: str | None, before: dict[str, tuple[list[str], float]] | None = None
    ) -> None:
        self.file, self.worker, self.before = file, worker, before or {}
        self.codes: set[CodeType] = set()
        self.of_fixture: dict[Any, set[CodeType]] = {}
        self.tests: dict[str, tuple[list[str], float]] = {}

    def _profile(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            self.codes.add(frame.f_code)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        """What a shared fixture executes counts for every test that uses it, not only for the first."""
        outer, self.codes = self.codes, set()
        yield
        if fixturedef.scope != "function":
            self.of_fixture[fixturedef] = self.codes
        self.codes |= outer

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Record one test, its set-up included."""
        self.codes, begun = set(), time.process_time()
        sys.setprofile(self._profile)
        threading.setprofile(self._profile)
        yield
        sys.setprofile(None)
        threading.setprofile(None)
        used = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
        for fixture in (one for several in used.values() for one in several):
            self.codes |= self.of_fixture.get(fixture, set())
        names = sorted(filter(None, map(name_of, self.codes)))
        self.tests[item.nodeid] = names, round(time.process_time() - begun, 2)

    def pytest_sessionfinish(self) -> None:
        """A worker leaves its part beside the record; the last process puts the parts together."""
        if self.worker:
            self.file.with_suffix(f".{self.worker}").write_text(json.dumps(self.tests))
            return
        for part in self.file.parent.glob(f"{self.file.stem}.gw*"):
            self.tests |= json.loads(part.read_text())
            part.unlink()
        write(self.file, self.before | self.tests)


def name_of(code: CodeType) -> str:
    """`mechanisms/law.py:fit` for the code of a function of this repository, of what it defines inside too; else ""."""
    if not code.co_filename.startswith(f"{ROOT}/") or "/.venv/" in code.co_filename:
        return ""
    return f"{within(Path(code.co_filename))}:{code.co_qualname.partition('.<locals>')[0]}"


def write(file: Path, tests: dict[str, tuple[list[str], float]]) -> None:
    """Equal sets once, and functions by number: a tenth of a megabyte for all tests."""
    functions = sorted({name for names, _ in tests.values() for name in names})
    number = {name: i for i, name in enumerate(functions)}
    sets: dict[tuple[int, ...], int] = {}
    lines = {
        test: (sets.setdefault(tuple(number[name] for name in names), len(sets)), seconds)
        for test, (names, seconds) in sorted(tests.items())
    }
    gaps = [[b - a for a, b in zip((0, *one), one, strict=False)] for one in sets]
    text = json.dumps({"functions": functions, "sets": gaps, "tests": lines}, separators=(",", ":"))
    file.write_bytes(lzma.compress(text.encode(), preset=9))


class Record:
    """What the tests executed when they were recorded last."""

    def __init__(self, file: Path = FILE) -> None:
        self.functions: list[str] = []
        self.sets: list[frozenset[int]] = []
        self.tests: dict[str, tuple[int, float]] = {}
        if file.exists():
            read = json.loads(lzma.decompress(file.read_bytes()))
            self.functions, self.tests = read["functions"], read["tests"]
            self.sets = [frozenset(_added(gaps)) for gaps in read["sets"]]

    def executed(self) -> dict[str, tuple[list[str], float]]:
        """{test: the functions that it executed, and what it took}."""
        return {
            test: ([self.functions[i] for i in self.sets[place]], seconds)
            for test, (place, seconds) in self.tests.items()
        }

    def concerned(self, changed: frozenset[str]) -> dict[str, int]:
        """{test that executed a changed function: how many functions it executed}."""
        mine = {i for i, name in enumerate(self.functions) if name in changed or name.partition(":")[0] in changed}
        sizes = [len(one) if one & mine else 0 for one in self.sets]
        return {test: sizes[place] for test, (place, _) in self.tests.items() if sizes[place]}

    def files(self, test: str) -> frozenset[str]:
        """The files whose functions a test executed."""
        executed = self.sets[self.tests[test][0]] if test in self.tests else ()
        return frozenset(self.functions[i].partition(":")[0] for i in executed)

    def seconds(self, test: str) -> float:
        """What a test took."""
        return self.tests[test][1] if test in self.tests else UNKNOWN


def _added(gaps: Iterable[int]) -> Iterator[int]:
    total = 0
    for gap in gaps:
        total += gap
        yield total


# What has changed -----------------------------------------------------------------------------------------------------


@cache
def touched(since: str) -> frozenset[str]:
    """The files of Python that differ from a revision, new ones included, relative to the checkout."""
    commands = (["diff", "--name-only", since], ["ls-files", "--others", "--exclude-standard"])
    outputs = [subprocess.run(["git", *c], cwd=ROOT, capture_output=True, text=True) for c in commands]
    if outputs[0].returncode:
        raise pytest.UsageError(f"--touched must be a revision, got {since!r}: {outputs[0].stderr.splitlines()[0]}")
    return frozenset(line for output in outputs for line in output.stdout.splitlines() if line.endswith(".py"))


@cache
def defined_anew(path: str, since: str) -> frozenset[str] | None:
    """The definitions of a file that differ from a revision; None if that may be all of them."""
    before = subprocess.run(["git", "show", f"{since}:{path}"], cwd=ROOT, capture_output=True, text=True)
    if before.returncode or not (ROOT / path).exists():
        return None
    old, new = (definitions(text) for text in (before.stdout, (ROOT / path).read_text(encoding="utf-8")))
    anew = frozenset(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
    return None if "" in anew else anew


@cache
def edited(since: str) -> dict[str, frozenset[str] | None]:
    """{file that defines something otherwise: what}."""
    found = {path: defined_anew(path, since) for path in sorted(touched(since))}
    return {path: names for path, names in found.items() if names != frozenset()}


@cache
def changed(since: str) -> frozenset[str]:
    """The functions, as the record names them, that a change concerns; a file where that may be all in it.

    A class stands for its methods. What no record has seen, a constant, a table or a compiled function, stands for the
    functions that name it, here or where it is imported.
    """
    found, seen = set[str](), frozenset(record().functions)
    for path, names in edited(since).items():
        if names is None:
            found.add(path)
            continue
        found |= {f"{path}:{name}" for name in names}
        found |= {f"{path}:{name}" for name in methods(path) if name.partition(".")[0] in names}
        unseen = [(path, frozenset(name for name in names if "." not in name and f"{path}:{name}" not in seen))]
        for place, wanted in unseen:
            for other in [place, *importers(module(place))] if wanted else ():
                naming = {name for name, mentioned in mentions(other).items() if mentioned & wanted}
                naming -= {name for name in naming if f"{other}:{name}" in found}
                found |= {f"{other}:{name}" for name in naming}
                unseen.append((other, frozenset(name for name in naming if f"{other}:{name}" not in seen)))
    return frozenset(found)


@cache
def methods(path: str) -> frozenset[str]:
    """The methods of a file, as `Class.method`."""
    return frozenset(name for name in mentions(path) if "." in name)


@cache
def mentions(path: str) -> dict[str, frozenset[str]]:
    """{function or method of a file: the names in its text, decorators included}."""
    found = {}
    for node in _tree(path).body:
        inside = node.body if isinstance(node, ast.ClassDef) else [node]
        for one in inside:
            if isinstance(one, ast.FunctionDef):
                name = f"{node.name}.{one.name}" if isinstance(node, ast.ClassDef) else one.name
                named = (getattr(part, "id", None) or getattr(part, "attr", None) for part in ast.walk(one))
                found[name] = frozenset(filter(None, named))
    return found


@cache
def importers(name: str) -> tuple[str, ...]:
    """The files of the checkout that import a module, or name it in a text."""
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    return tuple(path for path in listed if (ROOT / path).is_file() and name in imported(ROOT / path))


@cache
def _tree(path: str) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8")) if (ROOT / path).exists() else ast.Module([], [])


@cache
def imported(path: Path) -> frozenset[str]:
    """The modules that a file names in its imports, or as a text, as `import_module` takes them."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            public = {HOME.get(alias.name, "") for alias in node.names if node.module == "lemmata"}
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names), *public}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("lemmata."):
            names.add(node.value)
    return frozenset(names)


@cache
def reached(path: Path) -> frozenset[str]:
    """The modules that a file of tests names, itself or by way of other files of tests."""
    named = imported(path)
    helpers = (ROOT / f"{name.replace('.', '/')}.py" for name in named if name.startswith("tests."))
    return named.union(*(reached(helper) for helper in helpers if helper.exists() and helper != path))


@cache
def rows(since: str) -> frozenset[str]:
    """The keys of the rows that reach a definition that has changed, and the names of the functions that state them."""
    from lemmata.experiments.conformance import edit
    from lemmata.experiments.engine.claims import registry
    from lemmata.experiments.engine.claims.claim import CLAIMS

    registry.load()
    names, found = {module(path): names for path, names in edited(since).items()}, set[str]()

    def differs(function: FunctionType) -> bool:
        anew = names.get(function.__module__, frozenset())
        mine = {function.__qualname__, function.__qualname__.partition(".")[0], *function.__code__.co_names}
        return anew is None or not anew.isdisjoint(mine)

    for key, claim in CLAIMS.items() if names else ():
        roots = filter(None, (claim.trial, claim.by, claim.theorem.formula))
        if any(map(differs, map(inspect.unwrap, edit.reached(*roots, within=edit.PACKAGES)))):
            found |= {key, claim.theorem.formula.__name__}
    return frozenset(found)


@cache
def formulas(since: str) -> frozenset[str]:
    """The keys of the rows whose own formula has changed."""
    from lemmata.experiments.engine.claims.claim import CLAIMS

    rows(since)  # loads every claim
    whole = {path for path in changed(since) if ":" not in path}
    stated = {key: inspect.unwrap(claim.theorem.formula).__code__ for key, claim in CLAIMS.items()}
    named = {key: name_of(code) for key, code in stated.items()}
    return frozenset(key for key, name in named.items() if name in changed(since) or name.partition(":")[0] in whole)


# Which tests are asked ------------------------------------------------------------------------------------------------


@cache
def record() -> Record:
    """The committed record."""
    return Record()


def asks_rows(path: Path) -> bool:
    """Whether a file of tests asks every row of the ledger."""
    return path.parent == ROOT / "tests" and path.stem in ROWS


def longest(item: pytest.Item) -> float:
    """The CPU-seconds after which a test has no end; 0, for never, where it is slow as it is."""
    return 0.0 if item.get_closest_marker("slow") else 10 + 4 * record().seconds(item.nodeid)


def may_concern(path: Path, since: str) -> bool:
    """Whether a file may hold a test that is asked: all others are not even imported."""
    name = path.relative_to(ROOT).as_posix()
    return (
        name in concerned_files(since)
        or is_asked(path, since)
        or name in record_files()
        or (asks_rows(path) and bool(edited(since)))
    )


@cache
def concerned_files(since: str) -> frozenset[str]:
    """The files with tests that executed what has changed."""
    return frozenset(test.partition("::")[0] for test in record().concerned(changed(since)))


@cache
def record_files() -> frozenset[str]:
    """The files with tests that are marked `record`."""
    files = (ROOT / "tests").rglob("test_*.py")
    return frozenset(path.relative_to(ROOT).as_posix() for path in files if "mark.record" in path.read_text())


def is_asked(path: Path, since: str) -> bool:
    """Whether a file of tests has changed, or imports a module that has, by way of helpers too."""
    name = within(path)
    if name in touched(since) or not name.startswith("tests/"):
        return name in touched(since)
    return not reached(path).isdisjoint(map(module, edited(since)))


def selected(items: list[pytest.Item], since: str, budget: float | None) -> list[pytest.Item]:
    """The items that a change concerns, nearest first; with a budget of seconds, as many as fit into it.

    Nearest are the tests marked `record`, then verdicts of rows whose formula has changed, which no budget leaves out,
    then changed files of tests, then `test_x.py` for a changed `x.py`, and then tests by how few functions they
    executed.
    """
    named = {f"test_{Path(path).name}" for path in edited(since)}
    sizes, turns, kept = record().concerned(changed(since)), Counter[str](), []
    for item in items:
        dear = record().seconds(item.nodeid) > DEAR and record().files(item.nodeid).isdisjoint(edited(since))
        always = item.get_closest_marker("record") is not None and not dear
        row = asks_rows(item.path)
        own = item.name.startswith("test_verdict[") and item.name[13:-1] in formulas(since) if row else False
        slow = item.get_closest_marker("slow") is not None
        if budget is not None and slow and not own:
            continue
        fresh = within(item.path) in touched(since)
        if row and not fresh:
            near = any(key in item.name for key in rows(since))
        else:
            near = item.nodeid in sizes or (item.nodeid not in record().tests and is_asked(item.path, since))
        if always or own or fresh or near:
            test = item.nodeid.partition("[")[0]
            size = sizes.get(item.nodeid, 10**6 if row else 10**5)
            about = item.path.name in named
            kept.append(((not always, not own, not fresh, not about, turns[test] // CASES, size, item.nodeid), item))
            turns[test] += 1
    ordered = [(key, item) for key, item in sorted(kept, key=lambda pair: pair[0])]
    spent, chosen = 0.0, []
    for (late, other, *_), item in ordered:
        spent += record().seconds(item.nodeid)
        if budget is None or spent <= budget or not late or not other:
            chosen.append(item)
    return chosen
