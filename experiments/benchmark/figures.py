"""The figure of the page: precision against recall, by grade."""

import json

from matplotlib.figure import Figure

from lemmata.experiments.figures.style import COLOURS, panels, svg


def draw_figures(lines: list[dict[str, str]]) -> dict[str, str]:
    """{name: SVG} of the figures on the page; none where nothing is published."""
    return {"grades": svg(plot_grades, lines)} if lines else {}


def plot_grades(lines: list[dict[str, str]]) -> Figure:
    """Precision on false statements against recall, from grade 1 to 5, a line for each checker."""
    fig, axis = panels(size=(6.4, 3.4))
    for line, colour in zip(lines, COLOURS * 2, strict=False):
        recalls = [(g, value) for g, value in enumerate(json.loads(line["by_grade"]), 1) if value is not None]
        if line["precision_false"] and recalls:
            height = float(line["precision_false"].split()[0])
            axis.plot(
                [value for _, value in recalls], [height] * len(recalls), "-", color=colour, label=line["checker"]
            )
            for each, value in recalls:
                axis.plot(value, height, "o", color=colour, ms=2 + each)
    axis.set(xlim=(-0.02, 1.02), ylim=(0, 1.05), xlabel="recall on false statements; larger dots are harder grades")
    axis.set_ylabel("precision")
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return fig
