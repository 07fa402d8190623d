"""The book of an account: how a release is charged, to all records or to some, what was charged, and where it is kept.

`lemmata.mechanisms.privacy.accountant` is its public side, `lemmata.mechanisms.privacy.privacy_filter` the rule.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any
from unicodedata import normalize

import numpy as np

from lemmata.mechanisms.numerics.arithmetic import short_repr
from lemmata.mechanisms.privacy.account_file import AccountFile, account_entry, guarantee_as_dict, guarantee_from_dict
from lemmata.mechanisms.privacy.account_terms import VERSION, Announced, as_plan, as_reserve, left_as
from lemmata.mechanisms.privacy.algebra import share_of_record, to_neighbours
from lemmata.mechanisms.privacy.guarantees import (
    ApproxDP,
    GaussianDP,
    Guarantee,
    RenyiDP,
    change_of,
    checked_again,
)
from lemmata.mechanisms.privacy.privacy_filter import (
    WAYS,
    Amounts,
    Charge,
    as_budget,
    charges,
    final_caps,
    first_caps,
    largest_m,
)

SHOWN = 8  # kinds of releases in a message


class OverBudget(ValueError):
    """The budget does not cover a release; nothing was recorded.

    Examples
    --------
    >>> from lemmata.mechanisms.privacy.accountant import Accountant, PureDP
    >>> try:
    ...     Accountant(PureDP(1.0)).spend(PureDP(2.0))
    ... except OverBudget as error:
    ...     print(str(error).partition(" is left")[0])
    PureDP(epsilon=2.0, neighbours='replace') exceeds what
    """


class Part:
    """Some of the records, and what was charged to them; those with one value of a key, or all of them."""

    def __init__(self, whole: Part | None = None, by: str = "", key: str | int = "") -> None:
        self.whole, self.by, self.key = whole, by, key
        self.own = Amounts()
        self.parts: dict[tuple[str, str], Part] = {}  # by the name of a key, and a value as `part` compares it
        self.largest: dict[str, Amounts] = {}  # cost of a part by the name of a key

    @property
    def path(self) -> tuple[tuple[str, str | int], ...]:
        """The keys of these records, from the outermost on."""
        return () if self.whole is None else (*self.whole.path, (self.by, self.key))

    def part(self, by: str, key: Any) -> Part:
        """Return the records among these with one value of a key.

        ValueError for what might be several values, and for one that differs from another one in its writing only.
        """
        value = key.item() if isinstance(key, np.generic) else key
        if not isinstance(value, str | int) or isinstance(value, bool):
            raise ValueError(f"key must be one value of {by!r}, text or a whole number, got {short_repr(key)}")
        same = by, " ".join(normalize("NFKC", str(value)).casefold().split())
        found = self.parts.setdefault(same, Part(self, by, value))
        if found.key != value:
            raise ValueError(f"key must not look like {short_repr(found.key)}, another part's, got {short_repr(key)}")
        return found

    def cost(self, without: str | None = None) -> Amounts:
        """What a record here has at most been charged here, and in one part by each key but one."""
        total = self.own
        for by, amounts in self.largest.items():
            total = total if by == without else total.joined(amounts)
        return total

    @property
    def sums(self) -> Amounts:
        """What a record of these has been charged at most, by releases of these records and of more."""
        total, part = self.cost(), self
        while part.whole is not None:
            total, part = total.joined(part.whole.cost(without=part.by)), part.whole
        return total

    def charge(self, charge: Charge) -> None:
        """Add a release to the sums. None ever falls, so the largest part is known from what was larger before."""
        self.own, part = self.own.plus(charge), self
        while part.whole is not None:
            before = part.whole.largest.get(part.by, Amounts())
            part.whole.largest[part.by] = before.joined(part.cost(), max)
            part = part.whole


class Book:
    """A budget, how it is kept, its releases and its file; shared by an account and those of its parts."""

    def __init__(self, budget: Any, way: Any, reserve: Any, plan: Any, slack: int = 0) -> None:
        self.budget: Any = as_budget(checked_again("budget", budget), slack)
        ways = WAYS.get(type(self.budget), ())
        if not (way is None or (isinstance(way, str) and way in ways)):
            raise ValueError(f"way = {short_repr(way)} is not one of {', '.join(ways)} for {budget}")
        self.way = way or next(iter(ways), "")
        self.reserve = as_reserve(reserve, self.budget, self.way)
        self.plan = as_plan(plan, self.budget, self.way)
        self.announced = [[guarantee_as_dict(g), n] for g, n in (self.plan or {}).items()]
        self.everybody = Part()
        self.caps = first_caps(self.budget, self.way)
        self.final = self.way != "mixed"
        self.calibrated: tuple[Amounts, float] | None = None  # the last m that was worked out, and for which sums
        if isinstance(self.budget, ApproxDP) and self.way == "gaussian":
            self.caps = self.switched(self.calibration())
        self.history: list[tuple[Part, str, Guarantee]] = []
        self.keys: set[str] = set()  # by which parts were charged
        self.file: AccountFile | None = None
        self.lock = threading.RLock()
        self.process = os.getpid()

    def converted(self, guarantee: Any, part: Part) -> Guarantee:
        """Return a release's guarantee for the budget's neighbours.

        A user has records in several parts. So a part is charged as if a release were promised for single records: all
        charges grow at least in proportion to how many of them there are.
        """
        found = checked_again("guarantee", guarantee)
        if part.whole is not None:
            found = to_neighbours(found, change_of(found.neighbours)[0])
        return to_neighbours(found, self.budget.neighbours)

    def charged(self, guarantee: Any, part: Part) -> tuple[Guarantee, Charge, float | None]:
        """A release as converted, how it would be charged, and the m of the switch that it brings about.

        OverBudget beyond the caps.
        """
        converted = self.converted(guarantee, part)
        if self.plan is not None:
            if self.plan[converted] < 1:
                why = "where it was announced and is used up" if converted in self.plan else "which does not have it"
                left = ", ".join(f"{n} of {g}" for g, n in islice((+self.plan).items(), SHOWN)) or "nothing"
                raise OverBudget(
                    f"{guarantee} is not left in the plan of {self.kept()}, {why}; left in any order: {left}"
                )
            return converted, Charge(), None
        switches = not self.final and isinstance(converted, GaussianDP)
        m = self.calibration() if switches else None
        caps = self.caps if m is None else self.switched(m)
        ways, sums = list(charges(converted, self.budget, self.way)), part.sums
        for charge in ways:
            if sums.plus(charge).within(caps):
                return converted, charge, m
        if not any(caps.open_to(charge) for charge in ways):
            raise OverBudget(f"{guarantee} cannot be charged to {self.kept()}; left: {self.left(part)}")
        raise OverBudget(f"{guarantee} exceeds what is left of {self.kept()}: {self.left(part)}")

    def spend(self, guarantee: Any, label: str, part: Part) -> Guarantee:
        """Charge a release, on disk first. ValueError and OverBudget as `Accountant.spend`."""
        with self.lock:
            converted, charge, m = self.charged(guarantee, part)
            if self.file is not None and self.file.closed:
                raise ValueError(f"path is closed, so nothing can be charged to it: {self.file.path}")
            try:
                if self.file is not None:
                    self.file.append(account_entry(label, guarantee, charge, m, part.path))
                self.record(label, guarantee, charge, m, part)
            except BaseException:  # a full disk, an interrupt in between: opened again, the file knows
                if self.file is not None:
                    self.file.close()
                raise
        return converted

    def record(self, label: str, guarantee: Guarantee, charge: Charge, m: float | None, part: Part) -> None:
        """Charge first, then list: an interrupt in between leaves more charged than released, never less."""
        if m is not None:
            self.caps, self.final = self.switched(m), True
        part.charge(charge)
        self.keys |= {by for by, _ in part.path}
        if self.plan is not None:
            self.plan[self.converted(guarantee, part)] -= 1
        self.history.append((part, label, guarantee))

    def switched(self, m: float) -> Amounts:
        """The caps after a switch to the Gaussian way, for the part that was charged most."""
        return final_caps(self.everybody.sums, self.reserve, m)

    def calibration(self) -> float:
        sums = self.everybody.sums
        if self.calibrated is None or self.calibrated[0] != sums:
            self.calibrated = sums, largest_m(self.budget, sums, self.reserve)
        return self.calibrated[1]

    def left(self, part: Part) -> Guarantee | None:
        if self.plan is not None:
            return next((+self.plan).elements(), None)
        return self.for_release(left_as(self.budget, self.caps, part.sums), part)

    def for_release(self, amount: Guarantee | None, part: Part) -> Guarantee | None:
        """An amount as a release of a part states it, for single records of users; None if that is nothing."""
        change, records = change_of(self.budget.neighbours)
        if amount is None or part.whole is None or records == 1:
            return amount
        with suppress(ValueError):
            return replace(share_of_record(amount, records), neighbours=change)
        return None

    def check_parts(self, by: Any, fixed_keys: bool) -> None:
        """Raise ValueError for a name that is none, and for a budget that disjoint parts do not keep."""
        if not isinstance(by, str) or not by.strip():
            raise ValueError(f"by must be the name of a key, got {short_repr(by)}")
        (change, records), kept = change_of(self.budget.neighbours), self.kept()
        if not isinstance(fixed_keys, bool):
            raise ValueError(f"fixed_keys must be True or False, got {short_repr(fixed_keys)}")
        if change == "replace" and not fixed_keys:
            raise ValueError(
                f"neighbours must not move a record from one {by} to another, which changes two parts, got {kept}. "
                "Use 'add/remove', or pass fixed_keys=True to promise neighbours of equal keys only"
            )
        if self.plan is not None or (isinstance(self.budget, RenyiDP) and records > 1):
            raise ValueError(f"budget must have sums for parts, which a plan and a RenyiDP of users lack, got {kept}")

    def kept(self) -> str:
        """The budget, how it is kept, and for whom."""
        reserve = f", reserve {self.reserve}" if self.reserve.epsilon or self.reserve.delta else ""
        fixed = self.keys and change_of(self.budget.neighbours)[0] == "replace"
        whom = f", for neighbours of equal {' and '.join(sorted(self.keys))}" if fixed else ""
        way = "gaussian" if self.final and self.way == "mixed" else self.way
        return f"{self.budget} (kept as {way}{reserve}{whom})"

    def heading(self) -> dict[str, Any]:
        return {
            "account": VERSION,
            "budget": guarantee_as_dict(self.budget),
            "way": self.way,
            "reserve": guarantee_as_dict(self.reserve),
            **({} if self.plan is None else {"plan": self.announced}),
        }


def replayed(entries: list[dict[str, Any]], path: str) -> Book:
    """Return the book that a file's entries tell of. Raises ValueError where they are none, or overspend."""
    heading, *releases = entries
    try:
        if heading["account"] != VERSION:
            raise ValueError(f"path must be an account of version {VERSION}, got {heading['account']}: {path}")
        budget, reserve = guarantee_from_dict(heading["budget"]), guarantee_from_dict(heading["reserve"])
        kept: Any = None if not reserve.epsilon and not reserve.delta else reserve  # type: ignore[union-attr]
        plan = Announced(guarantee_from_dict(one) for one, times in heading.get("plan", ()) for _ in range(times))
        book = Book(budget, heading["way"], kept, plan or None)
        for entry in releases:
            guarantee, charge, part = guarantee_from_dict(entry["guarantee"]), Charge(*entry["charge"]), book.everybody
            for by, key in entry.get("part", ()):
                book.check_parts(by, True)
                part = part.part(by, key)
            book.record(entry["label"], guarantee, charge, entry.get("m"), part)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"path has no valid account, got {path} ({type(error).__name__}: {error})") from None
    if not book.everybody.sums.within(book.caps) or min((book.plan or {0: 0}).values()) < 0:
        raise ValueError(f"path must have spent at most its budget {book.kept()}, got {path}")
    return book
