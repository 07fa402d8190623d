"""One headline a statement: short, the same everywhere, and never against the verdicts of its rows."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

import tests.claims  # noqa: F401 (it registers every claim)
from lemmata.bounds.exact.balls import exact
from lemmata.bounds.exact.gaussian_maxima import max_exceeds
from lemmata.bounds.library import library
from lemmata.bounds.statement.verdicts import HOLDS, INCONCLUSIVE, NOT_A_CLAIM, OPEN, REFUTED, SLIP, VACUOUS
from lemmata.bounds.wzw25 import gaussian_maxima
from lemmata.experiments.conformance import accepted
from lemmata.experiments.engine.claims.verdict import Verdict
from lemmata.experiments.engine.front import explanation
from lemmata.experiments.engine.ledger import ledger_rows, published, verdict_steps
from lemmata.experiments.engine.ledger.graph import tally
from lemmata.experiments.engine.ledger.headline import FALLEN, LONGEST, TIMES, badness, headline
from lemmata.experiments.engine.running.store import Store
from lemmata.experiments.report import site, words
from lemmata.experiments.report.summary import tally_by_reading
from lemmata.mechanisms.numerics.streams import LEDGER_ROOT


def decided(lines, claim):
    """What `evaluate` says of a claim whose row came to what was accepted: a verdict, and a control with teeth."""
    line = lines[claim.key]
    fell = line.verdict == SLIP or (line.verdict, line.reason) == (INCONCLUSIVE, "CORNER")
    evidence = "sampled" if claim.style in ("tail", "mean") else "derivation"
    shown = {"setting": {}, "claimed": 1, "found": 2} if fell or line.verdict == REFUTED else None
    came = Verdict(
        REFUTED if fell else line.verdict, "" if fell else line.reason, evidence, "everywhere", witness=shown
    )
    return came, [], SimpleNamespace(outcome=REFUTED, smallest_detected_factor="it", tried=[]), "quick"


@pytest.fixture(scope="module")
def rows():
    """The ledger as it was accepted, without running anything."""
    lines = accepted.everything()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ledger_rows, "evaluate", lambda claim, store, root, *_: decided(lines, claim))
        steps = [step for step in verdict_steps.STEPS if step.evidence not in ("oracle", "program")]
        patch.setattr(verdict_steps, "STEPS", steps)
        return ledger_rows.ledger(Store(), LEDGER_ROOT)


@pytest.fixture(scope="module")
def pages(rows):
    """{statement: what its page is made of}."""
    shown = [words.view_row(row, []) for row in rows]
    return {id: site.describe_statement(id, shown) for id in library.ids if any(row["id"] == id for row in rows)}


STATEMENTS = [id for paper in library.house for id in paper.contents]


def own(rows, id):
    return [row for row in rows if row["id"] == id and row["kind"] != "summary" and "impl:" not in row["key"]]


def printed_heads(rows, id):
    """The row of the statement itself as it is printed, if there is one: the others are parts and steps."""
    return [row for row in rows if row["id"] == id and row["reading"] == "printed" and not row["parent"]]


def test_the_ledger_comes_to_what_was_accepted(rows):
    lines = accepted.everything()
    moved = [r["key"] for r in rows if r["key"] in lines and r["verdict"] != (lines[r["key"]].verdict or r["verdict"])]
    assert not moved


@pytest.mark.parametrize("id", STATEMENTS)
def test_a_headline_is_short_and_the_same_everywhere(id, rows, pages):
    said = headline(own(rows, id))
    assert len(said) <= LONGEST and "…" not in said and said.startswith(library.label(id))
    # No printed row: a base of which other readings alone are written down.
    assert [row["headline"] for row in printed_heads(rows, id)] in ([said], [])
    assert pages[id]["headline"] == explanation.in_symbols(said)
    assert f"true?      {said}." in explanation.explain_in_short(
        id, [row for row in rows if id in (row["id"], row["parent"])]
    )


@pytest.mark.parametrize("id", STATEMENTS)
def test_a_headline_does_not_contradict_a_verdict(id, rows):
    """What a reader takes from it, yes, no or neither, is what the most important of its printed rows came to."""
    said = headline(own(rows, id)).removeprefix(library.label(id))
    printed = [row for row in own(rows, id) if row["reading"] == "printed"]
    verdicts = {row["verdict"] for row in printed} - {NOT_A_CLAIM}
    if verdicts <= {HOLDS} and verdicts:
        assert "true as printed" in said or "held wherever" in said
    else:
        assert not said.startswith((" is true as printed", " held wherever"))
    assert ("undecided" in said) <= (INCONCLUSIVE in verdicts)
    assert ("but for an edge case" in said or "but for a misprint" in said) <= (SLIP in verdicts)
    for head in (row for row in printed_heads(rows, id) if row["verdict"] != NOT_A_CLAIM):
        assert badness(head) == min(map(badness, printed)), "the ledger's row and its headline are about other parts"


@pytest.mark.parametrize("id", STATEMENTS)
def test_running_time_or_a_constant_alone_heads_no_statement_as_refuted(id, rows):
    printed = [row for row in own(rows, id) if row["reading"] == "printed" and row["verdict"] == REFUTED]
    assert all(row["severity"] == "constant" for row in printed if row["part"].startswith(TIMES))
    refuted = any(words.class_of(head) == "refuted" for head in printed_heads(rows, id)[:1])
    assert not refuted or any(row["severity"] != "constant" for row in printed)


@pytest.mark.parametrize("id", STATEMENTS)
def test_what_falls_says_in_its_headline_why(id, rows):
    first = min(own(rows, id), key=badness)
    if first["reading"] == "printed" and first["verdict"] == REFUTED:
        assert (
            first["finding"] and headline(own(rows, id)).removeprefix(f"{library.label(id)}: ") not in FALLEN.values()
        )


ROW = dict.fromkeys(("part", "reason", "severity", "finding", "misprint", "note"), "")
ROW |= {"id": "bms22.thm3.2", "kind": "rate", "reading": "printed", "verdict": HOLDS, "evidence": "derivation"}
PRIVACY = ROW | {"part": "privacy", "kind": "privacy"}
UTILITY, TIME = ROW | {"part": "utility"}, ROW | {"part": "time"}
FALLS = {"verdict": REFUTED, "severity": "statement", "finding": "the sign is wrong"}


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([ROW], " is true as printed"),
        ([ROW | {"evidence": "sampled"}], " held wherever we tried it"),
        ([UTILITY | FALLS, PRIVACY], ": the sign is wrong"),
        ([UTILITY | FALLS, PRIVACY | FALLS | {"severity": "privacy", "finding": "it leaks"}], ": it leaks"),
        ([TIME | FALLS | {"severity": "constant"}, UTILITY | {"verdict": INCONCLUSIVE}], ": utility undecided; time "),
        ([TIME | {"verdict": SLIP}, UTILITY, PRIVACY], ": privacy, utility true; time true but for an edge case"),
        ([UTILITY | {"verdict": INCONCLUSIVE, "reason": "CORNER"}, PRIVACY], ": private; utility undecided"),
        ([ROW | {"verdict": SLIP, "misprint": "read X for Y"}], " is true but for a misprint"),
        ([ROW | {"verdict": INCONCLUSIVE, "reason": "CORNER"}], " is false in an edge case, undecided elsewhere"),
        ([ROW | FALLS | {"finding": "", "note": "n! is larger."}], ": n! is larger"),
        ([ROW | FALLS | {"finding": "", "note": "n! is larger. " * 9}], ": false as printed"),
        ([ROW | {"verdict": VACUOUS}], " is vacuous at the sizes we tried"),
        ([ROW | {"verdict": OPEN}], " is not decided yet"),
        ([ROW | {"verdict": NOT_A_CLAIM}], " is a definition, not a claim"),
        ([ROW | {"reading": "explicit"}], " is ours, and true"),
    ],
)
def test_the_most_important_part_comes_first(parts, words):
    assert headline(parts).startswith(f"Theorem 3.2{words}")


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (
            [PRIVACY] + [UTILITY | {"part": f"long name {i}", "verdict": SLIP} for i in range(4)],
            "private; rest true but for an edge case",
        ),
        ([PRIVACY, UTILITY | {"part": "x" * 50, "verdict": INCONCLUSIVE}], "private; rest undecided"),
        (  # what is true beside privacy is left out first
            [PRIVACY | {"verdict": SLIP}, UTILITY | {"verdict": INCONCLUSIVE}, UTILITY | {"part": "x" * 20}],
            "privacy true but for an edge case; utility undecided",
        ),
    ],
)
def test_parts_that_would_not_fit_are_counted(parts, words):
    assert headline(parts) == f"Theorem 3.2: {words}"


def test_the_readme_says_what_the_headlines_say(rows):
    """Each line of its table: a paper, a statement of it, and behind the label what the headline says."""
    text = Path("README.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| (\w+) \[([^]]*)\][^|]*\| ([^|]*?) \|", text, re.MULTILINE)
    assert len(table) >= 5
    heads = {(row["paper"], row["headline"]) for row in rows if row["headline"]}
    for paper, label, finding in table:
        labels = {library.label(id) for id in STATEMENTS if library.label(id).split(" (")[0] == label}
        assert any((paper, f"{each}: {finding}") in heads for each in labels), (paper, label, finding)


def test_the_readme_counts_what_was_published():
    """Its paragraph of numbers: printed statements, then parts and steps too."""
    ours = {paper.id for paper in library.house}  # other papers can be installed, such as the commons
    rows = [row for row in published.read_rows("reports").values() if row["paper"] in ours]
    text = " ".join(Path("README.md").read_text(encoding="utf-8").split())
    printed = tally_by_reading(rows)["printed"]
    every = tally(row for row in rows if row["kind"] != "summary")
    none = "not-a-claim"
    hold = [
        name for name in ("machine-checked", "derived", "composed", "citing", "tested", "asserted") if printed[name]
    ]
    assert hold == ["machine-checked", "asserted"]
    for said in (
        f"Of {printed.total()} printed statements {printed.total() - printed[none]} are claims",
        f"{printed['machine-checked']} are true on their whole domain, *machine-checked*",
        f"{printed['asserted']} hold wherever they were tried",
        f"{printed['slip']} are slips",
        f"{printed['refuted']} are false as printed, {printed['constant']} more by a constant alone",
        f"{printed['inconclusive']} are undecided. A false one",
        f"- {printed['inconclusive']} are undecided.",
        f"these are {every.total() - every[none]} rows",
        f"Of those that hold, {every['machine-checked']} are machine-checked, "
        f"{every['derived']} derived, {every['composed']} composed, {every['citing']} rest on a cited theorem, "
        f"{every['tested']} are tested, and {every['asserted']} are asserted",
    ):
        assert said in text, said


@pytest.mark.parametrize(
    ("key", "found", "said"),
    [
        ("bms22.lemF.1/printed/tail", r"probability ([\d.]+)", "fails with probability {:.2f} where 0.1 is allowed"),
        ("bms22.lem3.1.s3/printed", r"spends ([\d.]+)", "has a log-ratio of {:.2f}"),
        ("abgmu22.thm.boost/printed", r"([\d.]+)", "it needs δ = {:.2f};"),
    ],
)
def test_the_readme_has_the_numbers_of_the_counterexamples(key, found, said):
    text = " ".join(Path("README.md").read_text(encoding="utf-8").split())
    number = re.search(found, str(published.read_rows("reports")[key]["witness"]["found"]))
    assert said.format(float(number[1])) in text


def test_the_readme_has_the_probability_of_lemma_a5():
    """At another setting than the ledger's counterexample: a reader can check it with a table of the normal law."""
    z = gaussian_maxima.max_threshold(n=1, sigma=exact(10), beta=exact(0.05)) / 10
    assert f"with probability {float(max_exceeds(1, z).mid()):.4f} |" in Path("README.md").read_text(encoding="utf-8")
