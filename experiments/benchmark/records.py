"""Records: what each has, what a checker is shown of it, and files of them.

A record is one statement. `QUESTION` names the fields that a checker reads; all others are the answer.
"""

import ast
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from lemmata.bounds.catalogue.paper_file import PaperError
from lemmata.bounds.proof import expression as of
from lemmata.bounds.proof.box import Side
from lemmata.bounds.proof.expression import Condition, variable
from lemmata.bounds.proof.tracing import OPERATIONS, parse_exactly
from lemmata.experiments.benchmark.inequalities import Inequality

VERSION = "1.0"
CANARY = "lemmata-witness-canary-6f0b1f2e-7c1d-4a5e-9d0e-52b5c1f3a8d7"
TRUTHS = ("true", "false", "edge", "open")
QUESTION = (
    "id",
    "version",
    "canary",
    "source",
    "area",
    "kind",
    "statement",
    "words",
    "letters",
    "hypotheses",
    "inequality",
)
RECORDS, HELD_OUT, SCHEMA, CARD, MANIFEST = (
    "witness.jsonl",
    "held-out.jsonl",
    "schema.json",
    "README.md",
    "manifest.json",
)
Record = dict[str, Any]
FORMULA = (ast.Expression, ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.Call, ast.Compare)
FORMULA += (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop)
NAMES = {"exp": of.exp, "log": of.log, "sqrt": of.sqrt, "erfc": of.erfc, "lgamma": of.lgamma, "floor": of.floor}
NAMES |= {"max": of.largest, "min": of.smallest, "pi": of.PI, "ceil": lambda x: -of.floor(-x)}


def question(record: Record) -> Record:
    """What a checker is shown."""
    return {name: record[name] for name in QUESTION}


def name_record(record: Record) -> Record:
    """The record with an id that depends on what is asked, and on nothing of the answer."""
    asked = {name: record[name] for name in QUESTION if name not in ("id", "version")}
    digest = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
    return {**record, "id": f"w{digest[:12]}"}


def dump(record: Record) -> str:
    """One line of JSON."""
    return json.dumps(record, ensure_ascii=False, sort_keys=True)


def read_records(path: Path) -> list[Record]:
    """The records of a file, or of an exported folder. Raises `PaperError`."""
    file = path / RECORDS if path.is_dir() else path
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.strip()]
    except (OSError, ValueError) as error:
        raise PaperError(f"{file}: cannot be read as records ({error})") from None


def describe_inequality(made: Inequality) -> Record:
    """A statement about numbers as data, in Python."""
    left, right = made.texts
    sides = {
        name: [str(side.low), str(side.high), side.open_low, side.open_high, side.whole]
        for name, side in made.box.items()
        if name in made.names
    }
    sided = {"left": left, "relation": made.relation, "right": right}
    return {"variables": made.names, "domain": sides, "conditions": made.conditions_text} | sided


def read_inequality(record: Record) -> Inequality:
    """The statement about numbers that a record holds, from its texts, which may be a stranger's.

    Raises ValueError for a text that is more than a formula.
    """
    given = record["inequality"]
    names = {name: variable(name) for name in given["variables"] if name.isidentifier()}

    def parse(text: str) -> Any:
        if not all(isinstance(node, FORMULA) for node in ast.walk(ast.parse(text, mode="eval"))):
            raise ValueError(f"a formula must have numbers, names, operations and calls alone, got {text[:80]!r}")
        return eval(parse_exactly(text), {"__builtins__": {}, **NAMES, **OPERATIONS, **names})

    box = {
        name: Side(*(float(end) if "inf" in end else of.Fraction(end) for end in ends[:2]), *ends[2:])
        for name, ends in given["domain"].items()
    }
    conditions = map(parse, given["conditions"])
    taken = tuple(each for each in conditions if isinstance(each, Condition))  # of numbers alone it is true
    left, right = (of.as_expression(parse(given[side])) for side in ("left", "right"))
    return Inequality(left, right, box, taken, given["relation"])


def count(records: Iterable[Record], *fields: str) -> dict[str, int]:
    """How many records have each value of some fields."""
    found = Counter(" ".join(str(record[field]) for field in fields) for record in records)
    return dict(sorted(found.items()))


def digest(lines: Sequence[str]) -> str:
    """SHA-256 of the lines of a file."""
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
