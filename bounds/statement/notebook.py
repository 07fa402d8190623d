"""What a notebook shows of our objects: a small table without colours of its own, for light and for dark paper."""

from collections.abc import Iterable
from html import escape

from lemmata.bounds.statement.verdicts import HOLDS, REFUTED, SLIP, VACUOUS

GREY = "#8a857a"
COLOURS = {HOLDS: "#2f9e6e", REFUTED: "#d0494d", SLIP: "#c08a1e", VACUOUS: "#c08a1e"}  # legible on either paper
CELL = "text-align:left;vertical-align:top;padding:.15em .8em .15em 0;background:none;color:inherit;border:0"


def card(title: str, facts: Iterable[tuple[str, object]], *, mark: str = "", below: str = "") -> str:
    """HTML of a title, a verdict `mark`, facts as (name, value), and a text that is folded away; all of it escaped.

    >>> card("Lemma <1>", [("n", 3)], mark="HOLDS")  # doctest: +ELLIPSIS
    '<div style="border-left:3px solid #2f9e6e;...<b>Lemma &lt;1&gt;</b>...>HOLDS</b>...>n</th>...>3</td>...</div>'
    """
    colour = COLOURS.get(mark, GREY)
    pill = f' <b style="color:{colour}">{escape(mark)}</b>' if mark else ""
    rows = "".join(
        f'<tr style="background:none"><th scope="row" style="{CELL};font-weight:normal;opacity:.7">{escape(name)}</th>'
        f'<td style="{CELL};white-space:pre-wrap">{escape(str(value))}</td></tr>'
        for name, value in facts
    )
    plain = "color:inherit;background:none"
    folded = f'<details><summary>all</summary><pre style="{plain}">{escape(below)}</pre></details>' if below else ""
    return (
        f'<div style="border-left:3px solid {colour};padding:.1em 0 .1em .8em;margin:.4em 0">'
        f'<b>{escape(title)}</b>{pill}<table style="border:0;margin:.3em 0">{rows}</table>{folded}</div>'
    )
