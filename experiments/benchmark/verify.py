"""The records of an export decided again, from what they publish: every program, and every truth at a fresh seed.

A true statement about numbers is searched for a counterexample at a fresh seed and proved again from its text. A false
one has its program run apart, and tried with other right sides; then interval arithmetic on the expression decides it
at its setting. The LaTeX of what we wrote is read again and compared with the Python at a setting.
"""

import contextlib
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from multiprocessing import get_context

import numpy as np
from flint import ctx

from lemmata.bounds.proof.interval import Undefined, enclose, point
from lemmata.experiments.benchmark.deciding import Sampler, decide
from lemmata.experiments.benchmark.formulas import LATEX
from lemmata.experiments.benchmark.inequalities import PRECISION
from lemmata.experiments.benchmark.judge import find_fault
from lemmata.experiments.benchmark.records import Record, name_record, read_inequality
from lemmata.experiments.benchmark.sandbox import run_program
from lemmata.experiments.benchmark.standalone import LONGEST
from lemmata.experiments.conformance.latex_arithmetic import read_terms

Found = tuple[str, str]  # what was done, what is wrong


def verify(record: Record, root: int) -> Found:
    """What was done about a record, and what is wrong with it, or ""."""
    if name_record(record)["id"] != record["id"]:
        return "named", "its id is not that of its question"
    if record["inequality"] is not None and record["reading"] in ("made", "step") and (fault := read_latex(record)):
        return "named", fault
    program = record["program"]
    if program is not None and len(program.splitlines()) > LONGEST:
        return "programs", f"its program has more than {LONGEST} lines"
    if record["truth"] == "false" and record["inequality"] is not None:
        return "false statements about numbers", find_fault(record, program) or contradict(record)
    if record["truth"] in ("false", "edge"):
        ran = run_program(program)
        return "programs of rows", "" if ran.status == 0 else f"its program ends with {ran.error}"
    if record["truth"] == "true" and record["inequality"] is not None:
        made = read_inequality(record)
        rng = np.random.default_rng([root, int(record["id"][1:], 16)])
        decision = decide(made, rng)
        if decision.truth == "false":
            return "true statements about numbers", f"it is false at {decision.setting}"
        return f"true ones {'proved again' if decision.truth else 'searched again'}", ""
    return "left to the ledger", ""


def contradict(record: Record) -> str:
    """What a second way says against a false record: intervals of rational ends around the expression's own nodes."""
    made, at = read_inequality(record), record["setting"]
    with ctx.workprec(PRECISION):
        intervals = {name: point(Fraction(value)) for name, value in at.items()}
        try:
            left, right = (enclose(side, intervals, {}) for side in (made.left, made.right))
        except Undefined:
            return "a side is not defined at its setting"
        apart = left.low > right.high or (made.relation == "=" and left.high < right.low)
        return "" if apart else "intervals do not tell its sides apart"


def read_latex(record: Record) -> str:
    """What is wrong with the LaTeX of a statement that we wrote, by a reader of formulas; "" where it is its Python.

    Names of several letters become one letter, as the reader takes letters side by side for a product.
    """
    made = read_inequality(record)
    sampler = Sampler(made)
    settings = sampler.settings(sampler.draw(np.random.default_rng(0), 50))
    usable = np.flatnonzero(np.isfinite(sampler.excess(settings)))
    if not len(usable):
        return ""
    at = {name: values[usable[:1]] for name, values in settings.items()}
    latex, named = record["statement"].rpartition(r"\quad")[2], dict[str, float]()
    free = [letter for letter in "ABCDFGHKLMNPQRSTUVWXYZ" if letter not in made.names]
    for name, letter in zip(made.names, free, strict=False):
        latex = re.sub(re.escape(LATEX.name(name)) + r"(?![A-Za-z_])", letter, latex) if len(name) > 1 else latex
        named[letter if len(name) > 1 else name] = float(at[name][0])
    values = []
    for term in read_terms(latex):
        with contextlib.suppress(ArithmeticError, KeyError, TypeError, ValueError):
            values.append(float(term.value(named)))
    for side, text in zip(sampler.sides, made.texts, strict=True):
        wanted = float(np.broadcast_to(side(**at), 1)[0])
        if not any(math.isclose(wanted, value, rel_tol=1e-9) for value in values):
            return "" if re.search("erfc|lgamma", " ".join(made.texts)) else f"no term of its LaTeX is {text}"
    return ""


_inherited: list[tuple[Sequence[Record], int]] = []


def _verify_one(index: int) -> Found:
    records, root = _inherited[0]
    return verify(records[index], root)


def verify_all(
    records: Sequence[Record], root: int, jobs: int, told: Callable[[str], None]
) -> tuple[list[tuple[str, str]], dict[str, int]]:
    """[(id, what is wrong)], and how many records were decided in which way."""
    _inherited[:] = [(records, root)]
    told(f"{len(records)} records")
    with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as pool:
        found = list(pool.map(_verify_one, range(len(records)), chunksize=4))
    faults = [(record["id"], fault) for record, (_, fault) in zip(records, found, strict=True) if fault]
    return faults, Counter(what for what, _ in found)
