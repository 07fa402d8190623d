"""`python -m lemmata.experiments.examples` runs all five and keeps what each prints, for the pages: a minute."""

import contextlib
import importlib
import io
import re
from pathlib import Path

from matplotlib.figure import Figure

from lemmata.experiments.engine.ledger.curves import Picture
from lemmata.experiments.examples import GALLERY
from lemmata.experiments.figures.claims import plot_curves
from lemmata.experiments.figures.style import svg

HERE = Path(__file__).parent


def plot_table(printed: str) -> Figure:
    """The curves of the table that `digits` prints: a line of ε, then a learner's name and its accuracies a line."""
    lines = re.findall(r"^(.*?)((?:[ ]+[0-9.]+)+)$", printed, re.MULTILINE)
    (x_name, x), *others = [(name, [float(value) for value in values.split()]) for name, values in lines]
    fig = plot_curves(Picture({}, {x_name: x} | {name: y for name, y in others if len(y) == len(x)}, None))
    (ax,) = fig.axes
    ax.set_xscale("log", base=2)
    ax.set_xticks(x, [f"{value:g}" for value in x])
    ax.set_ylabel("share of right answers")
    return fig


def main() -> None:
    """Write a text for each example, and the figure of the last table."""
    for name in GALLERY:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            importlib.import_module(f"lemmata.experiments.examples.{name}").main()
        (HERE / f"{name}.txt").write_text(printed.getvalue(), encoding="utf-8")
    drawn = svg(plot_table, (HERE / "digits.txt").read_text(encoding="utf-8"))
    (HERE / "digits.svg").write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
