"""Add a paper: an invented one with a false lemma, from its contents page to its verdicts.

    python -m lemmata.experiments.examples.add_a_paper

In the repository a paper is a folder in `bounds` and one in `experiments` (`tests/fifth_paper` is a whole one); here it
lives in this file and is forgotten afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lemmata.bounds.library import library
from lemmata.bounds.papers import Paper
from lemmata.bounds.theorem import THEOREMS, integer, theorem
from lemmata.experiments.checks.inequality import inequality_claim
from lemmata.experiments.engine.claim import CLAIMS
from lemmata.experiments.engine.decide import decide


@contextmanager
def a_paper() -> Iterator[None]:
    """The contents page: authors, title, year, and every numbered statement with the module that holds it."""
    registries: list[dict[str, Any]] = [library.papers, library.ids, library.modules, THEOREMS, CLAIMS]
    before = [dict(registry) for registry in registries]
    library.papers["new26"] = Paper("new26", "Nobody", "On Products", 2026)
    library.ids["new26.lem1"], library.modules["new26.lem1"] = "Lemma 1", "new26/products"
    yield
    for registry, saved in zip(registries, before, strict=True):
        registry.clear()
        registry.update(saved)


def write_it_down() -> None:
    """The statement as printed, its correction, and how each is decided."""

    @theorem("new26.lem1", says=r"n!\le n^{n/2}", needs=[integer("n")])
    def factorial_bound(*, n: int) -> float:
        """The bound on n! as printed, Lemma 1."""
        return n ** (n / 2)

    @factorial_bound.corrected(says=r"n!\le((n+1)/2)^n")
    def factorial_bound_corrected(*, n: int) -> float:
        """The same by the mean of 1, ..., n."""
        return ((n + 1) / 2) ** n

    @inequality_claim(factorial_bound, severity="constant", python="assert 3 * 2 > 3**1.5", note="3! is 6")
    def it_fails():
        """Small n."""
        for n in range(1, 6):
            yield {"n": n}, math.factorial(n), factorial_bound(n=n)

    @inequality_claim(factorial_bound_corrected, scope="settings")
    def it_holds():
        """n up to 20; the geometric mean of 1, ..., n is at most their mean."""
        for n in range(1, 21):
            yield {"n": n}, math.factorial(n), factorial_bound_corrected(n=n)


def main() -> None:
    """Two verdicts, and the control of the one that holds."""
    with a_paper():
        write_it_down()
        printed = decide("new26.lem1/printed", root=1)
        print("as printed ", printed["verdict"], "at", printed["witness"]["setting"])
        corrected = decide("new26.lem1/corrected", root=1)
        print("corrected  ", corrected["verdict"], "and its sabotaged twin is", corrected["control"])


if __name__ == "__main__":
    main()
