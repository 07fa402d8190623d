"""A privacy test for test suites; a failure shows the pair, the lower bound, the line and a program."""

import sys
from typing import Any

from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.mechanisms.audit.front.entry import afforded, audit
from lemmata.mechanisms.audit.play.audit_result import Found


class NotPrivate(AssertionError):
    """An audit has refuted the claim."""


def assert_private(
    target: Any,
    claim: Any,
    *,
    data: Any,
    seconds: float = 30.0,
    budget: int | None = None,
    root: int = 1,
    released: Any = None,
) -> Found:
    """Audit a mechanism as `lemmata.audit` does, and raise AssertionError if its claim is refuted.

    It passes if nothing was refuted, which is no proof of privacy, and fails also if nothing was audited.

    Parameters
    ----------
    target : object
        As of `lemmata.audit`.
    claim : Guarantee, list or function
        What the target promises.
    data : array, frame or tuple of them
        The dataset to begin with, a tuple of its parts or one part.
    seconds : float
        Translated into a number of releases, a power of two, from the price of the first few, and that number is
        printed: the verdict depends on the root and this number alone.
    budget : int, optional
        The number of releases instead, the same on every machine.
    root : int
        Of all random numbers.
    released : str, sequence of str or function, optional
        As of `lemmata.audit`.

    Returns
    -------
    Found
        Of an audit that refuted nothing.

    Raises
    ------
    AssertionError
        With the pair, the lower bound, the place and a program that shows it.
    ValueError
        As `lemmata.audit`.

    Examples
    --------
    >>> import numpy as np
    >>> from lemmata.mechanisms.privacy import PureDP
    >>> def count(x, rng): return np.clip(np.nan_to_num(x), 0, 1).sum() + rng.laplace()
    >>> assert_private(count, PureDP(1.0), data=np.full(5, 0.5), budget=1024).verdict
    'INCONCLUSIVE'
    """
    parts = data if isinstance(data, tuple) else (data,)
    if budget is None:
        budget = afforded(target, parts, seconds, released)
        print(f"assert_private: {seconds:g} s are budget={budget}", file=sys.stderr)
    found = audit(target, *parts, claim, root=root, budget=budget, released=released)
    assert isinstance(found, Found)
    if found.verdict == REFUTED or found.reason == "NOT_AUDITED":
        raise NotPrivate(report(found, budget))
    return found


def report(found: Found, budget: int) -> str:
    """The message of a failing test."""
    lines = [str(found), f"  again: root={found.root}, budget={budget}"]
    if found.reproducer:
        lines += ["  without lemmata:", *(f"    {line}" for line in found.reproducer.splitlines())]
    return "\n".join(lines)
