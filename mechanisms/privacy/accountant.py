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
gives ten parts that fit. `parallel(by="hospital")` has an account for each of disjoint parts of the data.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import Any, NoReturn

from lemmata.bounds.statement.notebook import card
from lemmata.mechanisms.numerics.arguments import check_integer
from lemmata.mechanisms.numerics.arithmetic import short_repr
from lemmata.mechanisms.privacy.account_book import Book, OverBudget, Part, replayed
from lemmata.mechanisms.privacy.account_file import AccountFile
from lemmata.mechanisms.privacy.account_terms import parts_as, planned_as, spent_as
from lemmata.mechanisms.privacy.guarantees import ApproxDP, Guarantee, PureDP

__all__ = ["Accountant", "OverBudget", "Parallel"]
MOST_SLACK = 16  # units of the last place


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
    >>> from lemmata.mechanisms.privacy import GaussianDP
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
        self._book = Book(budget, way, reserve, plan, check_integer(MOST_SLACK, slack=slack)[0] if slack else 0)
        self._part = self._book.everybody

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
        fresh = None if budget is None else cls(budget, way=way, reserve=reserve, plan=plan, slack=slack)._book
        file = AccountFile(path, None if fresh is None else fresh.heading(), witness)
        try:
            book = replayed(file.entries, file.path)
            if fresh is not None and fresh.heading() != book.heading():
                raise ValueError(f"budget must equal that of {file.path}, {book.kept()}, got {fresh.kept()}")
        except BaseException:
            file.close()
            raise
        book.file = file
        return cls._of(book, book.everybody)

    @classmethod
    def _of(cls, book: Book, part: Part) -> Accountant:
        account = cls.__new__(cls)
        account._book, account._part = book, part
        return account

    def close(self) -> None:
        """Release the file; nothing can be charged afterwards. An account in memory stays open, and one of a part."""
        if self._book.file is not None and self._part.whole is None:
            self._book.file.close()

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
        if self._book.file is None:
            raise ValueError("receipt requires an account in a file; use Accountant.open")
        return self._book.file

    def __enter__(self) -> Accountant:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def budget(self) -> Guarantee:
        """The guarantee that all releases together must not exceed."""
        return self._book.budget

    @property
    def way(self) -> str:
        """How the account is kept now: a "mixed" one becomes "gaussian" with its first Gaussian release."""
        with self._book.lock:
            return "gaussian" if self._book.final and self._book.way == "mixed" else self._book.way

    @property
    def history(self) -> tuple[tuple[str, Guarantee], ...]:
        """The releases in order, as (label, guarantee); "hospital = north: a count" of a part."""
        own = len(self._part.path)
        with self._book.lock:
            return tuple(
                (": ".join([*(f"{by} = {key}" for by, key in part.path[own:]), *[label] * bool(label)]), guarantee)
                for part, label, guarantee in self._book.history
                if part.path[:own] == self._part.path
            )

    @property
    def spent(self) -> Guarantee | None:
        """The composed guarantee of all releases, in the terms of the budget; None before the first one.

        Of parts the largest counts. Releases that were chosen by the outcomes of others keep the budget, not this.
        """
        book = self._book
        with book.lock:
            if book.plan is not None:
                planned = Counter(book.converted(release, part) for part, _, release in book.history)
                return planned_as(book.budget, planned)
            return spent_as(book.budget, self._part.sums)

    @property
    def left(self) -> Guarantee | None:
        """The largest guarantee of the next release, None if nothing is left.

        Where the Gaussian way has anything left it is a GaussianDP; else an ApproxDP, or a PureDP if delta is used up.
        Of the "zcdp" way it is a ZCDP, of a RenyiDP budget one at its orders; of a plan the next one that is left. Of a
        part, for single records.
        """
        with self._book.lock:
            return self._book.left(self._part)

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
        with self._book.lock:
            found = parts_as(self._book.budget, self._book.caps, self._part.sums, shares)
            stated = [self._book.for_release(part, self._part) for part in found]
            return tuple(part for part in stated if part is not None)

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
        with self._book.lock:
            try:
                self._book.charged(guarantee, self._part)
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
        if self._book.process != os.getpid():
            _refuse_copies(self)
        return self._book.spend(guarantee, label, self._part)

    def parallel(self, by: str, *, fixed_keys: bool = False) -> Parallel:
        """Split the records by a public key; each part has an account of its own that may spend all that is left.

        A record is in one part only, so of all parts the largest is charged. Releases may be chosen by what others
        released, of whatever part (`lemmata.mechanisms.privacy.privacy_filter` has the proof). Parts may have parts,
        and records may be split by several keys; the largest by each is charged.

        Parameters
        ----------
        by : str
            The name of the key: a column, as "hospital". Which values there are is public, and so is the rule that
            gives a record its value. It must not be the label of a budget for neighbours that differ in one label.
        fixed_keys : bool
            Needed for "replace", whose neighbours could move a record from one part to another. With True the account
            promises neighbours of equal keys only, so that whose record is in which part is not protected.

        Returns
        -------
        Parallel
            `account.parallel(by="hospital")["north"]` is an Accountant.

        Raises
        ------
        ValueError
            In one line, for a budget for "replace" without `fixed_keys`, for a plan, and for another name.

        References
        ----------
        McSherry (2009), Privacy integrated queries, Theorem 4; Lécuyer, Spahn, Vodrahalli, Geambasu & Hsu (2019),
        Privacy accounting and quality control in the Sage platform, for releases that are chosen as one goes.

        Examples
        --------
        >>> account = Accountant(PureDP(1.0, "add/remove"))
        >>> hospitals = account.parallel(by="hospital")
        >>> for name in ("north", "south"):
        ...     _ = hospitals[name].spend(PureDP(0.75, "add/remove"), "a histogram")
        >>> account.left.epsilon, hospitals["west"].left.epsilon
        (0.25, 1.0)
        """
        self._book.check_parts(by, fixed_keys)
        return Parallel(self, by)

    def __repr__(self) -> str:
        whose = "".join(f"{by} = {key}, " for by, key in self._part.path)
        return f"Accountant({whose}{self._book.kept()}, {len(self.history)} releases, {self.left} left)"

    def _repr_html_(self) -> str:
        with self._book.lock:
            spent = [(label or "a release", guarantee) for label, guarantee in self.history]
            facts = [("spent", self.spent or "nothing"), ("left", self.left or "nothing"), *spent]
            return card(f"Account of {self._book.kept()}", facts)

    __copy__ = __deepcopy__ = __reduce_ex__ = _refuse_copies


class Parallel:
    """Accounts of disjoint parts of the records, one for each value of a key; see `Accountant.parallel`.

    Examples
    --------
    >>> Accountant(PureDP(1.0)).parallel(by="year", fixed_keys=True)[2024].budget
    PureDP(epsilon=1.0, neighbours='replace')
    """

    __iter__ = None  # whoever asks for part 0, 1, ... would never come to an end

    def __init__(self, account: Accountant, by: str) -> None:
        self._account, self._by = account, by

    def __getitem__(self, key: str | int) -> Accountant:
        """Return the account of the records with one value of the key, the same one each time.

        Raises
        ------
        ValueError
            In one line, for what is not one value, and one that looks like another part's ("North", "north").
        """
        book = self._account._book
        with book.lock:
            return Accountant._of(book, self._account._part.part(self._by, key))

    def __repr__(self) -> str:
        return f"{self._account!r}.parallel(by={self._by!r})"
