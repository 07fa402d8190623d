"""From which n on each statement says something, as one picture: a dot a bound, on a logarithmic axis."""

from math import ceil, log10
from typing import Any

from lemmata.bounds.library import library
from lemmata.bounds.statement.formula import in_symbols
from lemmata.bounds.statement.verdicts import HOLDS
from lemmata.experiments.engine.ground.grouping import group_by


def place_statements(rows: list[dict]) -> dict[str, Any]:
    """The lines of the picture, earliest first, and the ticks of its axis; places are per cent of its width.

    A line is a statement with its bounds that hold and say something; rows on our own code are left out.
    """
    held = [row for row in rows if row["verdict"] == HOLDS and not row["part"].startswith("impl:")]
    held = [row for row in held if row["nonvacuous_from"] is not None]
    decades = max(1, ceil(log10(max((row["nonvacuous_from"] for row in held), default=10))))
    groups = group_by(held, lambda row: library.statement_of(row["id"]))
    lines = [place_statement(id, group, decades) for id, group in groups.items()]
    lines.sort(key=lambda each: (each["first"], each["last"]))
    step = ceil(decades / 4)
    ticks = [
        {"words": in_symbols(f"1e{k}") if k else "1", "place": 100 * k / decades} for k in range(0, decades + 1, step)
    ]
    return {"lines": lines, "ticks": ticks}


def name_dot(row: dict) -> str:
    """A bound, and where it begins to be nonvacuous."""
    return f"{row['reading']} {row['part']}".strip() + f": from n = {row['nonvacuous_from']:,}"


def map_shares(row: dict) -> list[str]:
    """What the truth attains of a bound, and the slack of our chain, each under its name."""
    named = (("attained", row.get("attained")), ("slack of our chain", row.get("slack")))
    return [f"{name} {share['share']:.3g}" for name, share in named if share]


def place_statement(id: str, rows: list[dict], decades: int) -> dict[str, Any]:
    """One statement: where its dots stand, and what each is."""
    dots = [
        {
            "place": round(100 * log10(max(row["nonvacuous_from"], 1)) / decades, 2),
            "words": "; ".join(filter(None, (name_dot(row), *map_shares(row)))),
        }
        for row in sorted(rows, key=lambda row: row["nonvacuous_from"])
    ]
    first, last = dots[0]["place"], dots[-1]["place"]
    url = rows[0]["url"].partition("#")[0]
    label = f"{library.paper(id).names.split(',')[0].split(' & ')[0]} {library.paper(id).year}, {library.label(id)}"
    theorem = library.label(id).startswith("Theorem")
    return {"label": label, "theorem": theorem, "url": url, "dots": dots, "first": first, "last": last}
