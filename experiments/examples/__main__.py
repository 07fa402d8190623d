"""`python -m lemmata.experiments.examples` makes the table and the picture of README: a minute."""

import contextlib
import io
import re
from pathlib import Path

from matplotlib.figure import Figure

from lemmata.experiments.engine.ledger.curves import Picture
from lemmata.experiments.examples import digits
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
    """Write what `digits` prints, and its picture."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        digits.main()
    (HERE / "digits.txt").write_text(printed.getvalue(), encoding="utf-8")
    (HERE / "digits.svg").write_text(svg(plot_table, printed.getvalue()), encoding="utf-8")


if __name__ == "__main__":
    main()
