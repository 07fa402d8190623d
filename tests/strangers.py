"""Files that a stranger may write, at random: `python -m tests.strangers NOTES [INPUTS]`.

Each input is a page of a paper's folder in which pieces were cut, repeated or replaced by something nasty. A door has
to take it or to refuse it in one line. What it takes makes no link but a web or mail address, no element of a page but
those of formulas, and no character that a terminal obeys. An input is known by its number and the root in NOTES, where
the number reached is kept, so that a run that was stopped goes on from there.
"""

import random
import re
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

from lemmata.bounds.catalogue import paper_file
from lemmata.bounds.library import Library, Paper, PaperError
from lemmata.experiments.conformance.latex_arithmetic import read_terms
from lemmata.experiments.engine.ground.files import replace_file
from lemmata.experiments.figures.captions import read_captions
from lemmata.experiments.report import citations, formulas
from lemmata.experiments.report.replies import read_replies
from tests.soak import counted

INPUTS, STEP = 100_000, 500  # how many are read, and after how many that is noted
SECONDS = 5.0  # that one input may take
PAGES = {
    "paper.toml": (
        'id = "fuzzed"\nauthors = ["Ada Nobody", "Borel, Emile"]\ntitle = "T"\nyear = 2026\nvenue = "V"\n'
        'doi = "10.1/x"\narxiv = "1234.5678"\nurl = "https://example.org/a"\ncontact = "ada@example.org"\n'
        'checked_by = ["Eve Reader"]\n[contents]\n"lem1" = "Lemma 1"\n"old.lem2" = ["Lemma 2", "rows"]\n'
        'thm3.1 = "Theorem 3.1"\n[sources.old]\nauthors = ["A B"]\ntitle = "Old"\nyear = 1909\n'
        'url = "http://example.org"\n[titles]\n"lem1" = "A title"\n[letters]\nbeta = "β"\n'
        '[expected]\n"lem1/printed" = "why"\n[bounded_above]\n"lem1/printed" = "the risk"\n'
    ),
    "replies.toml": (
        '[[reply]]\nabout = "fuzzed.lem1"\nauthor = "Ada"\ndate = 2026-11-30\nstatus = "confirmed"\ntext = "Yes."\n'
        'link = "https://example.org/reply"\n'
    ),
    "captions.toml": '["fuzzed.lem1/printed"]\nsees = "A."\nx = "n"\ny = "m"\nlines = { "a" = "b", "c d" = "e" }\n',
    "LaTeX": (
        r"\Pr\left[\max_i |x_i| \ge \frac{\sqrt{n}}{2}\right] \le \sum_{i=1}^n \text{a b} \begin{cases} a & b \\ c "
        r"\end{cases} \mathrm{x} \operatorname{f} \color{red}{x} \href{https://e.org}{y} \overline{z} \tilde O(n)"
    ),
}
NASTY = (
    *("[", "]", "{", "}", '"', "'", "\\", "=", ".", ",", "\n", "#", "&", "$", "^", "_", "<", ">", "%", "~"),
    *("[" * 400, "{a=" * 300, "a." * 200, "9" * 5000, '"' * 3, "\0", "\x1b]0;t\x07", "\x9b31m", "\u202e", "\u2028"),
    *("javascript:alert(1)", "data:text/html,x", "https://e.org/\"onclick='x'", "mailto:a@b", "../../x", "//e.org"),
    *("<script>alert(1)</script>", "</mtext><script>", "&lt;script&gt;", "&#x3c;script>", "]]>", "<!--", "{{7*7}}"),
    *(
        r"\u001b",
        r"\u202e",
        r"\U0010ffff",
        r"\x",
        r"\N",
        r"\left",
        r"\right",
        r"\begin{",
        r"\end{x}",
        r"\frac",
        r"\over",
    ),
    *(r"\href{javascript:x}{y}", r"\style{a:b}{x}", r"\class{c}{x}", r"\text{<b>}", r"\hspace{<}", r"\rule{\"}{1}"),
    *(
        "inf",
        "nan",
        "-1",
        "1e400",
        "true",
        "2026-01-01",
        "[]",
        "{}",
        '""',
        '" "',
        "é",
        "\ufeff",
        "\r\n",
        "\r",
        " " * 50,
    ),
    *(
        r"\sqrt[",
        r"\limits",
        r"\substack{",
        r"\hline",
        r"\cline{1-2}",
        r"\multicolumn{9}{c}{x}",
        r"\color{",
        r"\verb|",
        "'" * 9,
    ),
)
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def make_input(root: int, number: int) -> tuple[str, bytes]:
    """(the name of a page, what stands in it) of one input."""
    choose = random.Random(f"{root} {number}")
    name, text = choose.choice(list(PAGES.items()))
    for _ in range(choose.randint(1, 4)):
        start, end = sorted(choose.randint(0, len(text)) for _ in range(2))
        end = min(end, start + choose.choice((0, 1, 5, 40)))
        piece = choose.choice((choose.choice(NASTY), choose.choice(NASTY) * 3, text[start : start + 60], ""))
        values = [found.span(1) for found in re.finditer(r"= *([^\n]+)", text)]
        if values and choose.random() < 0.4:  # a value whole, as text or bare
            start, end = choose.choice(values)
            piece = f'"{piece}"' if choose.random() < 0.5 else piece
        text = text[:start] + piece + text[end:]
    made = bytearray(text.encode("utf-8", "surrogatepass"))
    if choose.random() < 0.05:
        made[choose.randrange(len(made) + 1) : 0] = bytes([choose.randrange(128, 256)])
    return name, bytes(made)


def read_paper(folder: Path) -> None:
    paper = Library().add(folder)
    for work in (paper, *paper.sources.values()):
        links = [address for _, address in citations.list_links(work)] + ([work.link] if work.link else [])
        assert all(re.match(r"https?://[^\s<>\"']+$", link) for link in links if link == work.url), links
        assert all(link.startswith(("https://", "http://")) for link in links), links
        assert not CONTROL.search(work.bibtex() + work.cited + work.names)
    address = citations.make_address(paper.contact)
    assert re.match(r"(https?://|mailto:|$)", address), address
    assert not CONTROL.search("".join([*paper.contents.values(), *paper.titles.values(), paper.title]))
    assert len({id.lower() for id in paper.contents}) == len(paper.contents)


def read_reply(folder: Path) -> None:
    paper = Paper(("A B",), "T", 2026, id="fuzzed", folder=folder)
    for replies in read_replies(paper, {"E1": "fuzzed.lem1/printed"}, {"fuzzed.lem1", "fuzzed.lem1/printed"}).values():
        for reply in replies:
            assert reply["link"].startswith("https://") or not reply["link"]
            assert not CONTROL.search(reply["text"] + reply["author"] + reply["link"])


def read_caption(folder: Path) -> None:
    for caption in read_captions([Paper(("A B",), "T", 2026, id="fuzzed", folder=folder)]).values():
        assert not CONTROL.search("".join(map(str, (*caption[:3], *caption.lines.values()))))


def read_latex(folder: Path) -> None:
    latex = (folder / "LaTeX").read_text(encoding="utf-8", errors="replace")
    read_terms(latex)
    for element in ElementTree.fromstring(paper_file.clean_text(formulas.convert_to_mathml(latex))).iter():
        assert element.tag in formulas.ELEMENTS and set(element.attrib) <= formulas.ATTRIBUTES, element.tag


DOORS: dict[str, Callable[[Path], None]] = {
    "paper.toml": read_paper,
    "replies.toml": read_reply,
    "captions.toml": read_caption,
    "LaTeX": read_latex,
}


def try_input(root: int, number: int, folder: Path) -> str:
    """What is wrong with how one input is met, or ""."""
    name, made = make_input(root, number)
    (folder / name).write_bytes(made)
    began = time.process_time()
    try:
        DOORS[name](folder)
    except (PaperError, ValueError) as refused:
        known = isinstance(refused, PaperError) or (name == "LaTeX" and str(refused).startswith("says = "))
        lines = str(refused).splitlines()
        if not known or len(lines) != 1:
            return f"{name}: {type(refused).__name__}: {lines[:2]}"
    except Exception as error:
        return f"{name}: {type(error).__name__}: {str(error)[:200]}"
    if time.process_time() - began > SECONDS:
        return f"{name}: took {time.process_time() - began:.1f} seconds"
    return "" if {path.name for path in folder.iterdir()} <= PAGES.keys() else f"{name}: a file was written"


def main(notes: Path, inputs: int = INPUTS) -> int:
    """Read the inputs that are left; those that were not met well are printed, and kept in NOTES."""
    rooted, reached, wrong = (notes / name for name in ("root.txt", "reached.txt", "wrong.txt"))
    if not rooted.exists():
        replace_file(rooted, str(secrets.randbelow(2**32)))
        replace_file(wrong, "")
    root, first = int(rooted.read_text()), int(reached.read_text()) if reached.exists() else 0
    found = wrong.read_text(encoding="utf-8").splitlines()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "folder")
        for start in range(first, inputs, STEP):
            for number in range(start, min(start + STEP, inputs)):
                folder.mkdir()
                if said := try_input(root, number, folder):
                    found.append(f"input {number} of root {root}: {said}")
                    print(found[-1], flush=True)
                shutil.rmtree(folder)
            replace_file(wrong, "\n".join(found))
            replace_file(reached, str(min(start + STEP, inputs)))
    counted(notes, inputs, len(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *map(int, sys.argv[2:])))
