"""The page of what asv has measured: the newest number beside the best before it, and a drawing of what changed."""

from __future__ import annotations

import math
from html import escape
from pathlib import Path

from .limits import exceeded
from .record import RESULTS, Measurement, best, change, histories, in_words, measurements, readable

WIDE, HIGH = 120, 28  # pixels of a history


def shown(results: Path = RESULTS) -> tuple[list[dict], list[dict]]:
    """(a line for every benchmark, parameters, machine and environment, the lines that regressed)."""
    lines = []
    for _, history in sorted(histories(measurements(results)).items()):
        newest = history[-1]
        before = best(history[:-1]) if len(history) > 1 else None
        step = change(history, before, newest) if before else None
        lines.append(
            {
                "benchmark": newest.benchmark,
                "name": in_words(newest.benchmark),
                "parameters": newest.parameters,
                "environment": "in place" if newest.environment.startswith("existing") else "virtualenv",
                "machine": newest.machine,
                "value": readable(newest),
                "before": readable(before) if before else "",
                "best_at": before.commit if before else "",
                "better": "higher is better" if newest.higher_is_better else "lower is better",
                "commit": newest.commit,
                "commits": len(history),
                "step": step,
                "limits": [limit.at_most for limit, _ in exceeded([newest])],
                "line": sparkline(history),
            }
        )
    return lines, [line for line in lines if line["step"] and line["step"].regressed]


def sparkline(history: list[Measurement]) -> str:
    """The SVG of a history on a logarithmic axis, commits evenly spaced; "" for a single commit."""
    logs = [math.log(m.value) for m in history if m.value > 0]
    if len(logs) < 2:
        return ""
    low, high = min(logs), max(logs)
    span = max(high - low, math.log(1.2))  # a flat line stays flat
    middle = (low + high) / 2
    x = [4 + (WIDE - 8) * i / (len(logs) - 1) for i in range(len(logs))]
    y = [HIGH / 2 - (HIGH - 8) * (value - middle) / span for value in logs]
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    said = f"{len(logs)} commits, from {readable(history[0])} to {readable(history[-1])}"
    return (
        f'<svg width="{WIDE}" height="{HIGH}" viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{said}"><polyline '
        f'points="{points}" fill="none" stroke="currentColor" stroke-width="1.4"/><circle cx="{x[-1]:.1f}" '
        f'cy="{y[-1]:.1f}" r="2.4" fill="currentColor"/></svg>'
    )


ROW, SCALE, BESIDE, TOP = 32, 300, 55, 24  # pixels: a name with its line, the axis, what stands over, the head
SEEN = 1.2  # a change that is drawn


def drawing(results: Path = RESULTS) -> str:
    """What became faster and what slower since it was first measured: a line a benchmark, the widest change first.

    The axis is time now over time then, in factors of two; of several settings the one that changed most stands. ""
    where nothing has changed by a fifth.
    """
    most: dict[str, tuple[float, Measurement, Measurement]] = {}
    for history in histories(measurements(results)).values():
        first, last = history[0], history[-1]
        if first.unit == "seconds" and len(history) > 1:
            factor = math.log2(last.value / first.value)
            if abs(factor) > abs(most.get(first.benchmark, (0.0,))[0]):
                most[first.benchmark] = factor, first, last
    moved = sorted((entry for entry in most.values() if abs(entry[0]) > math.log2(SEEN)), key=lambda entry: entry[0])
    if not moved:
        return ""
    reach = max(1, math.ceil(max(abs(factor) for factor, *_ in moved)))
    height, unit, middle = TOP + ROW * len(moved) + 6, SCALE / 2 / reach, BESIDE + SCALE / 2
    parts = [f'<text x="{middle}" y="12" text-anchor="middle">as fast as at first</text>']
    parts.append(f'<path d="M{middle} {TOP - 8}V{height}" stroke="currentColor" opacity=".4"/>')
    for side, words in ((-1, "faster"), (1, "slower")):
        at = middle + side * SCALE / 2
        parts.append(f'<text x="{at:.0f}" y="12" text-anchor="middle">{2**reach} times {words}</text>')
    for i, (factor, first, last) in enumerate(moved):
        y, x = TOP + ROW * (i + 0.8), middle + factor * unit  # the name stands above: a telephone has no room beside
        colour = "var(--bad, #a3262a)" if factor > 0 else "var(--good, #1d8a55)"
        said = escape(f"{in_words(last.benchmark)}, {readable(first)} → {readable(last)}")
        parts.append(f'<text x="0" y="{y - 10:.1f}">{said}</text>')
        parts.append(f'<path d="M{middle} {y:.1f}H{x:.1f}" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>')
    width = SCALE + 2 * BESIDE
    return (
        f'<svg viewBox="0 0 {width} {height}" width="100%" role="img" font-size="11" fill="currentColor" '
        f'aria-label="Time now over time at first, of {len(moved)} benchmarks">{"".join(parts)}</svg>'
    )
