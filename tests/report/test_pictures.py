"""The pictures of the pages: captions that a person wrote, what rests on what, and numbers as people read them."""

import re

import numpy as np
import pytest

from lemmata.bounds.library import PaperError, library
from lemmata.bounds.theorem import THEOREMS
from lemmata.experiments.compact import compact
from lemmata.experiments.drawing import drawn
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.ledger.curves import Picture, Rate
from lemmata.experiments.report import citing, rests
from lemmata.experiments.report.captions import Caption, captioned, captions_of, told
from lemmata.experiments.report.dress import readable
from lemmata.experiments.report.figures import chosen
from tests.house.test_words import met

CAPTION = Caption("It falls.", "records n", "risk", {"bound": "bound", "exact": "exact"})
CURVES = Picture(
    {"n": 7, "epsilon": 0.5, "size": 3}, {"n": [1, 2, 3], "exact, x = 4": [1, 2, 2], "bound": [9, 8, 3]}, None
)


# Captions -------------------------------------------------------------------------------------------------------------


def test_captions_are_of_rows_that_there_are_and_say_what_to_see():
    registry.load(registry.list_modules())
    captions = captions_of(library.house)
    assert len(captions) > 40 and set(captions) <= set(THEOREMS)
    for key, caption in captions.items():
        assert caption.sees.endswith(".") and 30 < len(caption.sees) < 300 and met(caption.sees) == [], key
        assert len(set(caption.lines.values())) == len(caption.lines), key
        assert "_" not in caption.x + caption.y + "".join(caption.lines.values()), key


def test_a_figure_without_a_caption_is_on_no_page():
    pairs = [({"key": "a"}, [CURVES, CURVES]), ({"key": "b"}, [CURVES])]
    assert [len(pictures) for pictures in chosen(pairs, {"a": CAPTION})] == [1, 0]


def test_curves_and_axes_are_called_what_the_caption_calls_them():
    made = captioned(CURVES, CAPTION)
    assert made.series == {"records n": [1, 2, 3], "bound": [9, 8, 3], "exact": [1, 2, 2]}
    assert made.axes == ("records n", "risk") and told(made, CAPTION) == "It falls. Drawn at ε = 0.5."
    assert captioned(CURVES, CAPTION._replace(lines={"truth": "truth"})) is None
    svg = drawn([made], "svg")[0].decode()
    assert all(f">{words}</text>" in svg for words in ("records n", "risk", "bound", "exact")) and "size = 3" not in svg


def test_the_axes_of_a_rate_are_in_words():
    rate = Picture({"n": 3, "mu": 0.5}, {}, Rate("n", np.array([1.0, 10, 100]), np.array([1, 0.1, 0.02]), -0.9))
    made = captioned(rate, CAPTION._replace(lines={}))
    assert told(made, CAPTION) == "It falls. Drawn at μ = 0.5."
    assert ">records n</text>" in drawn([made], "svg")[0].decode()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('["a.lem1/printed"]\nsees = "x."\nx = "n"', "y = None is not a text"),
        ('["a.lem1/printed"]\nsees = " "\nx = "n"\ny = "p"', "sees = ' ' is not a text"),
        ('["a.lem1/printed"]\nsees = "x."\nx = "n"\ny = "p"\nz = 1', "z is unknown"),
        ("a = 1", "is no table"),
        ("[", "cannot be read"),
    ],
)
def test_a_caption_that_cannot_be_read_is_refused_in_one_line(tmp_path, text, words):
    (tmp_path / "paper.toml").write_text('id = "captioned"\nauthors = ["A B"]\ntitle = "T"\nyear = 2026\n[contents]\n')
    (tmp_path / "captions.toml").write_text(text)
    paper = library.papers["wzw25"].__class__(("A B",), "T", 2026, id="captioned", folder=tmp_path)
    with pytest.raises(PaperError, match=re.escape(words)) as error:
        captions_of([paper])
    assert "\n" not in str(error.value) and "captions.toml" in str(error.value)


# What rests on what ---------------------------------------------------------------------------------------------------


def row(id, *rests_on, verdict="HOLDS"):
    return {"id": id, "verdict": verdict, "rests_on": [f"{other}/printed" for other in rests_on]}


def test_arcs_lead_from_a_statement_to_each_that_it_rests_on():
    paper, names = library.papers["wzw25"], ["wzw25.lem6.4", "wzw25.thm6.5", "wzw25.lemG.1", "wzw25.lemA.5"]
    rows = [
        row("wzw25.thm6.5", "wzw25.lem6.4", "bms22.lemA.1"),
        row("wzw25.lem6.4", "wzw25.lemG.1"),
        row("wzw25.lem6.4.s1", "wzw25.lem6.4", "wzw25.lemG.1"),
        row("wzw25.lemG.1", "wzw25.lemA.5", verdict="REFUTED"),
    ]
    statements = [{"id": id, "paper": paper} for id in names]
    shown = rests.resting([s | {"label": library.label(s["id"])} for s in statements], rows, [paper])
    (drawing,) = shown["drawings"]
    assert {(arc["from"], arc["to"]) for arc in drawing["arcs"]} == {
        ("wzw25.thm6.5", "wzw25.lem6.4"),
        ("wzw25.lem6.4", "wzw25.lemG.1"),
    }
    assert len(drawing["arcs"]) == 2 and drawing["elsewhere"] == ["bms22.lemA.1"]
    assert [s["id"] for s in drawing["left_out"]] == ["wzw25.lemA.5"]
    assert {dot["s"]["id"]: dot["falls"] for dot in drawing["dots"]} == dict(zip(names[:3], (1, 0, 2), strict=True))
    assert [(line["s"]["id"], line["falls"]) for line in shown["most"]] == [(names[2], 2), (names[0], 1)]
    assert (shown["alone"], shown["total"]) == (2, 4)


# Numbers --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("n = 6000000, m = 12345.", "n = 6,000,000, m = 12,345."),
        ("-100000 and 2024", "-100,000 and 2024"),
        ("arXiv:2505.24737 10.48550/arXiv 1/16384 v12345 0.12345 12345.5", None),
        ("1,234,567 and wzw25-12345 and 20240101a", None),
        ('<a title="12345">12345</a> <code>12345</code>', '<a title="12345">12,345</a> <code>12345</code>'),
    ],
)  # fmt: skip
def test_counts_have_commas_and_names_have_none(text, read):
    assert readable(f"<p>{text}</p>") == f"<p>{read or text}</p>"


# Contact --------------------------------------------------------------------------------------------------------------


def test_a_host_of_the_site_says_where_authors_reply(monkeypatch):
    monkeypatch.setenv("LEMMATA_CONTACT", "https://example.org/issues")
    assert citing.contact(library.papers["wzw25"]) == "https://example.org/issues"


def test_a_compact_picture_keeps_what_paints():
    """Groups, names and papers without a colour go; what neighbours share stands once, a marker's style with it."""
    tick = '<use xlink:href="#m" x="{}" y="0" style="stroke: #fff; fill: currentColor"/>'
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><g id="figure_1">'
        '<path d="M 0 0 \nL 1 1 " style="fill: none"/><defs><path id="m" d="M 0 0 L 0 3" style="stroke: #fff"/></defs>'
        + "".join(map(tick.format, range(3)))
        + '<path id="line2d_1" d="M 0 0 L 5 5" style="fill: none; stroke: #a00; stroke-width: 2"/></g></svg>'
    )
    made = compact(svg)
    assert made.count("<use ") == 3 and made.count("stroke:#fff") == 1 and 'href="#m"' in made
    assert "M0 0L5 5" in made and "M0 0L1 1" not in made and "figure_1" not in made and "<g" not in made
    assert compact(made) == made
