"""Docstrings as reStructuredText: they are plain sentences with `code`, examples, and what is set in by four spaces.

Parameters, Attributes and their like are sections of numpydoc and stay as they are, but for the words inside.
"""

import ast
import re
from itertools import groupby
from textwrap import dedent, indent
from types import FunctionType
from typing import Any

import lemmata

RULE = re.compile(r"-{3,}\s*$")
ENTRIES = {"Parameters", "Attributes", "Returns", "Raises", "Yields"}
MADE = re.compile(r"set_\w+_request$")  # methods that scikit-learn adds to every estimator


def process(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """For Sphinx's `autodoc-process-docstring`: changes `lines` in place."""
    lines[:] = rst(lines)
    if what == "module" and (names := [one for one in dir(obj) if handed_out(obj, one)]):
        lines += [", ".join(f":py:obj:`lemmata.{one}`" for one in names) + ": see there.", ""]


def skipped(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """For `autodoc-skip-member`: what `lemmata` hands out has a page, and what others wrote is described there."""
    theirs = isinstance(obj, type | FunctionType) and not obj.__module__.startswith("lemmata")
    return True if theirs or MADE.match(name) or (what == "module" and getattr(lemmata, name, None) is obj) else None


def handed_out(module: Any, name: str) -> bool:
    """Whether `lemmata` hands out a name that is defined in this module."""
    value = getattr(module, name)
    return name in lemmata.__all__ and name == getattr(value, "__name__", "") and value.__module__ == module.__name__


def rst(lines: list[str]) -> list[str]:
    """The lines of a docstring.

    >>> rst(["Attributes", "----", "a_ : int", "    A |b|.", "", "Notes", "----", "None."])[3:]
    ['    A \\\\|b\\\\|.', '', 'Notes', '----', 'None.', '']
    >>> rst(["`fit` sets privacy_ to |a|:", "", "    x = 1"])
    ['``fit`` sets privacy\\\\_ to \\\\|a\\\\|:', '', '.. code-block:: python', '', '    x = 1', '']
    """
    made, section = [], ""
    for blank, group in groupby(lines, key=lambda line: not line.strip()):
        paragraph = list(group)
        if blank:
            continue
        if len(paragraph) > 1 and RULE.match(paragraph[1]):
            section = paragraph[0].strip()
            made += paragraph[:2]
            paragraph = paragraph[2:]
        if section in ENTRIES:
            made += [*entries(paragraph), ""]
        elif paragraph:
            made += block(paragraph)
    return made


def block(paragraph: list[str]) -> list[str]:
    """A paragraph of prose, an example, or lines whose layout matters, and an empty line after it."""
    if paragraph[0].startswith(">>>"):
        return [*paragraph, ""]
    if any(line.startswith(" ") for line in paragraph):
        text = dedent("\n".join(paragraph))
        return [f".. code-block:: {language(text)}", "", *indent(text, "    ").split("\n"), ""]
    return [*escaped("\n".join(paragraph)).split("\n"), ""]


def language(text: str) -> str:
    """Whether lines that are set in are Python, or a table or a formula.

    >>> language("f(x)"), language("one   2")
    ('python', 'text')
    """
    try:
        ast.parse(text)
    except SyntaxError:
        return "text"
    return "python"


def entries(paragraph: list[str]) -> list[str]:
    """`name : type` lines as they are, what is set in below them as prose."""
    made = []
    for inside, group in groupby(paragraph, key=lambda line: line.startswith(" ")):
        text = "\n".join(group)
        made += (escaped(text) if inside else text.replace("`", "")).split("\n")
    return made


def escaped(text: str) -> str:
    """`code` as literals, and every other sign that reStructuredText reads as markup as itself."""
    parts = re.split(r"``([^`]+)``|`([^`]+)`", text)
    made = plain(parts[0])
    for double, single, after in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        before = "" if not made or made[-1] in " \n([{-/'\"" else "\\ "
        made += f"{before}``{double or single}``" + ("\\ " if after[:1].isalnum() else "") + plain(after)
    return made


def plain(text: str) -> str:
    """Without markup.

    >>> print(plain("sum_i |x_i| * y`"))
    sum\\_i \\|x\\_i\\| \\* y\\`
    """
    return re.sub(r"([\\*|_`])", r"\\\1", text)
