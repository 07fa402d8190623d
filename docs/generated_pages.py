"""Pages made at each build: the index of statements, the modules, and the files at the top of the repository."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import lemmata
from lemmata.bounds.catalogue.paper_file import read_table
from lemmata.bounds.library import Paper, library
from lemmata.bounds.theorem import Theorem, theorems

ROOT = Path(__file__).resolve().parents[1]
ALGORITHMS = ROOT / "docs" / "algorithms.csv"
FILES = {"README.md": "readme", "CONTRIBUTING.md": "contributing", "CHANGELOG.md": "changelog"}
REFERENCE = {  # heading: where its names are at home
    "Learners": "estimators gd_estimators erm_estimators scaling search disclosure",
    "Budgets": "accountant privacy privacy_curve",
    "Audits": "audit",
    "Sizes": "sizes",
    "Statements and verdicts": "",
}
GROUPS = {  # heading: packages or modules, each with those that stand in it
    "Algorithms, budgets and sizes": ("lemmata.mechanisms",),
    "Statements as functions": (
        "lemmata.bounds.theorem",
        "lemmata.bounds.statement.hypotheses",
        "lemmata.bounds.library",
    ),
}
HEAD = """API reference
=============

.. currentmodule:: lemmata

The public names of ``lemmata``. A name is loaded when it is first used. See also
the :doc:`modules <modules>`, the papers' :doc:`algorithms <algorithms>`, the
papers' :doc:`statements as functions <statements>`, and :doc:`the kit for your own paper <../paper-kit>`.

.. toctree::
   :hidden:

   ../paper-kit
   algorithms
   modules
   statements
"""
LEFT_OUT = ("lemmata.mechanisms.solvers.", "lemmata.mechanisms.audit.")
BELOW = """The modules behind the public names of ``lemmata``. Solvers and the internals of the
auditor have docstrings only: ``help(lemmata.mechanisms.solvers)``.
"""
QUIET = "c = get_config()\nc.IPKernelApp.log_level = 40\n"  # of a kernel: errors only
PLAIN = re.compile(r"!\[[^\]]*\]\((?![a-z]+:)[^)]*\)\n*")  # pictures of the repository's front page
OUT = re.compile(r"\[([^\]]*)\]\(((?!https?:|#)[^)#]*)(#[^)]*)?\)")  # links to files


def write(folder: Path) -> None:
    """All of them, below `folder`; what did not change keeps its time, so that it is not read again."""
    pages = {
        "statements.md": statements(),
        "algorithms.md": algorithms(),
        "modules.rst": modules(),
        "reference.rst": reference(),
        "ipython/profile_default/ipython_kernel_config.py": QUIET,
    }
    for file, name in FILES.items():
        text = PLAIN.sub("", (ROOT / file).read_text(encoding="utf-8"))
        pages[f"{name}.md"] = OUT.sub(relinked, text)
    for name, text in pages.items():
        kept(folder / name, text)


def kept(path: Path, text: str) -> None:
    """Write a file unless it says this already."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def linked(source: list[str]) -> None:
    """Of a page in docs/: links to files at the top of the repository lead to the pages made of them."""
    source[0] = re.sub(rf"\]\(\.\./({'|'.join(FILES)})", lambda m: f"](generated/{FILES[m[1]]}.md", source[0])


def relinked(found: re.Match) -> str:
    """A link of a file at the top: to a page of these, or its words alone."""
    words, file, place = found[1], found[2], found[3] or ""
    if file in FILES:
        return f"[{words}]({FILES[file]}.md{place})"
    return f"[{words}](../{file.removeprefix('docs/')}{place})" if re.match(r"docs/[\w-]+\.md", file) else words


# The index of statements ---------------------------------------------------------------------------------------------


def statements() -> str:
    """Every reading of every statement of the four papers as the function that computes what it promises."""
    parts = ["# Statements as functions\n"]
    parts.append(
        "Every reading of a numbered statement is a function of `lemmata.bounds`. It computes the number that the "
        "statement promises, and raises `OutsideHypotheses` for arguments that violate the hypotheses. "
        "`lemmata explain ID` shows whether the statement is true.\n"
    )
    for paper in library.house:
        parts.append(f"## {paper.title}\n\n{paper.cited}, `lemmata.bounds.{paper.id}`.\n")
        parts += [one for id in paper.contents for one in lines(paper, id)]
    return "\n".join(parts)


def lines(paper: Paper, id: str) -> list[str]:
    """A statement's readings, a line each; none for a statement without a function."""
    full = id if id in library.ids else f"{paper.id}.{id}"
    found = theorems(full)
    return [f"**{library.label(full)}** (`{full}`)\n", *map(line, found), ""] if found else []


def line(theorem: Theorem) -> str:
    """`module.function(n, beta)`: the first sentence of its docstring."""
    function = theorem.formula
    called = ", ".join(inspect.signature(function).parameters)
    module = function.__module__.removeprefix("lemmata.bounds.")
    says = re.sub(r"\s+", " ", (inspect.getdoc(function) or "").split("\n\n")[0])
    reading = " ".join(filter(None, (theorem.reading, theorem.part)))
    return f"- {reading}: `{module}.{function.__name__}({called})`. {safe(says)}"


def safe(text: str) -> str:
    """Prose of a docstring as Markdown: its code stays, other signs stand for themselves."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if i % 2 else re.sub(r"([\\*_<>|\[\]$~#])", r"\\\1", part) for i, part in enumerate(parts))


# The algorithms of the papers ----------------------------------------------------------------------------------------


def algorithms() -> str:
    """Every algorithm of the papers, with the function that is its law and the estimator that runs it."""
    listed = read_table(ALGORITHMS)
    parts = [
        "# The algorithms of the papers\n",
        f"Each of the {len(listed)} is a function of `lemmata.mechanisms` with this name: a dataset in, the law of its "
        "releases out. `lemmata.mechanisms.law.fit` draws one release of a law. Where there is an estimator of "
        "`lemmata`, it has scikit-learn's shape and the defaults for a user.\n",
    ]
    for paper in library.house:
        parts.append(f"## {paper.title}\n\n{paper.cited}.\n")
        parts.append("| algorithm | statement | law | estimator |\n|---|---|---|---|")
        parts += [algorithm(one) for one in listed if one["paper"] == paper.id] + [""]
    return "\n".join(parts)


def algorithm(one: dict[str, str]) -> str:
    """A line of the table of algorithms."""
    statement = f"{one['paper']}.{one['statement']}"
    estimator = f"`lemmata.{one['estimator']}`" if one["estimator"] else ""
    said, where = f"{one['algorithm']}. {one['what it does']}", f"{library.label(statement)} (`{statement}`)"
    return f"| {said} | {where} | `{one['function']}` | {estimator} |"


# Names and modules ---------------------------------------------------------------------------------------------------


def reference() -> str:
    """A page a name that `lemmata` hands out, by the module where it is at home."""
    homes = dict.fromkeys(lemmata.HOME.values())
    left = [
        (home.removeprefix("lemmata.mechanisms."), [name for name, at in lemmata.HOME.items() if at == home])
        for home in homes
    ]
    parts = [HEAD]
    for heading, homes in REFERENCE.items():
        here = [one for one in left if not homes or one[0].split(".")[0] in homes.split()]
        left = [one for one in left if one not in here]
        parts.append(summarised(heading, "api", (name for _, names in here for name in names)))
    return "\n".join(parts)


def modules() -> str:
    """A page a module of what stands below the names that `lemmata` hands out."""
    parts = ["Modules\n=======\n", BELOW]
    for heading, names in GROUPS.items():
        parts.append(summarised(heading, "modules", (module for name in names for module in below(name))))
    return "\n".join(parts)


def summarised(heading: str, folder: str, names: Iterable[str]) -> str:
    """A section that lists names, with a page in a folder for each."""
    listed = "\n".join(f"   {name}" for name in names)
    return f"{heading}\n{'-' * len(heading)}\n\n.. autosummary::\n   :toctree: {folder}\n\n{listed}\n"


def below(name: str) -> Iterator[str]:
    """A module; of a package also the modules in it, at every depth, but for those that the page leaves out."""
    package = importlib.import_module(name)
    yield name
    for info in pkgutil.walk_packages(getattr(package, "__path__", []), f"{name}."):
        if not info.ispkg and not info.name.rpartition(".")[2].startswith("_") and not info.name.startswith(LEFT_OUT):
            yield info.name
