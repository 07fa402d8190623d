"""The figures of the pages on audits, from their committed tables alone."""

from __future__ import annotations

import matplotlib.pyplot as plt

from lemmata.experiments.figures.claims import BREACH, COLOURS, FAINT, STYLE, TRUTH, saved

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


def wild(lines: list[dict[str, str]]) -> str:
    """One dot a target of others' libraries: what its loss exceeds over what is promised, bugs and honest apart."""
    libraries = list(dict.fromkeys(line["library"] for line in lines))
    looks = {"known bug": (BREACH, "o"), "mended": (TRUTH, "s"), "honest": (FAINT, ".")}
    with plt.rc_context(STYLE):
        fig, axis = plt.subplots(figsize=(7.2, 0.34 * len(libraries) + 1.1))
        axis.axvline(1.0, color=FAINT, lw=1, ls="--")
        for height, library in enumerate(reversed(libraries)):
            own = [line for line in lines if line["library"] == library]
            for kind, (colour, marker) in looks.items():
                some = [line for line in own if line["kind"] == kind and line["claimed"]]
                at = height + (0.16 if kind == "known bug" else -0.16)
                ratios = [float(line["bound"] or 0) / float(line["claimed"]) for line in some]
                for ratio, line in zip(ratios, some, strict=True):
                    full = line["verdict"] == "REFUTED" or kind == "honest"
                    axis.plot(ratio, at, marker, color=colour, mfc=colour if full else "none", ms=6, alpha=0.85)
        for kind, (colour, marker) in looks.items():
            axis.plot([], [], marker, color=colour, ms=6, label=kind)
        axis.set_yticks(range(len(libraries)), list(reversed(libraries)))
        axis.set_xlim(left=-0.05)
        axis.set_xlabel("what the privacy loss exceeds (99.9 %), over what is promised")
        axis.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        svg = saved(fig, "svg")
    return svg.decode()
