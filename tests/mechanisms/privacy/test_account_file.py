"""An account on disk is the same when it is opened again, and notices every changed byte."""

import sys
from fractions import Fraction

import pytest

from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP, account_file
from lemmata.mechanisms.privacy.accountant import Accountant, OverBudget
from tests.mechanisms.privacy.account_on_disk import BUDGET, RELEASES, state


def test_it_is_the_same_account_when_opened_again(spent):
    memory = Accountant(BUDGET, reserve=PureDP(0.3))
    for label, release in RELEASES:
        memory.spend(release, label)
    for given in ({}, {"budget": BUDGET, "reserve": PureDP(0.3)}):
        with Accountant.open(spent, **given) as account:
            assert state(account) == state(memory) and account.history == tuple(RELEASES)
    with Accountant.open(spent) as account:
        account.spend(account.left)
        with pytest.raises(OverBudget, match="exceeds what is left of"):
            account.spend(GaussianDP(0.1))
    with Accountant.open(spent) as account:
        assert len(account.history) == 5 and not account.affords(GaussianDP(0.01))


THIRD = Fraction(1, 3)  # no float; a budget's is the one below


@pytest.mark.parametrize("budget", [PureDP(2.0, "label"), GaussianDP(0.7), ApproxDP(2.0, 1.0), PureDP(THIRD)])
def test_every_budget_is_read_from_the_file(path, budget):
    with Accountant.open(path, budget) as account:
        account.spend(type(budget)(**vars(budget) | {next(iter(vars(budget))): THIRD / 3}))
        before = state(account)
    for given in ((), (budget,)):
        with Accountant.open(str(path), *given) as account:
            assert state(account) == before


@pytest.mark.parametrize(
    "other",
    [
        {"budget": PureDP(1.0)},
        {"budget": ApproxDP(1.0, 1.1e-5), "reserve": PureDP(0.3)},
        {"budget": BUDGET},
        {"budget": BUDGET, "reserve": PureDP(0.3), "way": "gaussian"},
        {"budget": ApproxDP(1.0, 1e-5, "label"), "reserve": PureDP(0.3, "label")},
    ],
    ids=str,
)
def test_another_budget_is_refused(spent, other):
    before = spent.read_bytes()
    with pytest.raises(ValueError, match=r"/study\.account, ApproxDP\(epsilon=1\.0, delta=1e-05,"):
        Accountant.open(spent, **other)
    assert spent.read_bytes() == before


def test_without_a_file_or_a_budget_nothing_is_made(path):
    with pytest.raises(ValueError, match=r"^path has no account yet and needs a budget, got .*"):
        Accountant.open(path)
    assert not path.exists()
    path.touch()
    with pytest.raises(ValueError, match=r"path has no account.*, got "):
        Accountant.open(path)
    with pytest.raises(OSError, match="No such file"):
        Accountant.open(path.with_name("none") / "study.account", BUDGET)


@pytest.mark.parametrize(
    "text", ["notes", "notes\n", "{}\n", '{"check": "", "entry": {}}\n', "[" * 10**5 + "\n", "\0" * 9]
)
def test_another_file_is_left_alone(path, text):
    path.write_text(text)
    with pytest.raises(ValueError, match=r"^path (has no account|must be an unedited account), got .*$"):
        Accountant.open(path, BUDGET)
    assert path.read_text() == text


@pytest.mark.parametrize("device", ["/dev/full", "/dev/zero", "."])
@pytest.mark.skipif(sys.platform == "win32", reason="it has other devices")
def test_only_a_regular_file_is_an_account(device):
    with pytest.raises(ValueError, match="path must be a regular file, got /"):
        Accountant.open(device, BUDGET)


def test_what_is_refused_is_not_written(spent):
    before = spent.read_bytes()
    with Accountant.open(spent) as account:
        for wrong in (PureDP(0.9), PureDP(0.1, "label"), 0.1):
            with pytest.raises(ValueError):
                account.spend(wrong)
    assert spent.read_bytes() == before


def test_after_closing_nothing_is_spent(spent):
    with Accountant.open(spent) as account:
        pass
    account.close()
    with pytest.raises(ValueError, match=r"path is closed, so nothing can be charged to it: .*"):
        account.spend(PureDP(0.01))


# Broken files ---------------------------------------------------------------------------------------------------------


def test_every_changed_byte_is_noticed(spent, rng):
    """Whatever stands at whatever place, the last end of line included."""
    whole = spent.read_bytes()
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] = (whole[place] + rng.integers(1, 256)) % 256
        spent.write_bytes(changed)
        with pytest.raises(ValueError, match=r"^path (must|has) [^\n]*$"):
            Accountant.open(spent)
        assert spent.read_bytes() == changed


def test_no_other_byte_ends_the_last_line(spent):
    """Nor one that is no text: the line before it is whole, so its release was granted."""
    whole = spent.read_bytes()
    for other in set(range(256)) - set(b"\n"):
        spent.write_bytes(whole[:-1] + bytes([other]))
        with pytest.raises(ValueError, match=r"path must be an unedited account, got .*: line 5 was changed"):
            Accountant.open(spent)


def test_a_missing_or_moved_line_is_noticed(spent):
    first, *lines = spent.read_bytes().splitlines(keepends=True)
    for number, wrong in (
        (1, lines),
        (2, [first, *lines[1:]]),
        (3, [first, lines[0], *lines[2:]]),
        (2, [first, lines[1], lines[0], *lines[2:]]),
        (3, [first, lines[0], *lines]),
    ):
        spent.write_bytes(b"".join(wrong))
        with pytest.raises(ValueError, match=rf"path must be an unedited account, got .*: line {number} was changed"):
            Accountant.open(spent)


def test_a_line_cut_anywhere_is_dropped_with_a_word(spent):
    """Its spend had not returned. All but its end of line is a whole line and counts."""
    *kept, last = spent.read_bytes().splitlines(keepends=True)
    for length in range(1, len(last) - 1):
        spent.write_bytes(b"".join(kept) + last[:length])
        with pytest.warns(UserWarning, match="cut short, so its release was never granted; it is dropped"):
            account = Accountant.open(spent)
        assert account.history == tuple(RELEASES[:-1])
        account.spend(*RELEASES[-1][::-1])
        account.close()
        *before, anew = spent.read_bytes().splitlines(keepends=True)
        assert before == kept and len(anew) == len(last)
    spent.write_bytes(b"".join([*kept, last[:-1]]))
    with Accountant.open(spent) as account:
        assert account.history == tuple(RELEASES)
    assert spent.read_bytes() == b"".join([*kept, last])


def test_a_first_line_cut_anywhere_is_written_again(path):
    Accountant.open(path, BUDGET).close()
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        Accountant.open(path, BUDGET).close()
        assert path.read_bytes() == whole
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"path has no account.*, got "):
            Accountant.open(path)
    path.write_bytes(whole[:40])
    with pytest.raises(ValueError, match=r"path has no account.*, got "):
        Accountant.open(path, PureDP(1.0))


def test_a_file_that_spends_too_much_is_refused(path):
    """Its checks are right: somebody wrote it with our own functions."""
    file = account_file.AccountFile(path, Accountant(PureDP(1.0))._book.heading())
    named = {"kind": "PureDP", "epsilon": 0.5, "neighbours": "replace"}
    for _ in range(3):
        file.append({"label": "", "guarantee": named, "charge": [0.5, 0.0, 0.0]})
    file.close()
    with pytest.raises(ValueError, match=r"path must have spent at most its budget PureDP\(epsilon=1\.0,.*, got .*"):
        Accountant.open(path)


@pytest.mark.parametrize("entry", [{}, {"account": 2}, {"account": 1, "budget": {"kind": "PureDP"}}, [], None])
def test_another_kind_of_entry_is_refused(path, entry):
    account_file.AccountFile(path, entry or {"": entry}).close()
    with pytest.raises(ValueError, match=r"^path (has no valid account, got|must be an account of version 1, got 2)"):
        Accountant.open(path)


def test_a_witness_is_another_file_and_touches_no_third(tmp_path):
    beside, other = tmp_path / "witness.new", tmp_path / "account"
    beside.write_text("mine")
    with Accountant.open(other, PureDP(1.0), witness=tmp_path / "witness") as account:
        account.spend(PureDP(0.1))
    assert beside.read_text() == "mine" and {path.name for path in tmp_path.iterdir()} >= {"account", "witness"}
    for wrong in (3, other):
        with pytest.raises(ValueError, match="witness must be the path of another file"):
            Accountant.open(other, PureDP(1.0), witness=wrong)
