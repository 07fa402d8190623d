"""What a notebook is given: verdicts in the words of the command, names as it takes them, cards that are safe."""

from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

import lemmata
from lemmata.bounds.statement.notebook import card
from lemmata.command.main import main
from lemmata.experiments.engine.front.explanation import fit_lines

NASTY = "<script>alert('&')</script>"


@pytest.mark.parametrize("name", ["wzw25 Lemma 6.4", "wzw25.lem6.4.s1", "RBHT09.thm16/printed"])
def test_a_verdict_says_what_explain_says(name):
    found = lemmata.verdict(name)
    said = CliRunner(env={"COLUMNS": "160"}).invoke(main, ["explain", name])
    assert said.exit_code == 0 and said.stdout.strip() == fit_lines(str(found), 160).strip()
    short = CliRunner().invoke(main, ["explain", "--short", name]).stdout
    assert found.title in short.replace("\n", " ") and found.facts["true?"] in " ".join(short.split())


def test_a_verdict_has_fields(tmp_path):
    found = lemmata.verdict("wzw25 Lemma 6.4", tmp_path)  # where nothing was run: a checkout's results may be stale
    assert (found.id, found.verdict) == ("wzw25.lem6.4", "SLIP") and found.title.startswith("Lemma 6.4 of Wang")
    assert list(found.facts) == "true? where printed cite witness evidence control parts code".split()
    main_row = next(row for row in found.rows if row["key"] == "wzw25.lem6.4/printed")
    assert main_row["verdict"] == found.verdict and "verdict='SLIP'" in repr(found) and len(repr(found)) < 300


@pytest.mark.parametrize(
    ("said", "name"),
    [
        *(("ID must name ", name) for name in ("wzw25 Lemma 99.9", "wzw25", "lemma 99.9")),
        *((r"name must be the id or label of a statement, .*, got ", name) for name in (None, 5, "", ["wzw25.lem6.4"])),
    ],
)
def test_a_name_that_is_no_statement_is_one_line(said, name):
    with pytest.raises(ValueError, match=said) as raised:
        lemmata.verdict(name)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("sampler", [lambda: 1, lambda rng: rng.normal(), lambda rng, size, more: 1])
def test_a_sampler_of_another_signature_is_told_how_it_is_called(sampler):
    """It raised at every release, which named the lambda and not what it should take."""
    with pytest.raises(ValueError, match=r"sample_b must take \(rng, size\) and return `size` releases, but takes \("):
        lemmata.audit(lambda rng, size: rng.normal(size=size), sampler, lemmata.PureDP(1.0), root=1, budget=500)
    with pytest.raises(ValueError, match="root must be an integer >= 0, got 'one'"):
        lemmata.audit([0.0], [1.0], lemmata.PureDP(1.0), root="one")


def keys(name):
    return {theorem.key for theorem in lemmata.theorems(name)}


def test_theorems_takes_what_the_command_line_takes():
    assert keys("wzw25 Lemma 6.4") == keys("wzw25.lem6.4") == keys("6.4 WZW25") != set()
    assert keys("wzw25.lem6.4.s1/printed") == {"wzw25.lem6.4.s1/printed"}
    assert keys("wzw25.lem6.4") < keys("wzw25/margin_grid") < keys("wzw25") < keys("")
    with pytest.raises(ValueError, match=r"did you mean|`lemmata ledger` lists them"):
        lemmata.theorems("wzw25 Lemma 99.9")


def test_a_theorem_prints_in_symbols():
    (theorem,) = (one for one in lemmata.theorems("wzw25.lem6.4") if one.key == "wzw25.lem6.4/printed")
    lines = str(theorem).splitlines()
    assert lines[0].startswith("Lemma 6.4, printed: ") and "γ" in lines[2] and "\\" not in str(theorem)


def shown(folder):
    account = lemmata.Accountant(lemmata.ApproxDP(1.0, 1e-5))
    account.spend(lemmata.PureDP(0.25), NASTY)
    a, b = (lambda rng, size, m=m: rng.normal(m, size=size) for m in (0.0, 0.5))
    yield account, ["epsilon=0.25", NASTY]
    yield lemmata.audit(a, b, lemmata.PureDP(1.0), root=1, budget=500), ["PureDP(epsilon=1.0", "judged"]
    yield lemmata.PrivateSearchCV().cost(), ["6 settings", "114 expected"]
    yield from ((theorem, [theorem.label, theorem.key]) for theorem in lemmata.theorems("wzw25.lem6"))
    yield lemmata.verdict("wzw25 Lemma 6.4", folder), ["SLIP", "true?"]


def test_every_card_is_well_formed_escaped_and_without_a_paper_of_its_own(tmp_path):
    """Parsed as XML; on any ground: no colour of text or ground but three accents and what is inherited."""
    for one, words in shown(tmp_path):
        html = one._repr_html_()
        tree = ElementTree.fromstring(html)
        text = "".join(tree.itertext())
        assert all(word in text for word in words), (one, text)
        assert "<script" not in html
        for element in tree.iter():
            assert element.tag in {"div", "b", "table", "tr", "th", "td", "details", "summary", "pre"}
            style = element.get("style", "")
            assert "background" not in style or "background:none" in style
    assert NASTY not in card(NASTY, [(NASTY, NASTY)], mark=NASTY, below=NASTY)


def test_an_audit_of_an_estimator_goes_through_its_law():
    """Thousands of releases in the time of a few fits, and a promise of a tenth of what is spent is refuted."""
    X = np.tile([[0.8, 0.6]], (4, 1))
    y, other = np.ones(4), np.array([1.0, 1.0, 1.0, -1.0])
    model = lemmata.NoisyGD(epsilon=4.0, delta=0.01, classes=(-1, 1), steps=1)
    sides = [(model, X, labels) for labels in (y, other)]
    assert lemmata.audit(*sides, lemmata.ApproxDP(4.0, 0.01), root=1, budget=20_000).verdict == "INCONCLUSIVE"
    assert lemmata.audit(*sides, lemmata.ApproxDP(0.4, 0.01), root=1, budget=20_000).verdict == "REFUTED"
