"""A picture of one audit: how the evidence grew with the releases."""

from __future__ import annotations

from math import log10

from matplotlib.figure import Figure

from lemmata.mechanisms.audit.record import Audit


def kinds() -> list[str]:
    """What the name of a picture may end in."""
    return sorted(f".{kind}" for kind in Figure().canvas.get_supported_filetypes())


def draw(result: Audit, level: float, path: str) -> None:
    """log10 of the evidence against releases drawn, and where it refutes; the format is that of the file's name."""
    figure = Figure(figsize=(6, 3.5), layout="constrained")
    axes = figure.subplots()
    if result.course:
        axes.plot(*zip(*result.course, strict=True))
    axes.axhline(-log10(level), color="black", linestyle="--", label=f"REFUTED at level {level:g}")
    axes.set(xlabel="releases", ylabel="log10 of the evidence", title=f"{result.claim}: {result.verdict}")
    axes.legend()
    figure.savefig(path)
