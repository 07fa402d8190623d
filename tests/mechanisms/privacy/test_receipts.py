"""A backup that is restored is noticed by what was kept elsewhere: a receipt, or a witness."""

import pytest

from lemmata import Accountant, PureDP


@pytest.fixture
def witness(tmp_path):
    (folder := tmp_path / "other host").mkdir()
    return folder / "study.witness"


def test_a_receipt_is_verified_as_long_as_its_releases_are_there(spent):
    with Accountant.open(spent) as account:
        old, backup = account.receipt, spent.read_bytes()
        account.spend(account.left)
        new = account.receipt
        assert account.verify(old) == 1 and account.verify(new) == 0 and old != new and old.startswith("4 releases, ")
    with Accountant.open(spent) as account:
        assert account.verify(old) == 1 and account.receipt == new
    spent.write_bytes(backup)
    with Accountant.open(spent) as account:
        assert account.verify(old) == 0
        with pytest.raises(
            ValueError, match=r"^receipt must be of this account, got one after 5 releases, .* has 4: an"
        ):
            account.verify(new)
        account.spend(PureDP(0.01))  # the fifth again, but another one
        with pytest.raises(ValueError, match=r"^receipt must be of this account"):
            account.verify(new)


@pytest.mark.parametrize("receipt", ["", "4 releases", "4 releases, " + "0" * 32, "x releases, " + "0" * 32, None, 4])
def test_what_is_no_receipt_of_it_is_refused(spent, receipt):
    with Accountant.open(spent) as account, pytest.raises(ValueError, match=r"^receipt must be "):
        account.verify(receipt)


def test_an_account_in_memory_has_none():
    account = Accountant(PureDP(1.0))
    with pytest.raises(ValueError, match="receipt requires an account in a file"):
        account.verify("0 releases, " + "0" * 32)
    with pytest.raises(ValueError, match="receipt requires an account in a file"):
        print(account.receipt)


def test_a_backup_is_refused_by_its_witness(path, witness):
    with Accountant.open(path, PureDP(1.0), witness=witness) as account:
        account.spend(PureDP(0.25))
        backup = path.read_bytes()
        account.spend(PureDP(0.5))
        assert witness.read_text().strip() == account.receipt
    Accountant.open(path, witness=witness).close()
    whole = path.read_bytes()
    path.write_bytes(backup)
    with pytest.raises(ValueError, match=r"got one after 2 releases, and .* has 1: an older copy was restored"):
        Accountant.open(path, witness=witness)
    assert path.read_bytes() == backup
    path.write_bytes(whole)
    path.unlink()
    with pytest.raises(ValueError, match=r"got one after 2 releases, and .* has 0"):
        Accountant.open(path, PureDP(1.0), witness=witness)


def test_a_witness_may_lag_by_what_was_not_granted(path, witness):
    """Killed between the account and its witness: the release is recorded, and was not granted."""
    with Accountant.open(path, PureDP(1.0), witness=witness) as account:
        account.spend(PureDP(0.25))
        before = witness.read_bytes()
        account.spend(PureDP(0.25))
    witness.write_bytes(before)
    with Accountant.open(path, witness=witness) as account:
        assert len(account.history) == 2 and witness.read_text().strip() == account.receipt


def test_a_witness_that_cannot_be_written_grants_nothing(path, witness):
    account = Accountant.open(path, PureDP(1.0), witness=witness)
    witness.unlink()
    witness.parent.rmdir()
    with pytest.raises(OSError, match="No such file"):
        account.spend(PureDP(0.25))
    with pytest.raises(ValueError, match="path is closed"):
        account.spend(PureDP(0.25))


def test_a_backup_over_an_open_account_is_noticed_before_the_next_release(spent):
    lines = spent.read_bytes().splitlines(keepends=True)
    with Accountant.open(spent) as account:
        spent.write_bytes(b"".join(lines[:-1]))
        with pytest.raises(ValueError, match="path was written by another program since it was opened"):
            account.spend(PureDP(0.01))
    with Accountant.open(spent) as again:
        assert len(again.history) == 3


@pytest.mark.parametrize("kept", [0, 40])
def test_a_last_line_of_zeros_was_granted_and_is_not_dropped(spent, kept):
    whole = spent.read_bytes()
    last = whole.splitlines(keepends=True)[-1]
    damaged = whole[: len(whole) - len(last) + kept] + b"\0" * (len(last) - kept)
    spent.write_bytes(damaged)
    with pytest.raises(ValueError, match=r"^path must be an unedited account, got .*: line 5 was damaged"):
        Accountant.open(spent)
    assert spent.read_bytes() == damaged


def test_equal_releases_on_a_restored_copy_are_others(spent):
    """A script that runs every night writes the same words: the receipt of the night before is not of the copy."""
    backup = spent.read_bytes()
    receipts = []
    for _ in range(2):
        spent.write_bytes(backup)
        with Accountant.open(spent) as account:
            account.spend(PureDP(0.01), "nightly")
            receipts.append(account.receipt)
    assert receipts[0] != receipts[1]
    with Accountant.open(spent) as account, pytest.raises(ValueError, match="receipt must be of this account"):
        account.verify(receipts[0])
