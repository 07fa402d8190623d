"""Frozen statements: a printed statement changes only with a line in the history of its paper.

`accepted.csv` in a paper's folder holds the digest of every record: id, part, formula in LaTeX, hypotheses, function
and all that it calls in bounds/. A change of a printed one needs a line in `history.md` there: the key, the first eight
digits of its new digest ("gone" for a statement that is taken out), and the reason; then `lemmata accept` records it.
"""

import math
import re
import subprocess
import sys

import numpy as np
import pytest

import tests.claims  # noqa: F401 (it registers every claim)
from lemmata.bounds.bms22 import relative_deviation
from lemmata.bounds.library import library
from lemmata.bounds.statement import source
from lemmata.bounds.theorem import THEOREMS, Theorem, at_least, between, in_unit_interval, integer, positive
from lemmata.experiments.conformance import accepted


@pytest.mark.record
@pytest.mark.parametrize("paper", library.house, ids=lambda paper: paper.id)
def test_a_printed_statement_changes_with_its_line_in_the_history_only(paper):
    now = {key: digest for key, digest in accepted.records(paper).items() if key.split("/")[1] == "printed"}
    history = accepted.history_of(paper)
    assert history, f"{paper.id} has no {accepted.HISTORY}"
    lacking = accepted.unannounced(accepted.printed(accepted.read(paper)), now, history)
    assert not lacking, f"say why in bounds/{paper.id}/{accepted.HISTORY}"


@pytest.mark.parametrize("paper", library.house, ids=lambda paper: paper.id)
def test_a_history_explains_the_form_of_the_digests(paper):
    assert {line.form for line in accepted.read(paper).values()} == {source.FORM}
    assert f"form {source.FORM}" in (accepted.history_of(paper) or ""), "say what changed in the texts, and why"


@pytest.mark.record
@pytest.mark.parametrize("paper", library.house, ids=lambda paper: paper.id)
def test_every_record_is_frozen(paper):
    frozen = {key: line.digest for key, line in accepted.read(paper).items()}
    assert frozen == accepted.records(paper), "renew it: lemmata accept"


HISTORY = """# a
## Unreleased
- `a.b/printed` 12345678: an m for an n.
- a.c/printed gone: merged
## 0.1.0
- x is 99999999 now
"""


@pytest.mark.parametrize(
    ("now", "missing"),
    [
        ({"a.b/printed": "0" * 16, "a.c/printed": "1" * 16, "x": "2" * 16}, {}),  # nothing changed
        ({"a.b/printed": "1234567812345678", "x": "2" * 16}, {}),  # both have a line
        ({"a.b/printed": "1234567912345678", "a.c/printed": "1" * 16, "x": "2" * 16}, {"a.b/printed": "12345679"}),
        ({"a.b/printed": "0" * 16, "a.c/printed": "1" * 16, "x": "9" * 16}, {"x": "99999999"}),  # not next to its key
        ({"a.b/printed": "0" * 16, "a.c/printed": "1" * 16}, {"x": "gone"}),
    ],
)
def test_a_change_without_its_line_is_caught(now, missing):
    before = {"a.b/printed": "0" * 16, "a.c/printed": "1" * 16, "x": "2" * 16}
    assert accepted.unannounced(before, now, HISTORY) == missing


HELPERS = "C = 3\n\n\ndef helper(n):\n    return C * n\n"
FORMULA = """from lemmata.bounds.theorem import require
from lemmata.bounds._{name} import helper

NEEDS = require("n is not 7", lambda n: n != 7)


@print
def level(*, n: int) -> float:
    \"\"\"A docstring.\"\"\"
    return helper(n) + 1
"""


@pytest.fixture
def digest_of(tmp_path, monkeypatch):
    """The digest of a toy statement whose files are these two texts, in a folder of their own."""
    from lemmata import bounds

    def made(helpers=HELPERS, formula=FORMULA, name="helpers"):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        monkeypatch.setattr(bounds, "__path__", [*bounds.__path__[:1], str(folder)])
        (folder / f"_{name}.py").write_text(helpers)
        (path := folder / "formula.py").write_text(formula.format(name=name))
        source._home.cache_clear()
        names = {"__name__": "formula", "print": lambda function: function}
        exec(compile(path.read_text(), str(path), "exec"), names)
        theorem = Theorem("a.b", "", "printed", "inequality", "x", (names["NEEDS"],), "", False, names["level"])
        sys.modules.pop(f"lemmata.bounds._{name}")
        return theorem.digest

    yield made
    source._home.cache_clear()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return helper(n) + 1", "return helper(n) + 2"),
        ("return helper(n) + 1", "return helper(n + 1)"),
        ("n != 7", "n != 8"),
        ('"n is not 7"', '"n is not 8"'),
        ("C = 3", "C = 4"),
        ("C * n", "C + n"),
    ],
)
def test_formula_and_hypotheses_are_in_the_digest(digest_of, old, new):
    """And what the formula calls."""
    assert digest_of(HELPERS.replace(old, new), FORMULA.replace(old, new)) != digest_of()


def test_folder_docstring_annotations_and_layout_are_not(digest_of):
    other = FORMULA.replace("A docstring.", "Another.").replace("n: int) -> float", "n)").replace("n) + 1", "n) + (1)")
    assert digest_of(formula=other) == digest_of() == digest_of("# a comment\n\n" + HELPERS, name="elsewhere")


@pytest.mark.parametrize(("old", "new"), [("helper", "reviewer"), ("C", "BOUND")])
def test_what_helpers_are_called_is_not(digest_of, old, new):
    renamed = [re.sub(rf"\b{old}\b", new, text) for text in (HELPERS, FORMULA)]
    assert digest_of(*renamed) == digest_of()


def test_which_helper_is_called_is_in_the_digest(digest_of):
    two = HELPERS + "\n\ndef other(n):\n    return C - n\n"
    both = FORMULA.replace("import helper", "import helper, other").replace("helper(n) + 1", "helper(n) + other(n)")
    swapped = both.replace("helper(n) + other(n)", "other(n) + helper(n)")
    assert digest_of(two, both) != digest_of(two, swapped)


def test_helpers_of_a_real_statement_are_reached():
    """The form of the relative deviation bound stands in a helper that several lemmas share."""
    text = source.source(relative_deviation.relative)
    body = text.splitlines()[1].partition("_0_")[0].strip()  # up to the first helper
    shared = [key for key, theorem in THEOREMS.items() if body in source.source(theorem.formula)]
    assert {"bms22.lemA.1/printed", "wzw25.lemI.2/printed"} <= set(shared)


@pytest.mark.parametrize("name", ["gone.py", "<string>"])
def test_a_function_that_stands_in_no_file_has_no_text(name):
    scope = {}
    exec(compile("def f():\n    return 1", name, "exec"), scope)
    assert source.source(scope["f"]) == ""


def test_digests_do_not_depend_on_what_was_imported_first():
    """Here everything was imported, in the order of the papers; there one late module comes first."""
    key = "wzw25.lemI.2/printed"
    late = f"import {THEOREMS[key].formula.__module__}"
    code = f"{late}\nfrom lemmata.bounds.theorem import THEOREMS\nprint(THEOREMS[{key!r}].digest)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == THEOREMS[key].digest


@pytest.mark.parametrize(
    "hypothesis, inside, outside",
    [(in_unit_interval("beta"), [0.5, 0.1], [0.5, 1.5]), (positive("n"), [1.0, 2.0], [1.0, -2.0])],
)
def test_a_hypothesis_on_an_array_is_one_on_all_its_entries(hypothesis, inside, outside):
    assert hypothesis.holds(inside)
    for wrong in (outside, outside[::-1], [0.5, math.nan]):
        assert not hypothesis.holds(wrong)


@pytest.mark.parametrize(
    "hypothesis",
    [in_unit_interval("x"), positive("x"), at_least("x", 0.5), between("x", -1, 1), integer("x", 0)],
    ids=lambda hypothesis: hypothesis.range,
)
@pytest.mark.parametrize("value", [0, 1, -1, 2**60 + 1, 10**400, 0.0, -0.0, 0.5, 1.0, 1.5, 5e-324, math.inf, math.nan])
def test_a_number_is_judged_as_an_array_of_it(hypothesis, value):
    try:
        expected = hypothesis.holds(np.array([value]))
    except OverflowError:
        with pytest.raises(OverflowError):
            hypothesis.admits({"x": value})
    else:
        assert hypothesis.admits({"x": value}) == expected
