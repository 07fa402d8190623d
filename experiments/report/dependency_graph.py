"""Dependencies, one picture per paper: its statements in order, and an arc from each to each of its dependencies."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lemmata.bounds.library import Paper, library
from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.experiments.engine.ledger import graph

LINE, LETTER = 18, 5.9  # units of the drawing: the height of a line, the width of a letter
WIDE = 350  # of the whole, so that it stands on a telephone without being made smaller
SHOWN = 8  # statements in the list of what most rests on


def link_statements(rows: Iterable[Mapping[str, Any]]) -> graph.Graph:
    """{statement: the other statements that it depends on}, in the order of the papers.

    A refuted row depends on no other: its counterexample is enough.
    """
    links: dict[str, set[str]] = {}
    for row in rows:
        if row["verdict"] != REFUTED:
            below = {library.statement_of(key.partition("/")[0]) for key in row["rests_on"]}
            mine = library.statement_of(row["id"])
            links.setdefault(mine, set()).update(below - {mine})
    return {id: [other for other in library.ids if other in links[id]] for id in library.ids if id in links}


def describe_dependencies(
    statements: Sequence[Mapping[str, Any]], rows: Iterable[Mapping[str, Any]], papers: Sequence[Paper]
) -> dict:
    """What the page shows: a drawing a paper, and the statements with which most others would fall."""
    down = link_statements(rows)
    up = graph.reverse_graph(down)
    falls = {s["id"]: len(graph.find_reachable([s["id"]], up)) for s in statements}
    most = sorted((s for s in statements if falls[s["id"]]), key=lambda s: -falls[s["id"]])[:SHOWN]
    return {
        "drawings": [
            lay_out_paper(paper, [s for s in statements if s["paper"] is paper], down, falls) for paper in papers
        ],
        "most": [{"s": s, "falls": falls[s["id"]]} for s in most],
        "alone": sum(not down.get(s["id"]) for s in statements),
        "total": len(statements),
    }


def lay_out_paper(paper: Paper, own: Sequence[Mapping[str, Any]], down: graph.Graph, falls: Mapping[str, int]) -> dict:
    """One paper: where each statement stands, how large its dot is, and the path of every arc."""
    linked = {id for s in own for id in down.get(s["id"], ())} | {s["id"] for s in own if down.get(s["id"])}
    drawn = [s for s in own if s["id"] in linked]
    height = {s["id"]: LINE * (i + 0.5) for i, s in enumerate(drawn)}
    start = 10 + max((10 + LETTER * len(s["label"]) for s in drawn), default=0)  # right of the names
    arcs, other = [], []
    for id, y in height.items():
        inside = [below for below in down.get(id, ()) if below in height]
        other += [below for below in down.get(id, ()) if below not in height]
        for below in inside:
            share = abs(height[below] - y) / (LINE * max(len(drawn) - 1, 1))
            far = start + 4 / 3 * (WIDE - start - 6) * share**0.5  # a curve of Bézier reaches three quarters of it
            path = f"M{start:g} {y:g}C{far:.0f} {y:g} {far:.0f} {height[below]:g} {start:g} {height[below]:g}"
            words = f"{library.label(id)} depends on {library.label(below)}"
            arcs.append({"path": path, "words": words, "from": id, "to": below})
    dots = [
        {"s": s, "y": height[s["id"]], "size": round(2.5 + min(4.5, falls[s["id"]] ** 0.5), 1), "falls": falls[s["id"]]}
        for s in drawn
    ]
    return {
        "paper": paper,
        "dots": dots,
        "arcs": arcs,
        "wide": WIDE,
        "start": round(start, 1),
        "high": LINE * max(len(drawn), 1),
        "left_out": [s for s in own if s["id"] not in linked],
        "elsewhere": [id for id in library.ids if id in other],
    }
