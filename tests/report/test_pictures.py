"""The pictures of the pages: captions that a person wrote, what rests on what, and numbers as people read them."""

import re

import numpy as np
import pytest

from lemmata.bounds.library import PaperError, library
from lemmata.bounds.theorem import THEOREMS
from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.ledger.curves import Picture, Rate
from lemmata.experiments.figures.captions import (
    Caption,
    apply_caption,
    read_captions,
    write_caption,
)
from lemmata.experiments.figures.claims import plot_picture
from lemmata.experiments.figures.style import COLOURS, INK, ON_DARK, svg
from lemmata.experiments.report import citations, dependency_graph
from lemmata.experiments.report.layout import mark_up_symbols
from lemmata.experiments.report.page_figures import choose_pictures, explain_idle_captions
from tests.house.test_words import met

CAPTION = Caption("It falls.", "records n", "risk", {"bound": "bound", "exact": "exact"})
CURVES = Picture(
    {"n": 7, "epsilon": 0.5, "size": 3}, {"n": [1, 2, 3], "exact, x = 4": [1, 2, 2], "bound": [9, 8, 3]}, None
)


# Captions -------------------------------------------------------------------------------------------------------------


def test_captions_are_of_rows_that_there_are_and_say_what_to_see():
    registry.load(registry.list_modules())
    captions = read_captions(library.house)
    assert len(captions) > 40 and set(captions) <= set(THEOREMS)
    for key, caption in captions.items():
        assert caption.sees.endswith(".") and 30 < len(caption.sees) < 300 and met(caption.sees) == [], key
        assert len(set(caption.lines.values())) == len(caption.lines), key
        assert "_" not in caption.x + caption.y + "".join(caption.lines.values()), key


def test_a_figure_without_a_caption_is_on_no_page():
    pairs = [({"key": "a"}, [CURVES, CURVES]), ({"key": "b"}, [CURVES])]
    assert [len(pictures) for pictures in choose_pictures(pairs, {"a": CAPTION})] == [1, 0]


def test_a_caption_that_shows_nothing_says_why():
    flat = CURVES._replace(series={"n": [1, 2, 3], "exact": [1, 2, 3], "bound": [2, 4, 6]})
    other = CURVES._replace(series={"n": [1, 2, 3], "truth": [1, 2, 2], "limit": [9, 8, 3]})
    shown = {"shown": [CURVES], "none": [], "flat": [flat], "other": [other], "waits": []}
    pairs = [({"key": key, "verdict": "OPEN" if key == "waits" else "REFUTED"}, drawn) for key, drawn in shown.items()]
    told = explain_idle_captions(pairs, dict.fromkeys([*shown, "gone"], CAPTION))
    expected = {"none": "no curves", "flat": "not constant", "other": "got curves truth, limit", "gone": "no row"}
    assert [line.split()[1] for line in told] == [*expected]
    assert all(words in line for words, line in zip(expected.values(), told, strict=True)), told


def test_curves_and_axes_are_called_what_the_caption_calls_them():
    made = apply_caption(CURVES, CAPTION)
    assert made.series == {"records n": [1, 2, 3], "bound": [9, 8, 3], "exact": [1, 2, 2]}
    assert made.axes == ("records n", "risk") and write_caption(made, CAPTION) == "It falls. Drawn at ε = 0.5."
    assert apply_caption(CURVES, CAPTION._replace(lines={"truth": "truth"})) is None
    drawn = svg(plot_picture, made)
    assert all(f">{words}</text>" in drawn for words in ("records n", "risk", "bound", "exact"))
    assert "size = 3" not in drawn


def test_the_axes_of_a_rate_are_in_words():
    rate = Picture({"n": 3, "mu": 0.5}, {}, Rate("n", np.array([1.0, 10, 100]), np.array([1, 0.1, 0.02]), -0.9))
    made = apply_caption(rate, CAPTION._replace(lines={}))
    assert write_caption(made, CAPTION) == "It falls. Drawn at μ = 0.5."
    assert ">records n</text>" in svg(plot_picture, made)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('["a.lem1/printed"]\nsees = "x."\nx = "n"', "y must be a string, got None"),
        ('["a.lem1/printed"]\nsees = " "\nx = "n"\ny = "p"', "sees must be a string, got ' '"),
        ('["a.lem1/printed"]\nsees = "x."\nx = "n"\ny = "p"\nz = 1', "z is unknown"),
        ("a = 1", "a: must be a table"),
        ("[", "cannot be read"),
    ],
)
def test_a_caption_that_cannot_be_read_is_refused_in_one_line(tmp_path, text, words):
    (tmp_path / "paper.toml").write_text('id = "captioned"\nauthors = ["A B"]\ntitle = "T"\nyear = 2026\n[contents]\n')
    (tmp_path / "captions.toml").write_text(text)
    paper = library.papers["wzw25"].__class__(("A B",), "T", 2026, id="captioned", folder=tmp_path)
    with pytest.raises(PaperError, match=re.escape(words)) as error:
        read_captions([paper])
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
    shown = dependency_graph.describe_dependencies(
        [s | {"label": library.label(s["id"])} for s in statements], rows, [paper]
    )
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
    assert mark_up_symbols(f"<p>{text}</p>") == f"<p>{read or text}</p>"


# Contact --------------------------------------------------------------------------------------------------------------


def test_a_host_of_the_site_says_where_authors_reply(monkeypatch):
    monkeypatch.setenv("LEMMATA_CONTACT", "https://example.org/issues")
    assert citations.find_contact(library.papers["wzw25"]) == "https://example.org/issues"


# Style ----------------------------------------------------------------------------------------------------------------


def luminance(colour):
    """The relative luminance of a colour such as #1d1c1a, as WCAG 2.2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def test_every_colour_of_a_figure_has_a_twin_for_dark_pages():
    drawn = svg(plot_picture, CURVES)
    _, style, body = drawn.partition("</style>")
    assert style and "prefers-color-scheme: dark" in drawn and set(COLOURS) | {INK} == set(ON_DARK)
    assert set(re.findall("#[0-9a-f]{6}", body)) <= set(ON_DARK)
    assert len(re.findall("#[0-9a-f]{6}", body)) == len(re.findall(r"var\(--c[0-9a-f]{6}, #[0-9a-f]{6}\)", body)) > 10
    for twin in ON_DARK.values():
        assert (luminance(twin) + 0.05) / (luminance("#16171a") + 0.05) >= 4.5, twin


def test_equal_curves_give_equal_bytes():
    assert svg(plot_picture, CURVES) == svg(plot_picture, CURVES)
    assert "<metadata" not in svg(plot_picture, CURVES)
