"""The file of an account: append-only lines, each on disk before `append` returns, with one writer at a time.

Every line is a JSON object with an entry and a check, the BLAKE2b digest of the line before's check and the entry; so a
byte that was changed, a line that was moved and one that is missing between others are found when the file is opened.
A process that is killed in the middle of a line leaves one without its end. `append` had not returned then, so nothing
was released for it, and it is dropped with a warning.

The checks have no key. They find rot and slips of the hand. An older copy of the file is a whole account, so a backup
that is restored could be spent again. What shows it has to be kept elsewhere: a receipt, "12 releases, " and the check
after them, which the file has at that line, or it is not the account that gave it. A witness is another file, on
another host's disk perhaps, that has the last receipt.
"""

import json
import os
import re
import secrets
import sys
import warnings
import weakref
from hashlib import blake2b
from typing import Any

from lemmata.mechanisms.numerics.arithmetic import short_repr
from lemmata.mechanisms.privacy.guarantees import KINDS, Guarantee
from lemmata.mechanisms.privacy.privacy_filter import Charge

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

Entry = dict[str, Any]
FAR = 2**30  # the byte that is locked where locks are on bytes: beyond any account, so that others can read it


class AccountFile:
    """An open file of entries, locked until `close`; `entries` has the entries found when it was opened.

    Raises BlockingIOError while another holds it, ValueError for a file that is missing (with `first` = None), is no
    account, no regular file or was changed, OSError for what the system refuses.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        first: Entry | None = None,
        witness: str | os.PathLike[str] | None = None,
    ) -> None:
        self.path = os.path.abspath(os.fspath(path))
        create = 0 if first is None else os.O_CREAT
        if os.path.exists(self.path) and not os.path.isfile(self.path):  # a device may be read for ever
            raise ValueError(f"path must be a regular file, got {self.path}")
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_APPEND | create | getattr(os, "O_BINARY", 0), 0o666)
        except FileNotFoundError:
            if create:
                raise
            raise ValueError(f"path has no account yet and needs a budget, got {self.path}") from None
        self._closing = weakref.finalize(self, _close, self._file, os.getpid())
        try:
            _lock(self._file, self.path)
            self._checks = [""]  # after each line
            self.entries = self._read(first)
            self._size = os.fstat(self._file).st_size
            self._witness = None if witness is None else _as_witness(witness, self.path)
            if self._witness is not None and os.path.exists(self._witness):
                with open(self._witness, encoding="utf-8", errors="replace") as written:
                    self.verify(written.read(200).strip())
            self._tell_witness()
        except BaseException:
            self.close()
            raise

    def append(self, entry: Entry) -> None:
        """Write one entry and wait until it is on disk. Any failure closes the file; open it again."""
        try:
            if not os.path.samestat(os.stat(self.path), os.fstat(self._file)):
                raise ValueError(f"path was replaced by another file since it was opened: {self.path}")
            if os.fstat(self._file).st_size != self._size:
                raise ValueError(f"path was written by another program since it was opened: {self.path}")
            # Two equal releases are told apart: a restored copy on which they are repeated is not the same file.
            check, line = _line(self._checks[-1], entry | {"nonce": secrets.token_hex(8)})
            self._write(line)
            self._checks.append(check)
            self._size += len(line)
            self._tell_witness()
        except BaseException as error:  # an interrupt too: what the file holds is known only when it is read again
            self.close()
            if isinstance(error, OSError):
                raise OSError(error.errno, error.strerror, error.filename or self.path) from None
            raise

    @property
    def receipt(self) -> str:
        """How many releases there are, and the check of the last line."""
        return f"{len(self._checks) - 2} releases, {self._checks[-1]}"

    def verify(self, receipt: str) -> int:
        """Return how many releases followed a receipt. Raises ValueError unless this file gave it."""
        found = re.fullmatch(r"(\d{1,9}) releases, ([0-9a-f]{32})", receipt if isinstance(receipt, str) else "")
        if found is None:
            raise ValueError(f"receipt must be one of an account, got {short_repr(receipt)}")
        since = len(self._checks) - 2 - int(found[1])
        if since < 0 or self._checks[int(found[1]) + 1] != found[2]:
            raise ValueError(
                f"receipt must be of this account, got one after {found[1]} releases, and {self.path} has "
                f"{len(self._checks) - 2}: an older copy was restored, or it is another account"
            )
        return since

    def _tell_witness(self) -> None:
        """Replace the receipt in the witness, on disk before this returns."""
        if self._witness is not None:
            fresh = f"{self._witness}.{secrets.token_hex(8)}"
            with open(fresh, "x", encoding="utf-8") as written:
                written.write(self.receipt + "\n")
                written.flush()
                os.fsync(written.fileno())
            os.replace(fresh, self._witness)
            _sync_folder(self._witness)

    def close(self) -> None:
        """Release the lock and the file; a second call does nothing."""
        self._closing()

    @property
    def closed(self) -> bool:
        return not self._closing.alive

    def _write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._file, data) :]
        os.fsync(self._file)

    def _cut(self, size: int) -> None:
        os.ftruncate(self._file, size)
        os.fsync(self._file)

    def _read(self, first: Entry | None) -> list[Entry]:
        data = b"".join(iter(lambda: os.read(self._file, 2**20), b""))
        *lines, tail = data.split(b"\n")
        if not lines:  # new, or killed before its first line was whole
            check, start = _line("", first or {})
            if first is None or not start.startswith(tail):
                raise ValueError(f"path has no account{' yet and needs a budget' if not tail else ''}, got {self.path}")
            self._cut(0)
            self._write(start)
            _sync_folder(self.path)
            self._checks.append(check)
            return [first]
        entries = []
        for number, line in enumerate(lines, 1):
            entries.append(self._entry(number, line))
        if tail and _is_whole(tail):  # all but its end of line; an end that was changed instead is no JSON
            entries.append(self._entry(len(lines) + 1, tail))
            self._write(b"\n")
        elif b"\0" in tail:  # a line that was whole once, and was granted
            raise ValueError(f"path must be an unedited account, got {self.path}: line {len(lines) + 1} was damaged")
        elif tail:
            self._cut(len(data) - len(tail))
            warnings.warn(
                f"{self.path}: the last line was cut short, so its release was never granted; it is dropped",
                stacklevel=4,
            )
        return entries

    def _entry(self, number: int, line: bytes) -> Entry:
        """The entry of the line after the last check. Raises ValueError unless it is, byte for byte, as we write it."""
        try:
            entry = json.loads(line)["entry"]
            check, expected = _line(self._checks[-1], entry)
        except (ValueError, TypeError, KeyError, RecursionError):
            expected = b""
        if line + b"\n" != expected:
            raise ValueError(f"path must be an unedited account, got {self.path}: line {number} was changed")
        self._checks.append(check)
        return entry


def _line(before: str, entry: Entry) -> tuple[str, bytes]:
    """The check of an entry after one whose check was `before`, and its line."""
    text = json.dumps(entry)
    check = blake2b(f"{before}\n{text}".encode(), digest_size=16).hexdigest()
    return check, f'{{"check": "{check}", "entry": {text}}}\n'.encode()


def _is_whole(tail: bytes) -> bool:
    """Does a last line without its end hold a whole object, at least?"""
    try:
        json.JSONDecoder().raw_decode(tail.decode(errors="replace"))  # an end that was changed may be no text
    except (ValueError, RecursionError):
        return False
    return True


def _lock(file: int, path: str) -> None:
    """One writer: the lock belongs to the open file, not the process, and ends with it, even by kill -9."""
    try:
        if sys.platform == "win32":
            os.lseek(file, FAR, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            os.lseek(file, 0, os.SEEK_SET)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        raise BlockingIOError(f"path is already open, in this or another process: {path}") from None


def _close(file: int, process: int) -> None:
    """Close it; in the process that opened it give up the lock, which its forked children hold as long as they live."""
    try:
        if sys.platform != "win32" and process == os.getpid():
            fcntl.flock(file, fcntl.LOCK_UN)
    finally:
        os.close(file)


def _as_witness(witness: Any, path: str) -> str:
    """The path of a witness. Raises ValueError for what is no path, and for the account's own."""
    if not isinstance(witness, str | os.PathLike) or os.path.realpath(witness) == os.path.realpath(path):
        raise ValueError(f"witness must be the path of another file, got {short_repr(witness)}")
    return os.path.abspath(os.fspath(witness))


def _sync_folder(path: str) -> None:
    """A new file's name is on disk when its folder is; Windows keeps no such handle."""
    if sys.platform != "win32":
        folder = os.open(os.path.dirname(path), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


# What the entries say of guarantees ----------------------------------------------------------------------------------


def guarantee_as_dict(guarantee: Guarantee) -> Entry:
    """A guarantee as a record with the name of its kind."""
    return {
        "kind": type(guarantee).__name__,
        **{k: v for k, v in vars(guarantee).items() if k != "parts" and v is not None},
    }


def guarantee_from_dict(written: Entry) -> Guarantee:
    """The guarantee of a record written by `guarantee_as_dict`."""
    made: Guarantee = KINDS[written["kind"]](**{name: value for name, value in written.items() if name != "kind"})
    return made


def account_entry(label: str, guarantee: Guarantee, charge: Charge, m: float | None, path: Any = ()) -> Entry:
    """The charge as a record. It is stored, not recomputed, since another release of SciPy may round differently.

    `path` has the keys of the part that is charged; a version that knows no parts charges all records instead.
    """
    entry = {
        "label": label,
        "guarantee": guarantee_as_dict(guarantee),
        "charge": list(charge if charge.divergences else charge[:3]),
    }
    return {**entry, **({} if m is None else {"m": m}), **({"part": [list(key) for key in path]} if path else {})}
