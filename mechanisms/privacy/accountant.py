"""The accountant: a budget for one dataset, the sum of its releases, and a refusal to exceed the budget.

    accountant = Accountant(ApproxDP(1.0, 1e-5))                    # in memory
    accountant = Accountant.open("study.account", ApproxDP(1.0, 1e-5))    # on disk: outlives the process
    accountant.spend(PureDP(0.25), "histogram")
    accountant.spent, accountant.left
    accountant.spend(PureDP(1.0))          # OverBudget: nothing is recorded

Spend *before* a release is drawn. Its guarantee, and whether there is another release at all, may depend on everything
that was released before: `lemmata.mechanisms.privacy.privacy_filter` proves that all keep the budget. `compose` needs
its guarantees fixed in advance, and so does way "losses", which takes a plan of all releases.

All sums are exact, in fractions: ten times 0.1 is more than 1, because the float 0.1 is more than a tenth. `parts(10)`
gives ten parts that fit.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Sequence
from typing import Any, NoReturn

from lemmata.bounds.statement.notebook import card
from lemmata.mechanisms.numerics.arguments import check_integer
from lemmata.mechanisms.numerics.arithmetic import short_repr
from lemmata.mechanisms.privacy.account_file import AccountFile, account_entry, guarantee_as_dict
from lemmata.mechanisms.privacy.account_terms import (
    VERSION,
    as_plan,
    as_reserve,
    left_as,
    parts_as,
    planned_as,
    replay,
    spent_as,
)
from lemmata.mechanisms.privacy.algebra import to_neighbours
from lemmata.mechanisms.privacy.guarantees import ApproxDP, GaussianDP, Guarantee, PureDP, check_guarantee
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

MOST_SLACK = 16  # units of the last place


class OverBudget(ValueError):
    """The budget does not cover a release; nothing was recorded.

    Examples
    --------
    >>> try:
    ...     Accountant(PureDP(1.0)).spend(PureDP(2.0))
    ... except OverBudget as error:
    ...     print(str(error).partition(" is left")[0])
    PureDP(epsilon=2.0, neighbours='replace') exceeds what
    """


def _refuse_copies(account: Accountant, *_: object) -> NoReturn:
    raise TypeError(
        "an Accountant cannot be copied, pickled or forked, because that would double the budget; use Accountant.open"
    )


class Accountant:
    """The account of one dataset: a budget, the releases charged to it, and a refusal to exceed it.

    Threads may share an account: checking and recording are one step. A copy would be a second budget, so copies,
    pickles and forked children are refused with TypeError; `open` is for what outlives a process.

    Parameters
    ----------
    budget : PureDP, ApproxDP, GaussianDP, ZCDP or RenyiDP
        What all releases together may spend. A number that was rounded up to a float counts as the float below.
    way : "mixed", "approximate", "gaussian", "zcdp" or "losses", optional
        How an ApproxDP budget is kept, see `lemmata.mechanisms.privacy.privacy_filter`; "mixed" by default.
    reserve : PureDP or ApproxDP, optional
        What pure and approximate releases have for themselves once the Gaussian way of a "mixed" account began.
    plan : sequence of Guarantee, optional
        For way "losses": all releases. They are composed by their privacy losses, and each may be spent once, in any
        order, also one that depends on outcomes.
    slack : int
        Units of the last place by which each number of the budget is raised, once: with 4 of them k parts fit that were
        rounded to floats, each number / k, or mu / sqrt(k). The raised budget is the one that the account promises.

    Raises
    ------
    ValueError
        In one line, for other arguments.

    Examples
    --------
    >>> accountant = Accountant(GaussianDP(5.0))
    >>> accountant.spend(GaussianDP(3.0), "a mean"), accountant.left
    (GaussianDP(mu=3.0, neighbours='replace'), GaussianDP(mu=4.0, neighbours='replace'))
    >>> accountant.affords(GaussianDP(4.1))
    False
    """

    def __init__(
        self,
        budget: Guarantee,
        *,
        way: str | None = None,
        reserve: PureDP | ApproxDP | None = None,
        plan: Sequence[Guarantee] | None = None,
        slack: int = 0,
    ) -> None:
        check_guarantee("budget", budget)
        self._budget = as_budget(budget, check_integer(MOST_SLACK, slack=slack)[0] if slack else 0)
        ways = WAYS.get(type(budget), ())
        if not (way is None or (isinstance(way, str) and way in ways)):
            raise ValueError(f"way = {short_repr(way)} is not one of {', '.join(ways)} for {budget}")
        self._way = way or next(iter(ways), "")
        self._reserve = as_reserve(reserve, self._budget, self._way)
        self._plan = as_plan(plan, self._budget, self._way)
        self._announced = [[guarantee_as_dict(g), n] for g, n in (self._plan or {}).items()]
        self._sums = Amounts()
        self._caps = first_caps(self._budget, self._way)
        self._final = self._way != "mixed"
        self._calibrated: tuple[Amounts, float] | None = None  # the last m that was worked out, and for which sums
        if isinstance(self._budget, ApproxDP) and self._way == "gaussian":
            self._caps = self._switched(self._calibration())
        self._history: list[tuple[str, Guarantee]] = []
        self._file: AccountFile | None = None
        self._lock = threading.RLock()
        self._process = os.getpid()

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        budget: Guarantee | None = None,
        *,
        way: str | None = None,
        reserve: PureDP | ApproxDP | None = None,
        plan: Sequence[Guarantee] | None = None,
        slack: int = 0,
        witness: str | os.PathLike[str] | None = None,
    ) -> Accountant:
        """Open the account in the file `path`: a new one with `budget`, or an existing one with its releases.

        The file has one writer at a time: BlockingIOError is raised while another process has it open. A spend is on
        disk before `spend` returns, so kill -9 loses none. A last line that was cut short was never granted; it is
        dropped with a warning. Any other change of the file raises ValueError, and so does a budget, way or reserve
        that differs from the file's. Close the account with `close`, or use it as a context manager. The lock needs a
        local file system. A backup that is restored is a second budget: a `witness` or a kept `receipt` shows it.

        Parameters
        ----------
        path : path
            Of the file.
        budget, way, reserve, plan, slack
            As of `Accountant`; all may be left out where the file exists.
        witness : path, optional
            Of another file, better on another disk or host, which gets the receipt of each release. An account that is
            older than its witness is refused.

        Returns
        -------
        Accountant

        Raises
        ------
        BlockingIOError
            In one line, while another has it open.
        ValueError
            In one line, for a file that was changed or is older than its witness, and for another budget than its own.
        """
        fresh = None if budget is None else cls(budget, way=way, reserve=reserve, plan=plan, slack=slack)
        file = AccountFile(path, None if fresh is None else fresh._heading(), witness)
        try:
            account = replay(cls, file.entries, file.path)
            if fresh is not None and fresh._heading() != account._heading():
                raise ValueError(f"budget must equal that of {file.path}, {account._kept()}, got {fresh._kept()}")
        except BaseException:
            file.close()
            raise
        account._file = file
        return account

    def close(self) -> None:
        """Release the file; nothing can be charged to this object afterwards. An account in memory stays open."""
        if self._file is not None:
            self._file.close()

    @property
    def receipt(self) -> str:
        """A line to print and keep elsewhere: how many releases the file has, and the check that chains them."""
        return self._on_disk().receipt

    def verify(self, receipt: str) -> int:
        """Return how many releases were charged since a receipt.

        Parameters
        ----------
        receipt : str
            What `receipt` was then.

        Returns
        -------
        int

        Raises
        ------
        ValueError
            In one line, unless this account gave it: an older copy was restored, or it is another account.
        """
        return self._on_disk().verify(receipt)

    def _on_disk(self) -> AccountFile:
        if self._file is None:
            raise ValueError("receipt requires an account in a file; use Accountant.open")
        return self._file

    def __enter__(self) -> Accountant:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def budget(self) -> Guarantee:
        """The guarantee that all releases together must not exceed."""
        return self._budget

    @property
    def way(self) -> str:
        """How the account is kept now: a "mixed" one becomes "gaussian" with its first Gaussian release."""
        with self._lock:
            return "gaussian" if self._final and self._way == "mixed" else self._way

    @property
    def history(self) -> tuple[tuple[str, Guarantee], ...]:
        """The releases in order, as (label, guarantee)."""
        with self._lock:
            return tuple(self._history)

    @property
    def spent(self) -> Guarantee | None:
        """The composed guarantee of all releases, in the terms of the budget; None before the first one.

        Releases that were chosen by the outcomes of others keep the budget, not this.
        """
        with self._lock:
            if self._plan is not None:
                return planned_as(self._budget, Counter(self._converted(release) for _, release in self._history))
            return spent_as(self._budget, self._sums)

    @property
    def left(self) -> Guarantee | None:
        """The largest guarantee of the next release, None if nothing is left.

        Where the Gaussian way has anything left it is a GaussianDP; else an ApproxDP, or a PureDP if delta is used up.
        Of the "zcdp" way it is a ZCDP, of a RenyiDP budget one at its orders; of a plan the next one that is left.
        """
        with self._lock:
            if self._plan is not None:
                return next((+self._plan).elements(), None)
            return left_as(self._budget, self._caps, self._sums)

    def parts(self, shares: Any) -> tuple[Guarantee, ...]:
        """Split what is left into guarantees that can all be spent, in any order.

        Parameters
        ----------
        shares : int or sequence of number
            How many equal parts; or what each is in proportion to (mu squared), as a number or text ("1/3").

        Returns
        -------
        tuple of Guarantee
            Of the kind of `left`, in floats rounded down: together at most `left`, in exact arithmetic.

        Raises
        ------
        ValueError
            In one line, for other shares, and if nothing is left.

        Examples
        --------
        >>> account = Accountant(PureDP(1.0))
        >>> for part in account.parts(10):
        ...     _ = account.spend(part)
        >>> len(account.history), [part.epsilon for part in Accountant(PureDP(1.0)).parts(["1/2", "1/4", "1/4"])]
        (10, [0.5, 0.25, 0.25])
        """
        with self._lock:
            return parts_as(self._budget, self._caps, self._sums, shares)

    def affords(self, guarantee: Guarantee) -> bool:
        """Whether `spend` would accept a release.

        Parameters
        ----------
        guarantee : Guarantee
            Of the release.

        Returns
        -------
        bool
        """
        with self._lock:
            try:
                self._charged(guarantee)
            except OverBudget:
                return False
        return True

    def spend(self, guarantee: Guarantee, label: str = "") -> Guarantee:
        """Charge a release before it is drawn, and return its guarantee for the budget's neighbours.

        Parameters
        ----------
        guarantee : Guarantee
            Of the release; it, and the release, may depend on everything that was released before.
        label : str
            What `history` calls it.

        Returns
        -------
        Guarantee

        Raises
        ------
        OverBudget
            Beyond the budget; nothing was recorded.
        ValueError
            In one line, for a guarantee that says nothing about the budget's neighbours, a label that is no text, and a
            file that was closed.
        """
        if not isinstance(label, str):
            raise ValueError(f"label must be a string, got {short_repr(label)}")
        if self._process != os.getpid():
            _refuse_copies(self)
        with self._lock:
            charge, m = self._charged(guarantee)
            if self._file is not None and self._file.closed:
                raise ValueError(f"path is closed, so nothing can be charged to it: {self._file.path}")
            try:
                if self._file is not None:
                    self._file.append(account_entry(label, guarantee, charge, m))
                self._record(label, guarantee, charge, m)
            except BaseException:  # a full disk, an interrupt in between: opened again, the file knows
                self.close()
                raise
        return self._converted(guarantee)

    def _converted(self, guarantee: Any) -> Guarantee:
        check_guarantee("guarantee", guarantee)
        return to_neighbours(guarantee, self._budget.neighbours)

    def _charged(self, guarantee: Any) -> tuple[Charge, float | None]:
        """How a release would be charged, and the m of the switch that it brings about. OverBudget beyond the caps."""
        converted = self._converted(guarantee)
        if self._plan is not None:
            if self._plan[converted] < 1:
                raise OverBudget(f"{guarantee} is not left in the plan of {self._kept()}: {self.left}")
            return Charge(), None
        switches = not self._final and isinstance(converted, GaussianDP)
        m = self._calibration() if switches else None
        caps = self._caps if m is None else self._switched(m)
        ways = list(charges(converted, self._budget, self._way))
        for charge in ways:
            if self._sums.plus(charge).within(caps):
                return charge, m
        if not any(caps.open_to(charge) for charge in ways):
            raise OverBudget(f"{guarantee} cannot be charged to {self._kept()}; left: {self.left}")
        raise OverBudget(f"{guarantee} exceeds what is left of {self._kept()}: {self.left}")

    def _record(self, label: str, guarantee: Guarantee, charge: Charge, m: float | None) -> None:
        """Charge first, then list: an interrupt in between leaves more charged than released, never less."""
        if m is not None:
            self._caps, self._final = self._switched(m), True
        self._sums = self._sums.plus(charge)
        if self._plan is not None:
            self._plan[self._converted(guarantee)] -= 1
        self._history.append((label, guarantee))

    def _switched(self, m: float) -> Amounts:
        return final_caps(self._sums, self._reserve, m)

    def _calibration(self) -> float:
        if self._calibrated is None or self._calibrated[0] is not self._sums:
            budget: Any = self._budget  # only an ApproxDP can switch
            self._calibrated = self._sums, largest_m(budget, self._sums, self._reserve)
        return self._calibrated[1]

    def _kept(self) -> str:
        reserve = f", reserve {self._reserve}" if self._reserve.epsilon or self._reserve.delta else ""
        return f"{self._budget} (kept as {self.way}{reserve})"

    def _heading(self) -> dict[str, Any]:
        return {
            "account": VERSION,
            "budget": guarantee_as_dict(self._budget),
            "way": self._way,
            "reserve": guarantee_as_dict(self._reserve),
            **({} if self._plan is None else {"plan": self._announced}),
        }

    def __repr__(self) -> str:
        return f"Accountant({self._kept()}, {len(self._history)} releases, {self.left} left)"

    def _repr_html_(self) -> str:
        with self._lock:
            spent = [(label or "a release", guarantee) for label, guarantee in self._history]
            facts = [("spent", self.spent or "nothing"), ("left", self.left or "nothing"), *spent]
            return card(f"Account of {self._kept()}", facts)

    __copy__ = __deepcopy__ = __reduce_ex__ = _refuse_copies
