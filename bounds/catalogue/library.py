"""Papers, and every numbered statement of theirs: a paper is a folder with a `paper.toml`, anywhere.

    id = "dr14"
    authors = ["Cynthia Dwork", "Aaron Roth"]
    title = "The Algorithmic Foundations of Differential Privacy"
    year = 2014

    [contents]                       # every statement, in the order of the paper: id = label
    "thmA.1" = "Theorem A.1"

The modules beside it record what is stated and how it is decided; one that names its module (`["Lemma 6.4", "tails"]`)
is found without importing the others. The library holds the papers of this package, those that are installed (entry
points `lemmata.papers`), and every folder that is added to it; no list of papers stands anywhere else.
"""

import contextlib
import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import re
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from lemmata.bounds.catalogue.paper_file import WORDS, PaperError, read

GROUP = "lemmata.papers"  # entry points of installed papers: a name, and the package that holds a paper.toml
FOLDERS = "lemmata_papers"  # the package under which the modules of a folder are imported, whatever it is called
HOUSE = Path(__file__).parents[1]  # the package `bounds`
OWN = r"(?m)^\s*(from|import)\s+lemmata\b"  # how a module of statements or claims begins
CONFTEST = r"(?m)^@(\w+\.)?theorem\("  # pytest's own file may import lemmata, for its fixtures
TAKEN = sys.stdlib_module_names | {"conftest", "lemmata"}  # a program that imports these meets other modules

__all__ = ["Library", "Paper", "PaperError", "Work", "cited", "library"]


@dataclass(frozen=True)
class Work:
    """A source, as it is cited. Authors are full names: `Ada Lovelace`, or `Lovelace, Ada`."""

    authors: tuple[str, ...]
    title: str
    year: int
    venue: str = ""
    doi: str = ""
    arxiv: str = ""
    url: str = ""
    version: str = ""  # of the text whose wording is printed: "v2", "the proceedings"
    key: str = ""  # in a bibliography: the id of the paper, and for a source its name after it

    @property
    def names(self) -> str:
        """The authors' family names: `Wang, Zhu & Wang`."""
        *others, last = [_family(author) for author in self.authors]
        return f"{', '.join(others)} & {last}" if others else last

    @property
    def cited(self) -> str:
        """Authors and year: `Wang, Zhu & Wang 2025`."""
        return f"{self.names} {self.year}"

    @property
    def link(self) -> str:
        """Where it can be read; "" if nobody said."""
        if self.arxiv:
            return f"https://arxiv.org/abs/{self.arxiv}"
        return f"https://doi.org/{self.doi}" if self.doi else self.url

    def bibtex(self) -> str:
        """The entry that a bibliography wants."""
        fields = {"author": " and ".join(map(last_first, self.authors)), "title": self.title}
        fields |= {"year": str(self.year), "howpublished": self.venue, "doi": self.doi, "eprint": self.arxiv}
        fields |= {"archiveprefix": "arXiv" if self.arxiv else "", "url": self.link}
        lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
        return ",\n".join([f"@misc{{{self.key}", *lines]) + "\n}"


def _family(author: str) -> str:
    return author.partition(",")[0] if "," in author else author.split()[-1]


def last_first(author: str) -> str:
    """`Lovelace, Ada`, as a bibliography wants it."""
    return author if "," in author else ", ".join(filter(None, (_family(author), " ".join(author.split()[:-1]))))


@dataclass(frozen=True)
class Paper(Work):
    """A folder of statements: the contents page of one paper, or of statements of many (`sources`)."""

    id: str = ""
    contact: str = ""  # where its authors can reply to whoever checked it: an e-mail address, or a page
    checked_by: tuple[str, ...] = ()  # who wrote the checks, and is cited for their verdicts
    folder: Path = field(default=Path(), compare=False)
    packages: tuple[str, ...] = ()  # the import packages that hold its modules
    contents: Mapping[str, str] = field(default_factory=dict, compare=False)  # full id -> the label that is printed
    modules: Mapping[str, str] = field(default_factory=dict, compare=False)  # full id -> its module; "" if not said
    sources: Mapping[str, Work] = field(default_factory=dict, compare=False)  # full id -> where it is printed
    expected: Mapping[str, str] = field(default_factory=dict, compare=False)  # row -> why it may fail `lemmata check`
    titles: Mapping[str, str] = field(default_factory=dict, compare=False)  # full id -> what the statement says
    letters: Mapping[str, str] = field(default_factory=dict, compare=False)  # an argument -> the letter of the paper
    symbols: Mapping[str, str] = field(default_factory=dict, compare=False)  # LaTeX of a symbol -> what it is
    causes: Mapping[str, str] = field(default_factory=dict, compare=False)  # full key -> the erratum behind it
    quotes: Mapping[str, str] = field(default_factory=dict, compare=False)  # full key -> words printed there
    edits: Mapping[str, str] = field(default_factory=dict, compare=False)  # full key -> what mends it
    true_where: Mapping[str, str] = field(default_factory=dict, compare=False)  # full key -> where it is true
    bounded_above: Mapping[str, str] = field(default_factory=dict, compare=False)  # full key -> what the row bounds
    bounded_below: Mapping[str, str] = field(default_factory=dict, compare=False)
    house: bool = False  # one of the papers of this package

    @property
    def is_installed(self) -> bool:
        """Whether it came with an installed package of its own."""
        return not self.house and not self.packages[0].startswith(f"{FOLDERS}.")

    def words_for(self, table: str, id: str) -> dict[str, str]:
        """The `letters` or `symbols` of the paper at a statement; an entry `thm1.K` is `K` at thm1, and only there."""
        places = self._places[table]
        own = places.get(id, {})
        return own | {name: what for name, what in places[""].items() if name not in own}

    @functools.cached_property
    def _places(self) -> dict[str, dict[str, dict[str, str]]]:
        """Where each of the `letters` and `symbols` is meant: at a statement, or, under "", at all others."""
        made: dict[str, dict[str, dict[str, str]]] = {}
        for table in ("letters", "symbols"):
            made[table] = {"": {}}
            for name, what in getattr(self, table).items():
                id = next((other for other in reversed([*self.contents]) if name.startswith(f"{_number(other)}.")), "")
                made[table].setdefault(id, {})[name.removeprefix(f"{_number(id)}.") if id else name] = what
        return made

    def stems(self) -> list[str]:
        """`wzw25/margin_grid` and the like: its modules, in the order of the contents, then those that it only holds.

        Of a paper that does not say where each statement stands, every file beside `paper.toml` that imports lemmata.
        """
        named = dict.fromkeys(stem for stem in self.modules.values() if stem)
        if all(self.modules.values()):
            return list(named)
        own = sorted(path for path in self.folder.glob("*.py") if not path.stem.startswith(("_", "test_")))
        spoken = [path.stem for path in own if re.search(CONFTEST if path.stem == "conftest" else OWN, _text(path))]
        return list(named | dict.fromkeys(f"{self.id}/{stem}" for stem in spoken))


def _number(id: str) -> str:
    """An id without its paper's."""
    return id.partition(".")[2]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PaperError(f"{path}: cannot be read ({error})") from None


class Library:
    """The papers that are known here, by id, in order; and every numbered statement of theirs."""

    def __init__(self) -> None:
        self.papers: dict[str, Paper] = {}
        self.ids: dict[str, str] = {}  # full id -> the label that is printed
        self.modules: dict[str, str] = {}  # full id -> "wzw25/margin_grid"; "" where the paper does not say
        self.works: dict[str, Work] = {}  # full id -> where it is printed
        self.titles: dict[str, str] = {}  # full id -> what the statement says, in a line, where its paper says so
        self.replaced: dict[str, Path] = {}  # the installed papers whose place a folder has taken
        self._looked = False  # for installed papers

    def add(self, folder: str | Path, package: str = "", *, house: bool = False) -> Paper:
        """Read the `paper.toml` of a folder. Raises `PaperError` for a broken one, and for an id that is taken.

        A folder that is known already is that paper. `package` is the import package of the folder if it is installed;
        the modules of any other folder are imported as `lemmata_papers.<id>.<module>`. A folder takes the place of an
        installed paper with its id, whose author works on it there.
        """
        home = Path(folder).resolve()
        for known in self.papers.values():
            if known.folder == home:
                return known
        made = read(home / "paper.toml")
        id = made["id"]
        if id in self.papers and self.papers[id].is_installed and not package:
            self.replaced[id] = self.papers[id].folder
            self.forget(id)
        if id in self.papers:
            raise PaperError(f"{home / 'paper.toml'}: id must be unique, {id!r} is also in {self.papers[id].folder}")
        packages = tuple(made.pop("packages")) or (package or f"{FOLDERS}.{id}",)
        works = {name: Work(key=f"{id}-{name}", **entry) for name, entry in made.pop("works").items()}
        contents: dict[str, str] = {}
        modules: dict[str, str] = {}
        sources: dict[str, Work] = {}
        for number, (printed, module, source) in made.pop("entries").items():
            contents[f"{id}.{number}"] = printed
            modules[f"{id}.{number}"] = module and f"{id}/{module}"
            if source:
                sources[f"{id}.{number}"] = works[source]
        parts = {"contents": contents, "modules": modules, "sources": sources, "expected": made.pop("expected")}
        parts |= {name: made.pop(name) for name in WORDS}
        parts |= {
            name: {f"{id}.{key}": text for key, text in parts[name].items()}
            for name in WORDS
            if name not in ("letters", "symbols")
        }
        frozen: dict[str, Any] = {name: MappingProxyType(part) for name, part in parts.items()}
        paper = Paper(key=id, folder=home, packages=packages, house=house, **made, **frozen)
        if packages == (f"{FOLDERS}.{id}",):
            _package(packages[0], home)
        self.papers[id] = paper
        self.ids |= contents
        self.modules |= modules
        self.titles |= paper.titles
        self.works |= {full: sources.get(full, paper) for full in contents}
        return paper

    def forget(self, id: str) -> None:
        """Take a paper out again; what its modules registered is not touched."""
        paper = self.papers.pop(id)
        for table in (self.ids, self.modules, self.works, self.titles):
            for full in paper.contents:
                table.pop(full, None)

    def installed(self) -> None:
        """Add the papers that installed packages bring. Raises `PaperError` for a package without a `paper.toml`."""
        if self._looked:
            return
        self._looked = True
        for entry in metadata.entry_points(group=GROUP):
            spec = importlib.util.find_spec(entry.value)
            folders = list(spec.submodule_search_locations or ()) if spec else []
            if not folders:
                raise PaperError(f"entry point {entry.name} of {GROUP} must be a package, got {entry.value!r}")
            self.add(folders[0], entry.value)

    @property
    def house(self) -> list[Paper]:
        """The papers of this package."""
        return [paper for paper in self.papers.values() if paper.house]

    @property
    def brought(self) -> list[tuple[str, str]]:
        """(folder, package) of all other papers: what a worker has to add before it can compute."""
        return [(str(paper.folder), paper.packages[0]) for paper in self.papers.values() if not paper.house]

    def statement_of(self, id: str) -> str:
        """The numbered statement that `id` is, or is a step of: the longest id of the contents that begins it.

        Raises ValueError for anything else.

        >>> library.statement_of("bms22.lemA.3.s2")
        'bms22.lemA.3'
        """
        parts = id.split(".")
        for length in range(len(parts), 1, -1):
            if (start := ".".join(parts[:length])) in self.ids:
                return start
        if parts[0] in self.papers:
            where = self.papers[parts[0]].folder / "paper.toml"
            raise ValueError(f"id must be in the contents of {where}, or a step of such a statement, got {id!r}")
        raise ValueError(f"id must be a statement of {', '.join(self.papers)}, or a step of one, got {id!r}")

    def label(self, id: str) -> str:
        """The label that is printed for the statement that `id` is, or is a step of.

        >>> library.label("bms22.lemA.3")
        'Lemma A.3'
        """
        return self.ids[self.statement_of(id)]

    def work(self, id: str) -> Work:
        """The source that prints the statement that `id` is, or is a step of."""
        return self.works[self.statement_of(id)]

    def paper(self, id: str) -> Paper:
        """The paper of a statement, step or row."""
        return self.papers[id.partition(".")[0]]

    def named(self, id: str, formula: Callable) -> str:
        """An id in full: `thmA.1` in a file of the paper dr14 is `dr14.thmA.1`. A file's paper is added if need be.

        Raises ValueError where the id is in the contents of no paper.
        """
        try:
            self.statement_of(id)
            return id
        except ValueError:
            folder = nearest(Path(inspect.unwrap(formula).__code__.co_filename).parent)
            if folder is None:
                raise
            own = self.add(folder).id
        full = id if id.partition(".")[0] == own else f"{own}.{id}"
        self.statement_of(full)
        return full

    def stem(self, module: str) -> str:
        """`wzw25/margin_grid`, the short name of a module, by the paper it belongs to; its own name elsewhere."""
        for paper in self.papers.values():
            for package in paper.packages:
                if module.startswith(f"{package}."):
                    return f"{paper.id}/{module.removeprefix(f'{package}.').replace('.', '/')}"
        return module.replace(".", "/")

    def with_proof(self, stem: str, package: int) -> list[str]:
        """What `wzw25/winner` and `wzw25/winner_proof` are called in one of the packages of the paper, if they exist.

        `package` is 0 for statements and -1 for the checks that decide them: one and the same file in most papers.
        """
        id, _, rest = stem.partition("/")
        name = f"{self.papers[id].packages[package]}.{rest.replace('/', '.')}"
        return [name for name in (name, f"{name}_proof") if _exists(name)]

    def load(self, name: str) -> ModuleType:
        """Import a module of a paper by its full name. What it raises is a `PaperError` of one line, with its place.

        While it is imported, modules beside it can be imported by their bare names too, as from a script.
        """
        paper = self.papers[self.stem(name).partition("/")[0]]
        if name in sys.modules or paper.house:
            return importlib.import_module(name)
        bare = name.removeprefix(f"{paper.packages[0]}.")
        if bare in TAKEN or _is_installed(sys.modules.get(bare)):
            taken = f"a module of statements must not have the name of another module, got {bare}; rename it"
            raise PaperError(f"{paper.folder / bare}.py: {taken}")
        with _at_home(paper):
            try:
                return importlib.import_module(name)
            except (Exception, SystemExit) as error:  # a module that exits has not been loaded
                raise PaperError(_blamed(error, paper.folder)) from error

    def beside(self, path: str) -> contextlib.AbstractContextManager:
        """Meanwhile, what stands beside a file of somebody's paper can be imported by its bare name, as there."""
        paper = next((p for p in self.papers.values() if not p.house and path.startswith(f"{p.folder}/")), None)
        return contextlib.nullcontext() if paper is None else _at_home(paper)

    def holds(self, path: str) -> bool:
        """Whether a file belongs to a paper that is known here, wherever that is installed."""
        homes = tuple(f"{paper.folder}/" for paper in self.papers.values())
        return bool(path) and (path.startswith(homes) or str(Path(path).resolve()).startswith(homes))


def _exists(name: str) -> bool:
    """Whether there is a module of that name; a package that is missing has none."""
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _is_installed(module: ModuleType | None) -> bool:
    """Whether a module that is loaded already is one of an installed library, such as numpy."""
    homes = tuple(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    return str(getattr(module, "__file__", "")).startswith(homes)


def _package(name: str, folder: Path) -> None:
    """Make `name` a package whose modules are the files of `folder`, wherever that stands."""
    above = sys.modules.setdefault(FOLDERS, _empty(FOLDERS, []))
    made = sys.modules[name] = _empty(name, [str(folder)])
    setattr(above, name.rpartition(".")[2], made)


def _empty(name: str, path: list[str]) -> ModuleType:
    spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
    spec.submodule_search_locations = path
    return importlib.util.module_from_spec(spec)


class _Beside(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """While a module of a folder is imported, `import tails` finds the one beside it, once and under its full name."""

    def __init__(self, paper: Paper) -> None:
        self.paper = paper
        self.met: dict[str, ModuleType] = {}

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        top, _, inner = fullname.partition(".")
        here = top in self.met if inner else top not in sys.stdlib_module_names
        beside = self.paper.folder.joinpath(*fullname.split("."))
        files = [file for file in (beside.with_suffix(".py"), beside / "__init__.py") if here and file.is_file()]
        return importlib.machinery.ModuleSpec(fullname, self, origin=str(files[0])) if files else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        self.met[spec.name] = importlib.import_module(f"{self.paper.packages[0]}.{spec.name}")
        self.spec = self.met[spec.name].__spec__
        return self.met[spec.name]

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec  # it has been executed under its full name, and keeps it


@contextlib.contextmanager
def _at_home(paper: Paper) -> Iterator[None]:
    """Modules beside the one that is imported can be named as from a script; other papers do not see these names."""
    finder = _Beside(paper)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in finder.met:
            sys.modules.pop(name, None)


def _blamed(error: BaseException, folder: Path) -> str:
    """What a module of a paper raised, in one line: the last line of the paper's own that led there."""
    if isinstance(error, PaperError):
        return str(error)
    place, trace = "", error.__traceback__
    while trace:
        file = trace.tb_frame.f_code.co_filename
        if file.startswith(f"{folder}/"):
            place = f"{file}:{trace.tb_lineno}: "
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename:
        place = f"{error.filename}:{error.lineno}: "
    said = (str(error).splitlines() or [""])[0]
    return f"{place or f'{folder}: '}{type(error).__name__}: {said}"


library = Library()
for _page in sorted(HOUSE.glob("*/paper.toml")):
    library.add(_page.parent, house=True)


def cited(id: str) -> str:
    """Authors and year of a paper.

    >>> cited("wzw25")
    'Wang, Zhu & Wang 2025'
    """
    return library.papers[id].cited


def nearest(start: Path) -> Path | None:
    """The folder of the nearest `paper.toml`, in `start` or above it; None if there is none."""
    home = start.resolve()
    return next((folder for folder in (home, *home.parents) if (folder / "paper.toml").is_file()), None)
