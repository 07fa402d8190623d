"""Draws that are added to nothing: they choose records, for a sample or an order, or an answer."""

import re
from itertools import zip_longest

import numpy as np

from lemmata.mechanisms.audit.subjects.draws import Draw, Place, Tape

SHUFFLES = "shuffle", "permutation", "permuted"
DRAWN_FROM = *SHUFFLES, "choice", "choices", "sample"  # laws whose first parameter is what they draw from
UNIFORM = "random", "random_sample", "rand", "uniform", "integers", "randint", "randrange"  # by which others are drawn
COUNTS = "binomial", "poisson"  # how often each record is in a sample
NUMBER, SEEN = re.compile(r"\d+\.?\d*(?:e[-+]?\d+)?"), 8  # of the shares in a text that is cut off


def is_hidden(kind: str, place: Place | None, first: list[Draw], second: list[Draw], allowed: float) -> bool:
    """Is it what is drawn from that differs, as in a shuffle or a sample, or shares that the claim allows?

    Uniform numbers choose records for a sample, or a place within a cell that was chosen: how many, and between which
    ends, tells nothing by itself.
    """
    if kind not in ("parameters", "shape"):
        return False
    beside = [(a, b) for a, b in zip(first, second, strict=False) if a.place == place == b.place]
    pairs = [(a, b) for a, b in beside if getattr(a, kind) != getattr(b, kind)]
    if all(one.law in UNIFORM or (one.law in COUNTS and one.shape != other.shape) for one, other in pairs):
        return all(one.parameters[:-1] == other.parameters[:-1] for one, other in pairs if one.law in COUNTS)
    if not all(one.law in DRAWN_FROM for one, _ in pairs):
        return False
    if kind == "shape":
        return all(one.law in SHUFFLES for one, _ in pairs)
    return all(_shares(one.parameters[2:], other.parameters[2:], allowed) for one, other in pairs)


def _shares(one: tuple, other: tuple, allowed: float) -> bool:
    """Are parameters the same but for shares (`p=`, `weights=`), and these no further apart than allowed?"""
    for a, b in zip_longest(one, other, fillvalue=""):
        if a == b:
            continue
        p, q = (np.array([float(x) for x in NUMBER.findall(text)[:SEEN]]) for text in (a, b))
        if not ("array(" in a or a.startswith("p=")) or p.shape != q.shape:
            return False
        with np.errstate(all="ignore"):
            apart = np.abs(np.log(p) - np.log(q))[p != q]
        if not (apart <= allowed + 1e-3).all():
            return False
    return True


def is_blurred(kind: str, place: Place | None, draws: list[Draw]) -> bool:
    """Is it the shares of a choice, after which a uniform number chooses within what was chosen?

    Then what was chosen need not be seen, as of a cell that is empty, or of cells whose ends move with a record.
    """
    at = next((i for i, draw in enumerate(draws) if draw.place == place), len(draws))
    chosen = kind == "parameters" and draws[at:] and draws[at].law in ("choice", "choices")
    return bool(chosen) and any(draw.law in UNIFORM for draw in draws[at + 1 :])


def without_choices(draws: list[Draw]) -> list[Draw]:
    """The draws but those that may choose records, of which there is one for each."""
    return [draw for draw in draws if draw.law not in (*UNIFORM, *COUNTS)]


def has_choices(tape: Tape) -> bool:
    """Whether draws were added to nothing, so that they may have chosen records."""
    met = {(meeting.law, meeting.place) for meeting in tape.meetings}
    return any(
        draw.law in (*DRAWN_FROM, *UNIFORM, *COUNTS) and (draw.law, draw.place) not in met for draw in tape.draws
    )


def has_sample(tape: Tape, records: int) -> bool:
    """Whether draws that were added to nothing may have chosen records, which makes all that follows cost less."""
    met = {(meeting.law, meeting.place) for meeting in tape.meetings}
    chosen = [draw for draw in tape.draws if (draw.law, draw.place) not in met]
    each = [draw for draw in chosen if draw.law in (*UNIFORM, *COUNTS)]
    some = [draw for draw in chosen if draw.law in DRAWN_FROM and draw.law not in SHUFFLES]
    return bool(some) or any(np.prod(draw.shape) >= records > 1 for draw in each)
