"""The figure of the page on audits, from its committed table alone."""

from __future__ import annotations

import matplotlib.pyplot as plt

from lemmata.experiments.drawing import COLOURS, FAINT, STYLE, saved

NAMES = "Laplace", "randomised response", "Gaussian"


def power(lines: list[dict[str, str]]) -> str:
    """The curves as an SVG: ours in full, the oracle's dashed, what is said to be caught as a ring."""
    with plt.rc_context(STYLE):
        fig, axes = plt.subplots(1, len(NAMES), figsize=(7.6, 2.4), sharey=True)
        for axis, name, colour in zip(axes, NAMES, COLOURS, strict=False):
            own = [line for line in lines if line["mechanism"] == name]
            leaks = [float(line["leak"]) for line in own]
            for whose, look in (("oracle", {"color": FAINT, "ls": "--"}), ("ours", {"color": colour, "marker": "o"})):
                axis.plot(leaks, [float(line[whose]) for line in own], lw=1.3, ms=3, label=whose, **look)
            for line in own:
                if line["what"]:
                    axis.plot(float(line["leak"]), float(line["ours"]), "o", ms=9, mfc="none", color=colour)
            axis.set_title(name, loc="left", fontsize=9)
            axis.set_xlabel("leak over claim")
        axes[0].set_ylabel("share refuted")
        axes[-1].legend(fontsize=8)
        svg = saved(fig, "svg")
    return svg.decode()
