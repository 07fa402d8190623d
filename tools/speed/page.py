"""The page of what asv has measured: the newest number, what it was before, which direction is better."""

from __future__ import annotations

import math
from pathlib import Path

from .record import RESULTS, Measurement, change, histories, measurements, readable

WIDE, HIGH = 120, 28  # pixels of a history


def shown(results: Path = RESULTS) -> tuple[list[dict], list[dict]]:
    """(a line for every benchmark, parameters, machine and environment, the lines that regressed)."""
    lines = []
    for _, history in sorted(histories(measurements(results)).items()):
        newest = history[-1]
        before = history[-2] if len(history) > 1 else None
        step = change(history, before, newest) if before else None
        lines.append(
            {
                "benchmark": newest.benchmark,
                "parameters": newest.parameters,
                "environment": "in place" if newest.environment.startswith("existing") else "virtualenv",
                "machine": newest.machine,
                "value": readable(newest),
                "before": readable(before) if before else "",
                "better": "higher is better" if newest.higher_is_better else "lower is better",
                "commit": newest.commit,
                "commits": len(history),
                "step": step,
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
