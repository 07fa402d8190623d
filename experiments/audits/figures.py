"""The figures of audits: the course of one, and those of the pages, from committed tables alone."""

from math import log10
from pathlib import Path

from matplotlib.figure import Figure

from lemmata.experiments.figures.style import BREACH, COLOURS, FAINT, INK, TRUTH, panels, render, svg
from lemmata.mechanisms.audit.play.audit_result import Audit

NAMES = "Laplace", "randomised response", "Gaussian"
LOOKS = {"known bug": (BREACH, "o"), "mended": (TRUTH, "s"), "honest": (FAINT, ".")}  # of targets in others' libraries


def list_file_kinds() -> list[str]:
    """What the name of a figure's file may end in."""
    return sorted(f".{kind}" for kind in Figure().canvas.get_supported_filetypes())


def write_course(result: Audit, level: float, path: str) -> None:
    """Write the figure of one audit to a file; the format is that of its name."""
    Path(path).write_bytes(render(plot_course, result, level, kind=Path(path).suffix[1:].lower()))


def plot_course(result: Audit, level: float) -> Figure:
    """log10 of the evidence against releases drawn, and where it refutes."""
    fig, axis = panels(size=(6, 3.5))
    if result.course:
        axis.plot(*zip(*result.course, strict=True), color=TRUTH)
    axis.axhline(-log10(level), color=INK, ls="--", label=f"REFUTED at level {level:g}")
    axis.set(xlabel="releases", ylabel="log10 of the evidence", title=f"{result.claim}: {result.verdict}")
    axis.legend()
    return fig


def draw_figures(power: list[dict[str, str]], wild: list[dict[str, str]]) -> dict[str, str]:
    """{name: SVG} of the figures on pages."""
    made = {"power": svg(plot_power, power)}
    return made | {"wild": svg(plot_wild, wild)} if wild else made


def plot_power(lines: list[dict[str, str]]) -> Figure:
    """The share of audits that refute along the leak: ours in full, the oracle's dashed, as a ring what is caught."""
    fig, axes = panels(1, len(NAMES), size=(7.6, 2.4), sharey=True)
    for axis, name, colour in zip(axes, NAMES, COLOURS, strict=False):
        own = [line for line in lines if line["mechanism"] == name]
        leaks = [float(line["leak"]) for line in own]
        for whose, look in (("oracle", {"color": FAINT, "ls": "--"}), ("ours", {"color": colour, "marker": "o"})):
            axis.plot(leaks, [float(line[whose]) for line in own], label=whose, **look)
        for line in own:
            if line["what"]:
                axis.plot(float(line["leak"]), float(line["ours"]), "o", ms=9, mfc="none", color=colour)
        axis.set(title=name, xlabel="leak over claim")
    axes[0].set_ylabel("share refuted")
    axes[-1].legend()
    return fig


def plot_wild(lines: list[dict[str, str]]) -> Figure:
    """One dot a target of others' libraries: what its loss exceeds over what is promised, bugs and honest apart."""
    libraries = list(dict.fromkeys(line["library"] for line in lines))[::-1]
    fig, axis = panels(size=(7.2, 0.34 * len(libraries) + 1.1))
    axis.axvline(1.0, color=FAINT, lw=1, ls="--")
    for kind, (colour, marker) in LOOKS.items():
        axis.plot([], [], marker, color=colour, ms=6, label=kind)
    for line in lines:
        if line["claimed"]:
            colour, marker = LOOKS[line["kind"]]
            ratio = float(line["bound"] or 0) / float(line["claimed"])
            height = libraries.index(line["library"]) + (0.16 if line["kind"] == "known bug" else -0.16)
            filled = line["verdict"] == "REFUTED" or line["kind"] == "honest"
            axis.plot(ratio, height, marker, color=colour, mfc=colour if filled else "none", ms=6, alpha=0.85)
    axis.set_yticks(range(len(libraries)), libraries)
    axis.set(xlim=(-0.05, None), xlabel="what the privacy loss exceeds (99.9 %), over what is promised")
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return fig
