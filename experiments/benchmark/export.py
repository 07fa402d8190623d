"""The export: the rows of the ledger and the twins of what is proved, as records.

A row that HOLDS becomes a true record where its evidence is a certificate, an enumeration or a derivation that runs: a
row that rests on prose alone is left out, and so is one that was only tried, unless it is a printed statement of the
commons: then the proof stands in its source, which is cited. A row that is REFUTED becomes a false one if its program
can be written for numpy, scipy and python-flint alone and still fails once the statement's number is infinite, or 0. A
SLIP is true but for an edge case.
"""

import ast
import hashlib
import hmac
import inspect
import json
import math
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from importlib import metadata, resources
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from lemmata.bounds.library import library
from lemmata.bounds.proof.tracing import find_lambda
from lemmata.bounds.statement.formula import in_symbols, in_unicode
from lemmata.bounds.statement.hypotheses import Hypothesis
from lemmata.bounds.statement.verdicts import HOLDS, INCONCLUSIVE, OPEN, REFUTED, SLIP
from lemmata.bounds.theorem import THEOREMS, Theorem
from lemmata.experiments.benchmark.deciding import grade
from lemmata.experiments.benchmark.quantifiers import Swap, swap
from lemmata.experiments.benchmark.records import (
    CANARY,
    CARD,
    HELD_OUT,
    MANIFEST,
    RECORDS,
    SCHEMA,
    VERSION,
    Record,
    count,
    describe_inequality,
    digest,
    dump,
    name_record,
)  # fmt: skip
from lemmata.experiments.benchmark.sandbox import depends_on, run_briefly
from lemmata.experiments.benchmark.standalone import write_program
from lemmata.experiments.benchmark.twins import Base, Twin, is_proved, list_bases, make_twins, seed_of
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import CLAIMS, Claim
from lemmata.experiments.engine.ground.evidence import extract_derivation
from lemmata.experiments.engine.ground.files import replace_file
from lemmata.experiments.engine.ledger.graph import class_of
from lemmata.experiments.engine.ledger.row import Row
from lemmata.experiments.engine.ledger.sentences import describe_witness, find_letters

TRUE = ("machine-checked", "derived", "composed", "citing")  # classes of rows whose truth is worth a record
CITED = "commons"  # the folder of what the whole field cites: printed statements of it rest on their sources' proofs
AREAS = (  # by words in the name of a module, the first that matches
    ("noise and conversion", ("gaussian_privacy", "noise", "conversion", "laws", "sampling", "curve")),
    ("composition", ("compos", "repetition", "run_count", "tuning", "filter", "shuffl", "amplif", "best_of_runs")),
    (
        "selection",
        ("selection", "exponential_mech", "generalized_exp", "winner", "noisy_minimum", "maxima", "sparse_vec"),
    ),
    ("projections and features", ("projection", "projected", "features", "spectra", "kernel_acc", "jl")),
    (
        "concentration",
        (
            "deviation",
            "concentration",
            "quadratic_forms",
            "rates",
            "complexity",
            "testing",
            "population_risk",
            "many_hyp",
        ),
    ),
    ("lower bounds", ("lower_bounds",)),
    (
        "optimisation",
        ("noisy_gd", "last_iterate", "erm", "stability", "grid_output", "sgd", "boosting", "perturbation"),
    ),
    ("losses and margins", ("hinge", "margins", "margin_grid", "definitions", "removal", "inliers")),
    ("networks and kernels", ("network", "kernel", "svm")),
)
REFUTATION = {"class": "refuted", "scope": "", "cites": []}
PUBLIC = "public"  # the key of the twins that are published


@dataclass
class Export:
    """The records of an export, and what was left out."""

    public: list[Record] = field(default_factory=list)
    held_out: list[Record] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)  # reason -> rows

    def skip(self, why: str) -> None:
        self.left_out[why] = self.left_out.get(why, 0) + 1


def find_area(theorem: Theorem) -> str:
    """The area of a statement, by its module."""
    module = theorem.formula.__module__.rpartition(".")[2]
    return next((area for area, words in AREAS if any(word in module for word in words)), "private learners")


def cite(id: str) -> dict[str, str]:
    """The source that prints a statement, without what we say about it."""
    work = library.work(id)
    return {"id": work.key, "cited": work.cited, "title": work.title, "link": work.link, "place": library.label(id)}


def describe_hypothesis(hypothesis: Hypothesis) -> Record:
    """{text, python} of a hypothesis; python is None where the predicate needs more than numbers."""
    python: str | None = None
    if (domain := hypothesis.domain) is not None:
        name = hypothesis.names[0]
        low = f"{domain.low} {'<' if domain.open_low else '<='} " if domain.low > -math.inf else ""
        high = f" {'<' if domain.open_high else '<='} {domain.high}" if domain.high < math.inf else ""
        python = f"{low}{name}{high}" + f" and {name} == floor({name})" * domain.whole
    elif hypothesis.holds.__name__ == "<lambda>":
        try:
            body = find_lambda(hypothesis.holds).body  # type: ignore[arg-type]
            used = {node.id for node in ast.walk(body) if isinstance(node, ast.Name)}
            python = ast.unparse(body) if used <= {*hypothesis.names, "abs", "max", "min"} else None
        except (OSError, ValueError):
            python = None
    return {"text": hypothesis.range, "python": python}


def describe_statement(theorem: Theorem) -> str:
    """A statement in words and symbols, without its title, which may know whether it is true."""
    needs = in_symbols("; ".join(hypothesis.range for hypothesis in theorem.needs))
    return f"{in_unicode(theorem.says)}" + (f", whenever {needs}" if needs else "")


def describe_row(row: Row, **answer: Any) -> Record:
    """A row of the ledger as a record; its truth comes with `answer`."""
    theorem = THEOREMS[row["key"]]
    letters = find_letters(row["key"])
    arguments = inspect.signature(theorem.formula).parameters
    record: Record = {
        "version": VERSION,
        "canary": CANARY,
        "split": "public",
        "source": cite(row["id"]),
        "area": find_area(theorem),
        "kind": row["kind"],
        "statement": theorem.says,
        "words": describe_statement(theorem),
        "letters": {name: letters[name] for name in arguments if name in letters},
        "hypotheses": [describe_hypothesis(each) for each in theorem.needs],
        "inequality": None,
        "row": row["key"],
        "reading": row["reading"],
        "title": in_symbols(row["title"]),
        "place": in_symbols(theorem.source),
        "setting": None,
        "program": None,
        "corrected": None,
        "evidence": None,
        "steps": [],
        "severity": row["severity"],
        "edge": row["corner"] or row["misprint"] or "",
        "perturbed": None,
        "grade": None,
        "share": None,
    }
    corrected = THEOREMS.get(row["corrected_by"])
    if corrected is not None:
        record["corrected"] = {"row": corrected.key, "statement": corrected.says, "source": corrected.source}
    return name_record(record | answer)


def is_cited(row: Row) -> bool:
    """Whether a row is a printed statement of the commons at which the engine's own search found nothing."""
    return row["paper"] == CITED and row["reading"] == "printed" and bool((row["searched"] or {}).get("decided"))


def describe_true(row: Row, claim: Claim, base: Base | None) -> Record:
    """A row that holds, with its evidence and its steps."""
    prose = extract_derivation(claim.theorem.formula)
    proof = (row["searched"] or {}).get("proof") or {}
    evidence = {"class": class_of(row), "scope": row["scope"], "pieces": proof.get("pieces", 0), "cites": row["cites"]}
    steps = [in_symbols(step.name) for step in claim.steps] + [in_symbols(prose)] * bool(prose)
    inequality = describe_inequality(base.made) if base and base.alone else None
    return describe_row(row, truth="true", evidence=evidence, steps=steps, inequality=inequality)


def describe_false(row: Row) -> Record | None:
    """A row that is refuted, or false in an edge case; None where its program needs this package."""
    witness = row["witness"] or {}
    name, found = inspect.unwrap(THEOREMS[row["key"]].formula).__name__, witness.get("found")
    python = str(witness.get("python") or "")
    texts = (write_program(python, row["key"], traced=traced) for traced in (True, False))
    program = next((text for text in texts if text and run_briefly(text) and depends_on(text, name, found)), None)
    if program is None:
        return None
    note = {"class": class_of(row), "scope": "", "note": in_symbols(describe_witness(row)), "cites": []}
    setting = {name: _plain(value) for name, value in (witness.get("setting") or {}).items()}
    truth = "false" if row["verdict"] == REFUTED else "edge"
    return describe_row(row, truth=truth, program=program, setting=setting, evidence=note)


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | float | str | bool | None) else str(value)


def describe_twin(base: Base, twin: Twin | None, split: str) -> Record:
    """A step of a derivation, or what was made of it, as a record."""
    made = twin.made if twin else base.made
    row, decision = THEOREMS[base.key], twin.decision if twin else None
    truth = decision.truth if decision else "true"
    false = truth == "false" and decision is not None and decision.setting is not None
    proof = {
        "class": "machine-checked",
        "scope": "everywhere",
        "pieces": decision.pieces if decision else 0,
        "cites": [],
    }
    return name_record(
        {
            "version": VERSION,
            "canary": CANARY,
            "split": split,
            "source": cite(row.id),
            "area": find_area(row),
            "kind": "identity" if made.relation == "=" else "inequality",
            "statement": made.latex(),
            "words": made.words(),
            "letters": {},
            "hypotheses": made.hypotheses(),
            "inequality": describe_inequality(made),
            "truth": truth,
            "row": base.key,
            "reading": "made" if twin else "step",
            "title": in_symbols(row.title),
            "place": in_symbols(row.source),
            "setting": {name: decision.setting[name] for name in made.names} if false else None,  # type: ignore[union-attr]
            "program": made.program(decision.setting) if false else None,  # type: ignore[union-attr]
            "corrected": {"row": base.key, "statement": base.made.latex(), "source": row.source} if false else None,
            "evidence": REFUTATION if false else proof,
            "steps": []
            if false
            else [in_symbols(base.reason)]
            if not twin
            else ["proved by the prover, read by its checker"],
            "severity": "",
            "edge": "",
            "perturbed": {"kind": twin.kind, "words": twin.words, "of": base.made.words()} if twin else None,
            "grade": grade(decision.share) if false else None,  # type: ignore[union-attr]
            "share": round(decision.share, 6) if false else None,  # type: ignore[union-attr]
        }
    )


def describe_swap(base: Base, found: Swap, *, swapped: bool) -> Record:
    """A statement with a constant as a record: with one constant for all values it is false."""
    plain = describe_twin(base, None, "public")
    setting = {**found.setting, found.name: f"{found.factor} c^{found.power}", "c": "any number >= 1"}
    answer = {
        "setting": setting,
        "program": found.program(),
        "evidence": REFUTATION,
    }
    answer["corrected"] = {"row": base.key, "statement": found.latex(swapped=False), "source": plain["place"]}
    words = f"c/{found.name} before the right side, with {'one c for all' if swapped else 'a c for every'} {found.name}"
    made = {
        "statement": found.latex(swapped=swapped),
        "words": found.words(swapped=swapped),
        "inequality": None,
        "truth": "false" if swapped else "true",
        "reading": "made",
        "steps": [] if swapped else [*plain["steps"], f"c = {found.name}"],
        "perturbed": {"kind": "swapped quantifier", "words": words, "of": base.made.words()},
    }
    return name_record(plain | made | (answer if swapped else {}))


_inherited: list[tuple[list[Base], str, str]] = []


def _inherit(*given: Any) -> None:
    _inherited[:] = [given]


def _twins_of(index: int) -> list[Record]:
    bases, key, split = _inherited[0]
    base = bases[index]
    made = [describe_twin(base, twin, split) for twin in make_twins(base, key)]
    for found in swap(base.made, seed_of(key, base.key, "swap")) if split == "public" else ():
        made += [describe_swap(base, found, swapped=swapped) for swapped in (True, False)[: 1 + index % 2]]
    return made


def make_all_twins(bases: list[Base], key: str, split: str, jobs: int) -> list[Record]:
    """The twins of all statements as records, in their order, whatever the number of processes."""
    _inherit(bases, key, split)
    if jobs == 1:
        return [record for index in range(len(bases)) for record in _twins_of(index)]
    with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as pool:  # which inherits the statements
        return [record for each in pool.map(_twins_of, range(len(bases)), chunksize=2) for record in each]


def collect(
    rows: Iterable[Row], *, jobs: int = 1, secret: str = "", told: Callable[[str], None] = lambda text: None
) -> Export:
    """The records of the rows of a ledger whose statements are those of today."""
    made, chosen = Export(), []
    for row in rows:
        if row["kind"] in ("summary", "definition") or row["part"].startswith("impl:"):
            continue
        if row["verdict"] in (HOLDS, REFUTED, SLIP) or row["reason"] == "CORNER" or row["verdict"] == OPEN:
            chosen.append(row)
    told(f"{len(chosen)} rows of the ledger")
    registry.closure(row["key"] for row in chosen)
    current = [row for row in chosen if row["key"] in CLAIMS and THEOREMS[row["key"]].digest == row["digest"]]
    made.left_out["changed since they were decided"] = len(chosen) - len(current)
    proved = [row["key"] for row in current if is_proved(row)]
    bases = list(list_bases(CLAIMS[key] for key in proved))
    alone = {base.key: base for base in bases}
    records: dict[str, Record] = {}
    for row in current:
        record: Record | None = None
        if row["verdict"] == HOLDS and (class_of(row) in TRUE or is_cited(row)):
            record = describe_true(row, CLAIMS[row["key"]], alone.get(row["key"]))
        elif row["verdict"] in (REFUTED, SLIP):
            record = describe_false(row)
        elif row["verdict"] in (OPEN, INCONCLUSIVE):
            record = describe_row(row, truth="open")
        if record is None:
            words = {HOLDS: "hold by prose or at settings alone"}.get(
                row["verdict"], "have a program that needs the package"
            )
            made.skip(words)
        else:
            records.setdefault(record["id"], record)
    told(f"{len(records)} rows have a record; making twins of {len(bases)} proved steps")
    steps = [describe_twin(base, None, "public") for base in bases if not base.alone]
    twins = make_all_twins(bases, PUBLIC, "public", jobs)
    made.public = _once([*records.values(), *steps, *twins])
    if secret:
        told("making the held-out twins")
        known = {record["words"] for record in made.public}
        held = make_all_twins(bases, secret, "held-out", jobs)
        made.held_out = _once(record for record in held if record["words"] not in known)
    return made


def _once(records: Iterable[Record]) -> list[Record]:
    """Records of which no two ask the same, in the order of their ids: the first of them are a sample."""
    found: dict[str, Record] = {}
    for record in records:
        found.setdefault(record["words"], record)
    return sorted(found.values(), key=lambda record: record["id"])


def write_export(made: Export, folder: Path, secret: str = "") -> dict[str, Any]:
    """Write the files of an export into a folder; its manifest."""
    public = [dump(record) for record in made.public]
    sealed = [dump({"id": r["id"], "split": "held-out", "sha256": seal(r, secret)}) for r in made.held_out]
    manifest = {
        "name": "WITNESS",
        "version": VERSION,
        "lemmata": metadata.version("lemmata"),
        "canary": CANARY,
        "sha256": digest(public),
        "records": len(public),
        "held_out": len(sealed),
        "truths": count(made.public, "truth"),
        "areas": count(made.public, "area"),
        "grades": count([r for r in made.public if r["grade"]], "grade"),
        "perturbations": count([r["perturbed"] for r in made.public if r["perturbed"]], "kind"),
        "sources": sorted({r["source"]["id"] for r in made.public}),
        "left_out": made.left_out,
    }
    folder.mkdir(parents=True, exist_ok=True)
    here = resources.files("lemmata.experiments.benchmark")
    schema = json.loads((here / SCHEMA).read_text(encoding="utf-8"))
    texts = {
        RECORDS: "".join(f"{line}\n" for line in public),
        HELD_OUT: "".join(f"{line}\n" for line in sealed),
        SCHEMA: json.dumps(schema, indent=1) + "\n",
        MANIFEST: json.dumps(manifest, indent=1, ensure_ascii=False) + "\n",
        CARD: write_card(manifest, (here / "card.md").read_text(encoding="utf-8")),
    }
    for name, text in texts.items():
        replace_file(folder / name, text)
    return manifest


def write_card(manifest: Mapping[str, Any], template: str) -> str:
    """The data card, with the numbers of an export."""
    tables = {
        name: "\n".join(f"| {value} | {n} |" for value, n in manifest[name].items())
        for name in ("truths", "areas", "grades", "left_out")
    }
    return template.format(**manifest | tables | {"sources": ", ".join(manifest["sources"])})


def seal(record: Record, secret: str) -> str:
    """What is published of a held-out record: SHA-256 of a nonce that the secret makes, and of the record."""
    nonce = hmac.new(secret.encode(), record["id"].encode(), "sha256").hexdigest()
    return hashlib.sha256(f"{nonce}\n{dump(record)}".encode()).hexdigest()
