"""The page: one HTML file that opens from disk without a network."""

from __future__ import annotations

import inspect
import json
import re

import jinja2
import joblib
from latex2mathml.converter import convert

from bounds import papers
from bounds.theorem import THEOREMS
from experiments.engine import graph
from experiments.engine.graph import CLASSES, class_of
from experiments.report.figures import figures, picture
from experiments.report.summary import by_reading, refuted_as_printed, slips


def mathml(latex):
    """A display formula as MathML. Raises ValueError if LaTeX survives the conversion."""
    made = convert(latex, display="block")
    if "\\" in made:
        left = ", ".join(re.findall(r"[\\]\w*", made))
        raise ValueError(f"says = {latex!r} is not wholly converted: {left}")
    return made


def number(value):
    """A number for people: four digits, and a dash for none."""
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def reach(row):
    """Truth / bound in words."""
    if not row["tightness"]:
        return "–"
    low, high = row["tightness"]
    return f"≥ {low:.3g}" if high is None else f"{low:.3g}" if low == high else f"{low:.3g} – {high:.3g}"


def dotted(value):
    """A witness field as text."""
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, dict | list) else str(value)


def anchor(key):
    return re.sub(r"[^A-Za-z0-9.-]", "_", key)


def derivation(theorem):
    """The docstring below its title."""
    return (inspect.getdoc(theorem.formula) or "").partition("\n")[2].strip()


def short_name(row):
    """What the page calls a row below its parent: its part, its step, or our own code; else the paper's label."""
    if row["part"].startswith("impl:"):
        return f"our code: {row['part'].removeprefix('impl:')}"
    if row["parent"]:
        step = row["id"].removeprefix(row["parent"]).strip(".")
        return " ".join(filter(None, (step and f"step {step}", row["part"]))) or row["label"]
    return f"{row['label']}: {row['part']}" if row["part"] else row["label"]


def statement(row, figures):
    """What the page shows of one row."""
    theorem = THEOREMS.get(row["key"]) or THEOREMS.get(row["key"].rsplit("/impl:", 1)[0])
    return row | {
        "anchor": anchor(row["key"]),
        "name": short_name(row),
        "class": class_of(row),
        "reach": reach(row),
        "formula": mathml(theorem.says) if theorem and row["kind"] != "summary" else "",
        "hypotheses": [h.range for h in theorem.needs] if theorem else [],
        "source": theorem.source if theorem else "",
        "text": derivation(theorem) if theorem and row["kind"] != "summary" else "",
        "figures": figures,
        "witness_fields": [
            (name, dotted(value)) for name, value in (row["witness"] or {}).items() if name != "python" and value != ""
        ],
        "python": (row["witness"] or {}).get("python", ""),
    }


def draw_links(rows):
    """Add to every row what it rests on, by its links and by statement further down, and what falls if it falls."""
    by_key = {row["key"]: row for row in rows}
    down = {key: [link for link in row["rests_on"] if link in by_key] for key, row in by_key.items()}
    up = graph.upwards({key: links for key, links in down.items() if by_key[key]["verdict"] != "REFUTED"})
    for key, row in by_key.items():
        further = [link for link in graph.reached([key], down) if link not in down[key]]
        row["links"] = [by_key[link] for link in down[key]]
        row["further"] = graph.by_statement(further)
        row["falls"] = graph.by_statement(graph.reached([key], up))


def _environment():
    return jinja2.Environment(
        loader=jinja2.PackageLoader("experiments.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def plain_page(template):
    """A page that needs nothing from the store."""
    return _environment().get_template(template).render()


def render(pairs, root):
    """The whole page from [(row, its cells)]."""
    pictures = [[picture(cell) for cell in cells if cell.verdict] for _, cells in pairs]
    drawn = joblib.Parallel(n_jobs=-1, batch_size=20)(map(joblib.delayed(figures), pictures))
    rows = [statement(row, svgs) for (row, _), svgs in zip(pairs, drawn, strict=True)]
    environment = _environment()
    environment.filters["number"] = number
    draw_links(rows)
    groups = [
        (
            paper,
            [row for row in rows if row["paper"] == paper.id and row["kind"]],
            [row for row in rows if row["paper"] == paper.id and not row["kind"]],
        )
        for paper in papers.PAPERS.values()
    ]
    return environment.get_template("index.html.j2").render(
        groups=groups,
        classes=CLASSES,
        tally=by_reading(rows),
        refuted=refuted_as_printed(rows),
        slips=slips(rows),
        root=root,
        anchor=anchor,
    )
