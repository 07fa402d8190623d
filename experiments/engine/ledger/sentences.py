"""The sentence of a witness: the quantity compared, the paper's number, and the true value.

The paper's `paper.toml` names the quantities. `bounded_above` names the left side of a check, which the text claims to
be at most the right side. `bounded_below` names the right side, for texts whose own number is on the left. `letters`
maps arguments of checks to letters of the paper; "-" leaves one out.
"""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import isinf
from typing import Any

from lemmata.bounds.library import Paper, library
from lemmata.bounds.statement.formula import in_symbols
from lemmata.bounds.theorem import THEOREMS, Theorem
from lemmata.experiments.engine.ground.profiles import EVALUATIONS, SETTINGS
from lemmata.experiments.engine.ledger.headline import PROPER
from lemmata.experiments.engine.ledger.row import Row

LARGE = 10**9  # whole numbers from here on are rounded for people
HIDDEN = "-"  # the letter of an argument that only our check knows: the program of the counterexample has it
UNNAMED = {"tail": "the probability", "identity": "the left side"}


def describe_witness(row: Row) -> str:
    """The setting of a witness, the true value, and the value that the text claims."""
    witness = row["witness"] or {}
    setting = describe_place(row)
    if grows(row):
        family = _describe_growth(row, [*map(float, witness["ratios"])])
        return f"along a family of settings that goes through {setting}, {family}"
    return f"at {setting}, {_shown(row, witness)}" if setting else _shown(row, witness)


def grows(row: Mapping[str, Any]) -> bool:
    """Whether a counterexample is a family along which the truth outgrows every constant times the printed order."""
    witness = row["witness"] or {}
    return str(witness.get("claimed")).startswith("truth <= C g") and "ratios" in witness


def describe_place(row: Row) -> str:
    """The setting of a counterexample in the letters of the paper, as `‖Y‖ = 4, β = 0.1`; "" if it has none."""
    witness = row["witness"] or {}
    setting = dict(witness.get("setting", {})) | dict(witness.get("point") or {})
    return _in_letters(row, setting) if setting else ""


def _in_letters(row: Row, setting: Mapping[str, Any]) -> str:
    """A setting in the letters of a row's paper."""
    letters = find_letters(row["key"])
    shown = {letters.get(name) or _spell(name): value for name, value in setting.items()}
    return format_setting({name: value for name, value in shown.items() if name != HIDDEN})


def name_hypotheses(theorem: Theorem) -> list[str]:
    """The hypotheses of a statement in the letters of its paper."""
    letters = find_letters(theorem.key)
    return [write_in_letters(needed.range, letters) for needed in theorem.needs]


def write_in_letters(needed: str, letters: Mapping[str, str]) -> str:
    """A hypothesis with the letters of the paper for the names of our arguments.

    >>> write_in_letters("0 < acc < norm_bound; the radius is whole", {"acc": "ε", "norm_bound": "Λ", "radius": "r"})
    '0 < ε < Λ; the radius is whole'
    >>> write_in_letters("m a whole number >= 1; 1/2 <= a; rho <= a * log_size", {"a": "Λr/ρ"})
    'm a whole number ≥ 1; 1/2 ≤ Λr/ρ; ρ ≤ Λr/ρ log size'
    """
    signs = {name: letter for name, letter in letters.items() if " " not in letter and letter != HIDDEN}
    name = r"(?<!\bthe )(?<!\ba )(?<!\bof )\b(?!a [a-z]{2})[A-Za-z_]\w*\b(?! of)"  # `a` before a word is an article
    spelt = re.sub(name, lambda found: signs.get(found[0]) or _spell(found[0]), needed)
    return in_symbols(spelt).replace(" * ", " ")


def _spell(name: str) -> str:
    """The name of an argument as words, `log size`; a letter with an index stays: `S_out`, `sigma_p`."""
    head, _, tail = name.rpartition("_")
    return name if 1 in (len(head), len(tail)) else name.replace("_", " ")


def describe_search(row: Row) -> str:
    """How many settings of the engine's own choice a row was decided at, and where it came closest to its bound.

    An argument with a domain that the search left at its author's values is named.
    """
    searched = row["searched"] or {}
    trials = searched.get("trials", 0)
    if searched.get("decided", 0) < (SETTINGS if trials else EVALUATIONS):  # too few for a search
        return ""
    text = f"{searched['decided']:,} settings of the engine's own choice"
    if trials:
        return f"{text}, {trials:,} trials; fresh ones at the worst of them do not refute it"
    if "at" not in searched:  # of an older run
        return text
    if "largest" in searched:
        text += f"; largest left/right {searched['largest']:.3g} at {_in_letters(row, searched['at'])}"
    theorem = THEOREMS.get(row["key"])
    letters = {**find_letters(row["key"]), **dict.fromkeys(searched["at"], HIDDEN)}
    needed = [each.names[0] for each in theorem.needs if each.domain or each.functions] if theorem else []
    kept = [sign for name in dict.fromkeys(needed) if (sign := letters.get(name) or _spell(name)) != HIDDEN]
    return f"{text}; not varied: {', '.join(kept)}" if kept else text


def describe_share(row: Row, name: str) -> str:
    """The share of the bound that the truth has (`attained`) or our chain (`slack`), and where: `0.84 at n = 12`."""
    found = row[name] or {}  # type: ignore[literal-required]  # empty in an older table
    if not found:
        return ""
    by = {"search": ", found by a search", "trials": ", at 99.9 % at least"}.get(found["by"], "")
    return f"{found['share']:.3g} at {_in_letters(row, found['at'])}{by}"


def describe_quantity(row: Row) -> str:
    """The quantity that a row bounds, in words: `the second moment of a loss`."""
    paper = _paper(row["key"])
    named = {**paper.bounded_above, **paper.bounded_below}.get(row["key"]) if paper else ""
    return named or UNNAMED.get(row["kind"], "the left side")


def is_from_below(key: str) -> bool:
    """Whether a row bounds its quantity from below, so that the larger number of its witness is the text's."""
    paper = _paper(key)
    return paper is not None and key in paper.bounded_below


def orient_sides(key: str, witness: dict[str, Any] | None) -> dict[str, Any] | None:
    """The witness of a row with the paper's number as `claimed` and the truth as `found`.

    A check compares left <= right, and a witness takes the right side for the claimed number. If the text bounds a
    quantity from below, its own number is on the left.
    """
    if not witness or not is_from_below(key) or not _numbers(witness) or witness["claimed"] > witness["found"]:
        return witness
    return witness | {"claimed": witness["found"], "found": witness["claimed"]}


def _numbers(witness: Mapping[str, Any]) -> bool:
    return all(isinstance(witness.get(side), float | int) for side in ("claimed", "found"))


def _paper(key: str) -> Paper | None:
    return library.papers.get(key.partition(".")[0])


def find_letters(key: str) -> Mapping[str, str]:
    """The letters of a row's paper at its statement: {argument: letter}."""
    paper = _paper(key)
    return paper.words_for("letters", library.statement_of(key.partition("/")[0])) if paper else {}


def _is(what: str) -> str:
    """`what` with its verb. The name of a quantity that is only bounded ends in `, at least,` or `, at most,`."""
    what, bound = re.fullmatch(r"(.*?)(?:, (at (?:least|most)),)?", what).groups()  # type: ignore[union-attr]
    return f"{what} is {bound}" if bound else f"{what} is"


def _shown(row: Row, witness: Mapping[str, Any]) -> str:
    """The sentence of a witness, by what it has: trials, a privacy loss, two numbers, or words."""
    claimed, found = witness.get("claimed"), witness.get("found")
    said, true = format_value(claimed), format_value(found)
    if isinstance(found, dict) and {"trials", "failures"} <= set(found):
        counted = f"{found['failures']} of {found['trials']} trials failed"
        return f"the text allows a failure probability of {said}; {counted}."
    numbers = all(isinstance(x, float | int) or _narrow(x) for x in (claimed, found))
    if "log_ratio" in witness and not isinstance(claimed, str):
        return f"the text claims ε = {said}; {_told_apart(true)}."
    if numbers and row["kind"] == "identity":
        return f"{_is(describe_quantity(row))} {true}; the text says {said}."
    if numbers:
        side = "most" if _end(found) > _end(claimed) else "least"
        return f"{_is(describe_quantity(row))} {true}; the text claims at {side} {said}."
    return f"the text claims {said}; in fact {true.removesuffix('.')}."


def _narrow(value: Any) -> bool:
    """Whether a value is an enclosure so narrow that one number is shown."""
    return isinstance(value, list) and len(value) == 2 and format_value(value[0]) == format_value(value[1])


def _end(value: Any) -> float:
    return float(value[0] if isinstance(value, list) else value)


def _told_apart(log_ratio: str) -> str:
    if log_ratio in ("inf", "infinite"):
        return "an outcome has positive probability on one of two neighbouring datasets and probability 0 on the other"
    return f"some outcome is exp({log_ratio}) times as likely on one of two neighbouring datasets as on the other"


def _describe_growth(row: Row, ratios: Sequence[float]) -> str:
    """A family of settings along which no hidden constant of an O(.) is enough."""
    what = describe_quantity(row)
    if all(map(isinf, ratios)):
        return f"the printed right side is 0, and {what} is not 0."
    steps = ", ".join(format_value(float(f"{ratio:.3g}")) for ratio in ratios[:4])
    if is_from_below(row["key"]):
        return f"the printed order is {steps} times {what}: no hidden constant is small enough."
    return f"{_is(what)} {steps} times the printed order: no hidden constant is enough."


def format_setting(setting: Mapping[str, Any]) -> str:
    """A setting as `n = 4, beta = 0.1`."""
    return ", ".join(f"{name} = {format_value(value)}" for name, value in setting.items()) or "its only setting"


def format_value(value: Any) -> str:
    """A value for people: numbers rounded to four digits, long texts cut."""
    if value in (float("inf"), "inf", float("-inf"), "-inf"):
        return "∞" if float(value) > 0 else "−∞"
    if isinstance(value, float):
        return f"1 - {1 - value:.1g}" if 0.99995 <= value < 1 else f"{value:.4g}"
    if isinstance(value, int) and abs(value) >= LARGE:
        return re.sub(r"\.?0*(?=e)", "", f"{Decimal(value):.3e}")
    if isinstance(value, list | tuple) and len(value) == 2 and format_value(value[0]) == format_value(value[1]):
        return format_value(value[0])  # an enclosure narrower than what is shown
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(format_value, value[:4])) + (", …]" if len(value) > 4 else "]")
    if isinstance(value, dict):
        return format_setting(value)
    if isinstance(value, str) and re.fullmatch(
        r"[a-z]{1,20}(_[a-z]{1,20})*", value
    ):  # the name of a choice in our code
        return " ".join(PROPER.get(word, word) for word in value.split("_"))
    text = re.sub(r"\[([-+.e\d]+), ([-+.e\d]+)\]", _enclosed, str(value))
    return text if len(text) <= 160 else text[:159] + "…"


def _enclosed(interval: re.Match[str]) -> str:
    """A narrow enclosure as the nine digits that its ends share; a wide one as it is."""
    low, high = (f"{float(end):.9g}" for end in interval.groups())
    return low if low == high else interval[0]
