r"""Formulas for people: LaTeX in Unicode for a terminal, with the brackets it needs; and the ASCII of our own prose.

>>> print(in_unicode(r"\Pr\left[\|\Phi u\|_2^2>\frac{1+\gamma}{3}\sqrt{2\log m}\right]\le\beta"))
Pr[‖Φu‖₂² > ((1+γ)/3) √(2 log m)] ≤ β
>>> in_symbols("||Phi^T w||^2 <= 2 sqrt(log(1/beta)) at epsilon_hat = 1e-9, as in `beta_hat`")
'‖Φᵀ w‖² ≤ 2 √(log(1/β)) at ε̂ = 10⁻⁹, as in `beta_hat`'
"""

import functools
import re
import unicodedata
from collections.abc import Callable

GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi chi psi omega "
    "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
).split()
SIGNS = {
    r"\|": "‖",
    "langle": "⟨", "rangle": "⟩", "lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "{": "{", "}": "}",
    "infty": "∞", "ell": "ℓ", "partial": "∂", "nabla": "∇", "top": "ᵀ", "dots": "…", "ldots": "…", "varepsilon": "ε",
    "sum": "Σ", "prod": "Π", "int": "∫", "forall": "∀", "exists": "∃", "circ": "∘", "cdot": "·", "star": "⋆", "#": "#",
    "varphi": "φ", "jmath": "j", "bot": "⊥",
}  # fmt: skip
RELATIONS = {
    "le": "≤", "ge": "≥", "succeq": "⪰", "lt": "<", "gt": ">", "ne": "≠", "in": "∈",
    "sim": "~", "asymp": "≍", "propto": "∝", "pm": "±", "cap": "∩",
    "Rightarrow": "⇒", "iff": "⇔", "to": "→", "mapsto": "↦", "wedge": "∧", "setminus": "∖", "subset": "⊂", "mid": "|",
    "times": "×", "otimes": "⊗", "oplus": "⊕", "notin": "∉", "supset": "⊃", "subsetneq": "⊊", "Leftrightarrow": "⇔",
}  # fmt: skip
WORDS = "Pr log ln lg exp arg min max sup inf lim det sin cos tan sinh cosh tanh coth arcsin arccos arctan".split()
FUNCTION = re.compile(rf"(?<![A-Za-z])({'|'.join(WORDS)})([_^]?[\w⁰-⁹₀-₉]+)?$")  # its argument follows
ACCENTS = {
    "hat": "\u0302",
    "widehat": "\u0302",
    "tilde": "\u0303",
    "widetilde": "\u0303",
    "bar": "\u0304",
    "mathring": "\u030a",
}
PLAIN = ("mathrm", "mathcal", "mathbf", "mathbb", "text")
SUPER = dict(zip("0123456789+-n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", strict=True))
SUB = dict(zip("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋", strict=True))
ABOVE = SUPER | dict(zip("adegikmnptxyzLTV-", "ᵃᵈᵉᵍⁱᵏᵐⁿᵖᵗˣʸᶻᴸᵀⱽ⁻", strict=True))
BELOW = SUB | dict(zip("ijkmnrt", "ᵢⱼₖₘₙᵣₜ", strict=True))
LETTER = r"(?<![A-Za-z])([A-Za-zΑ-Ωα-ω][\u0302\u0303]?[′*]?)"  # one that stands for a quantity
IN_PROSE: tuple[tuple[str, str | Callable[[re.Match], str]], ...] = (
    (rf"(?<![A-Za-z])({'|'.join(GREEK)})(?![A-Za-z]|[- ]square)", lambda m: _greek(m[1])),
    (r"(?<![A-Za-z])([A-Za-zΑ-Ωα-ω])_hat(?![A-Za-z])", "\\1\u0302"),
    (r"(?<=[Α-Ωα-ω])(?<!'[Α-Ωα-ω])'", "′"),  # of 'ε' it ends a text
    (r"(?<![A-Za-z])([A-Za-z])~(?=\W|$)", "\\1\u0303"),
    (r"(?<![A-Za-z])([A-Z])\^(?=[ ),.]|$)", "\\1\u0302"),
    (r"<=", "≤"),
    (r">=", "≥"),
    (r"!=", "≠"),
    (r"(?<= )->(?= )", "→"),
    (r"(?<=< )inf(?![A-Za-z])", "∞"),
    (r"\|\|", "‖"),
    (r"(?<![A-Za-z])sqrt *(?=[(\w])", "√"),
    (r"(?<![\w.])1e([+-]?)0*(\d+)", lambda m: "10" + _script(m[1].strip("+") + m[2], "^")),
    (r"(?<=\d)e([+-]?)0*(\d+)(?!\w)", lambda m: "·10" + _script(m[1].strip("+") + m[2], "^")),
    (r"√\((\w)\)", r"√\1"),
    (r"(?<![A-Za-z])e\^([-−]?)([α-ω])(?!\w)", lambda m: f"exp({'−' if m[1] else ''}{m[2]})"),
    (r"(?<=[O\u0303])\(\.\)", "(·)"),
    (r"\+-(?=\d)", "±"),
    (r"\^(?:\{([^}]*)\}|(-?[\dA-Za-z]+)(?![\w.]))", lambda m: _raised(m[1] or m[2])),
    (
        rf"(?:{LETTER}|(?<=[|‖]))_(\d+|[ijkmnrt])(?![A-Za-z0-9_])",
        lambda m: (m[1] or "") + "".join(BELOW[c] for c in m[2]),
    ),
)
TOKEN = re.compile(r"\\([A-Za-z]+|.)|([{}_^])|(\s+)|(.)", re.DOTALL)


def in_unicode(latex: str) -> str:
    """One line of Unicode for a formula; what it does not know stays as it is."""
    latex = re.sub(r"\\text\{([^}]*)\}", lambda m: m.group(0).replace(" ", "~"), latex)
    text = _row([m.group(0) for m in TOKEN.finditer(latex) if not m.group(3)])
    for sign in (*(set(RELATIONS.values()) - {"|", "±"}), "=", ":="):
        text = re.sub(rf"(?<=\S) ?(?<![:<>=]){re.escape(sign)}(?!=) ?", f" {sign} ", text)
    return re.sub(r" +([,)\]}⟩‖;])", r"\1", re.sub(r" {2,}", " ", text)).strip()


@functools.cache  # pages and tables show most texts several times
def in_symbols(text: str) -> str:
    """Prose with its ASCII mathematics in Unicode; what stands in backquotes, and examples, stay as they are."""
    return "\n\n".join(
        paragraph
        if paragraph.lstrip().startswith(">>>")
        else "`".join(piece if i % 2 else _symbols(piece) for i, piece in enumerate(paragraph.split("`")))
        for paragraph in text.split("\n\n")
    )


def _symbols(text: str) -> str:
    for pattern, sign in IN_PROSE:
        text = re.sub(pattern, sign, text)
    return unicodedata.normalize("NFC", text)


def _raised(text: str) -> str:
    """An exponent: raised where Unicode has all of it, else after a caret."""
    if set(text) <= set(ABOVE):
        return "".join(ABOVE[c] for c in text)
    return f"^({text})" if len(text) > 1 else f"^{text}"


def _greek(name: str) -> str:
    capital = "CAPITAL" if name[0].isupper() else "SMALL"
    return unicodedata.lookup(f"GREEK {capital} LETTER {'LAMDA' if name.lower() == 'lambda' else name.upper()}")


def _row(tokens: list[str]) -> str:
    """The tokens up to the end, or to the brace that closes the group."""
    out, named = "", False  # whether a function stands last, with its scripts: its argument follows
    while tokens:
        token = tokens.pop(0)
        if token == "}":
            break
        piece = _one(token, tokens, out)
        wordy = out and piece and out[-1].isalnum() and piece[0].isalnum()
        word = (token[1:] in WORDS or token[1:] == "sqrt") and out and out[-1] not in " ([{"
        script = token in "_^"
        after = named and FUNCTION.search(out) and piece[:1] not in ("", " ", "(", "[") and not script
        named = token[1:] in WORDS or (named and script)
        out += (" " if (wordy and token[0] == "\\" and len(token) > 2) or word or after else "") + piece
    return out


def _group(tokens: list[str]) -> str:
    """The argument that follows: a braced group or one token."""
    if not tokens:
        return ""
    token = tokens.pop(0)
    return _row(tokens) if token == "{" else _one(token, tokens)


def _one(token: str, tokens: list[str], before: str = "") -> str:
    """One token with its arguments; `before` is what stands on its left: log(a/b) is not log a/b."""
    if token == "{":
        return _row(tokens)
    if token in "_^":
        return _script(_group(tokens), token)
    name = token[1:] if token.startswith("\\") and len(token) > 1 else None
    if name is None:
        return token
    if name in ("frac", "tfrac"):
        over, under = _bracketed(_group(tokens)), _bracketed(_group(tokens))
        ends = not tokens or tokens[0] in ("}", ",", ")", "\\right", "\\ ", "\\quad")
        return f"{over}/{under}" if ends and not FUNCTION.search(before) else f"({over}/{under})"
    if name == "binom":
        return f"C({_group(tokens)}, {_group(tokens)})"
    if name == "sqrt":
        return f"√{_bracketed(_group(tokens), always=True)}"
    if (accent := name.removeprefix("wide")) in ACCENTS:
        return unicodedata.normalize("NFC", _group(tokens) + ACCENTS[accent])
    if name == "operatorname":
        return f" {_group(tokens)} "
    if name in PLAIN:
        return _group(tokens).replace("~", " ")
    if name in ("left", "middle", "right", "big", "Big"):
        if tokens and tokens[0] == ".":
            tokens.pop(0)
        return ""
    if name in (",", ":", ";", "!"):
        return " " if name == "," else ""
    if name in (" ", "quad", "qquad"):
        return "  "
    if token in SIGNS or name in SIGNS:
        return SIGNS.get(token, SIGNS.get(name, ""))
    if name in RELATIONS:
        return f" {RELATIONS[name]} "
    if name in GREEK:
        return _greek(name)
    return name if name in WORDS else f"\\{name}"


def _bracketed(text: str, *, always: bool = False) -> str:
    simple = re.fullmatch(r"[\d.]+|\w[̂̃̄]?(_\w|[₀-₉⁰-⁹²³])?|\|[^|]*\||‖[^‖]*‖[²³]?|√\w", text) is not None
    return text if simple and not (always and len(text) > 1) else f"({text})"


def _script(text: str, kind: str) -> str:
    table = SUB if kind == "_" else SUPER
    if text and all(c in table for c in text):
        return "".join(table[c] for c in text)
    if text == "ᵀ" or (text == "*" and kind == "^"):
        return text
    return f"{kind}{text}" if len(text) == 1 or text.isalnum() else f"{kind}({text})"
