"""The one style of all figures: colours for light and dark, sizes, and a figure as the bytes of a file.

A study plots with matplotlib on `panels` and hands its function to `render` or `svg`. Texts stay texts, and equal data
give equal bytes.
"""

import io
import re
from collections.abc import Callable
from typing import Any, Literal

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter, NullLocator

from lemmata.bounds.statement.formula import in_symbols

INK, FAINT = "#1d1c1a", "#8a857a"
TRUTH, BREACH, RIGHT = "#2b6cb0", "#a3262a", "#1d8a55"
COLOURS = [TRUTH, "#b8860b", "#7a5cc0", RIGHT, "#c2608f", "#3a9a99", BREACH, FAINT]
ON_DARK = {  # the lighter twins, with a contrast of 4.5 on the dark paper of the pages
    INK: "#e8e6e1",
    TRUTH: "#7fb2ea",
    "#b8860b": "#e0bd4f",
    "#7a5cc0": "#b3a7e6",
    RIGHT: "#6cc398",
    "#c2608f": "#e79cc0",
    "#3a9a99": "#7fd0cf",
    BREACH: "#f08a8c",
    FAINT: "#a7a397",
}
LIGHTER = " ".join(f"--c{colour[1:]}: {light};" for colour, light in ON_DARK.items())
SCHEMES = (
    "<style>text { font-family: system-ui, sans-serif !important }"
    f" @media (prefers-color-scheme: dark) {{ svg {{ {LIGHTER} }} }}</style>"
)
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,  # a dollar in a text is a dollar
    "svg.hashsalt": "lemmata",  # or ids differ from run to run
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib: the layout is measured with it everywhere
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 9,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "lines.linewidth": 1.3,
    "lines.markersize": 3,
    "legend.frameon": False,
    "legend.fontsize": 8,
}
UNDATED: dict[str, dict[str, None]] = {
    "svg": dict.fromkeys(("Date", "Creator", "Format", "Type")),
    "pdf": {"CreationDate": None},
}


def panels(rows: int = 1, columns: int = 1, *, size: tuple[float, float], **options: Any) -> tuple[Figure, Any]:
    """A figure of a size in inches and its axes, as `matplotlib.pyplot.subplots` has them."""
    fig = Figure(figsize=size)
    return fig, fig.subplots(rows, columns, **options)


def render(plot: Callable[..., Figure], *given: Any, kind: str = "svg") -> bytes:
    """The figure that `plot(*given)` makes in our style, as the bytes of a file: "svg", "png", "pdf" or the like."""
    out = io.BytesIO()
    with matplotlib.rc_context(STYLE):
        clear = kind == "svg"  # it lies on the page's own paper
        metadata = UNDATED.get(kind)
        plot(*given).savefig(out, format=kind, bbox_inches="tight", dpi=200, transparent=clear, metadata=metadata)
    return _for_both_schemes(out.getvalue().decode()).encode() if kind == "svg" else out.getvalue()


def svg(plot: Callable[..., Figure], *given: Any) -> str:
    """The figure that `plot(*given)` makes, as an SVG element that stands alone or in a page."""
    return render(plot, *given).decode()


def _for_both_schemes(text: str) -> str:
    """An SVG from its element on, whose colours are variables with twins for readers who prefer dark pages."""
    text = text[text.index("<svg") :]
    for colour in ON_DARK:
        text = text.replace(colour, f"var(--c{colour[1:]}, {colour})")
    return re.sub(r"<svg[^>]*>", rf"\g<0>{SCHEMES}", text, count=1)


class _PowerFormatter(LogFormatter):
    """Ticks of a logarithmic axis in Unicode: matplotlib's own pass its parser of TeX, half of a figure's time."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        text = f"{x:g}" if 0.01 <= x <= 100 else f"{x:.0e}"
        return in_symbols(text) if super().__call__(x, pos) else ""


def set_logarithmic(ax: Axes, name: Literal["x", "y"], *, between: bool = False) -> None:
    """Make an axis logarithmic, ticked at powers of ten, and `between` them where it may span no more than one."""
    ax.set(**{f"{name}scale": "log"})
    axis = ax.xaxis if name == "x" else ax.yaxis
    axis.set_major_formatter(_PowerFormatter())
    if between:
        axis.set_minor_formatter(_PowerFormatter(minor_thresholds=(1, 0.4)))
    else:
        axis.set_minor_locator(NullLocator())
