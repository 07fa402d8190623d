"""One SQLite file: a row a chunk, written as it arrives, holding raw results only.

E-values, bounds and tightness are computed when folding, so editing a bound folds old chunks anew; editing a
trial changes the code hash and leaves the old chunks unread. Nothing is ever deleted except by `--fresh`.
"""

import contextlib
import hashlib
import json
import os
import sqlite3
import weakref
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lemmata.experiments.engine.claims.verdict import Verdict, current_reason
from lemmata.experiments.engine.ground.profiles import PROFILES, largest_profile

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

Where = tuple[str, str, int, str]  # of a cell's chunks: setting, stream, chunk size, attack level
PLACE = ("key", "code", "root", "setting", "stream", "size", "level", "idx")  # what a chunk is
COLUMNS = [*PLACE[:-1], "index", "payload", "seconds", "cpu_seconds", "digest"]  # of `chunks`

VERSION = 2  # of the tables, in the file's header; 0 is a file of before it was written there

SCHEMA = f"""
CREATE TABLE IF NOT EXISTS results (
    key TEXT, code TEXT, root INTEGER, setting TEXT, stream TEXT, size INTEGER, level TEXT, idx INTEGER,
    data BLOB NOT NULL, seconds REAL NOT NULL, digest BLOB NOT NULL, checksum BLOB NOT NULL, cpu REAL,
    PRIMARY KEY ({", ".join(PLACE)})
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS digests ON results (digest);
CREATE TABLE IF NOT EXISTS done (key TEXT, code TEXT, root INTEGER, profile TEXT,
    PRIMARY KEY (key, code, root, profile));
CREATE TABLE IF NOT EXISTS failed (key TEXT, code TEXT, root INTEGER, setting TEXT, stream TEXT, message TEXT,
    PRIMARY KEY (key, code, root, setting, stream));
CREATE TABLE IF NOT EXISTS shown (key TEXT, digest TEXT, said TEXT NOT NULL, PRIMARY KEY (key, digest));
"""

REPLACES = "`run --fresh {}` replaces it"
DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError)  # the latter of what SQLite says, where it quotes damaged text


class StoreError(Exception):
    """The store cannot be read or written; the message is one line, whatever a damaged file put into it."""

    def __init__(self, message: str) -> None:
        super().__init__("".join(letter if letter.isprintable() else "?" for letter in message))


class ReusedSeed(StoreError):
    """Two different chunks began with the same random bytes."""


@dataclass(frozen=True)
class Chunk:
    """The raw result of one chunk: counts {"trials": ...}, {"values": array} or a `Verdict`."""

    payload: dict[str, Any] | Verdict
    seconds: float  # by the clock
    digest: bytes
    cpu: float | None = None  # CPU seconds; None in a store of before they were kept


def encode(payload: dict[str, Any] | Verdict) -> bytes:
    """Bytes for the store: JSON, or a JSON header and compressed float64 values."""
    if isinstance(payload, Verdict):
        return b"F" + json.dumps(asdict(payload), allow_nan=True).encode()
    if "values" in payload:
        values = np.ascontiguousarray(payload["values"], dtype="<f8")
        return b"V" + json.dumps(values.shape).encode() + b"\n" + zlib.compress(values.tobytes())
    return b"C" + json.dumps(payload).encode()


def decode(data: bytes) -> dict[str, Any] | Verdict:
    """The inverse of `encode`."""
    tag, rest = data[:1], data[1:]
    if tag == b"F":
        fields = json.loads(rest)
        if fields["tightness"] is not None:
            fields["tightness"] = tuple(fields["tightness"])
        fields["copied"] = tuple(fields.get("copied", (0, 0)))
        return Verdict(**fields | {"reason": current_reason(fields["reason"])})
    if tag == b"V":
        shape, packed = rest.split(b"\n", 1)
        return {"values": np.frombuffer(zlib.decompress(packed), dtype="<f8").reshape(json.loads(shape))}
    return json.loads(rest)


def checksum(place: tuple, data: bytes) -> bytes:
    """Eight bytes that a changed count, value or place would change."""
    address = json.dumps([str(x) for x in place]).encode()
    return hashlib.blake2b(address + b"\0" + data, digest_size=8).digest()


def _written(file: Path) -> bool:
    """Whether there is anything in the file, or in a log beside it."""
    logs = (file.with_name(f"{file.name}{suffix}") for suffix in ("-wal", "-journal"))
    return file.exists() and (file.stat().st_size > 0 or any(log.exists() and log.stat().st_size for log in logs))


def _read_only(file: Path) -> sqlite3.Connection:
    # A log beside the file holds what a run has just written; without one the file is all there is. Where nothing can
    # be written an empty log is none, and what a full one holds can be read if its index was left beside it.
    log = file.with_name(file.name + "-wal")
    logged = log.exists() and (log.stat().st_size > 0 or os.access(file.parent, os.W_OK))
    return sqlite3.connect(f"{file.resolve().as_uri()}?{'mode=ro' if logged else 'immutable=1'}", uri=True)


class Store(contextlib.AbstractContextManager["Store"]):
    """Open (or make) the store at `path`; ":memory:" keeps it in memory. Raises `StoreError`.

    `reading` changes nothing on the disk: an empty store in memory stands for a file that is not there or has no bytes,
    as a kill leaves it before the first write. The file is closed by `close`, at the end of a `with`, or when nobody
    holds the store any more. A store whose tables are of before `results` is renamed where this one is made, and
    `aside` says where it went; one of a newer version is refused.
    """

    def __init__(self, path: str | Path = ":memory:", *, reading: bool = False) -> None:
        self.path = str(path)
        self.aside: Path | None = None
        file = Path(path)
        try:
            if self.path != ":memory:" and file.exists() and not file.is_file():  # of a pipe nobody would see the end
                raise OSError("not a regular file")
            self.missing = reading and self.path != ":memory:" and not _written(file)
            if self.path == ":memory:" or self.missing:
                self._db = sqlite3.connect(":memory:", isolation_level=None)
            elif reading:
                self._db = _read_only(file)
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                self._db = sqlite3.connect(self.path, isolation_level=None, timeout=60)
            self.close = weakref.finalize(self, self._db.close)
            if (
                reading and not self.missing and not self._tables() and self._age() == "ours"
            ):  # a run is just beginning it
                self.close()
                self.missing, self._db = True, sqlite3.connect(":memory:", isolation_level=None)
                self.close = weakref.finalize(self, self._db.close)
            if (age := self._age()) == "older" and reading:
                raise sqlite3.DatabaseError("it has an older format; `lemmata run` renames it and starts a new store")
            if age == "older":
                self._set_aside(file)
            elif age == "newer":
                raise sqlite3.DatabaseError("it was written by a newer version of lemmata")
            if not reading and self.path != ":memory:":
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=NORMAL")
            if not reading or self.missing:
                self._db.executescript(f"BEGIN;{SCHEMA}COMMIT;")  # all tables or none: a disk may be full between two
                if self._version() != VERSION:
                    self._db.execute(f"PRAGMA user_version = {VERSION}")
            columns = {name for _, name, *_ in self._db.execute("SELECT * FROM pragma_table_info('results')")}
            self._cpu = "cpu" if "cpu" in columns else "NULL"  # an older version kept no CPU seconds
            if not reading and self._cpu == "NULL":
                self._db.execute("ALTER TABLE results ADD COLUMN cpu REAL")
                self._cpu = "cpu"
            self._opened = os.stat(file) if self.path != ":memory:" and not self.missing else None
        except (*DAMAGE, OSError) as error:
            raise StoreError(
                f"store {self.path} cannot be opened ({error}); move it away or use another --out folder"
            ) from None

    def _version(self) -> int:
        return self._db.execute("PRAGMA user_version").fetchone()[0]

    def _tables(self) -> set[str]:
        return {name for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}

    def _age(self) -> str:
        """Whether the tables are "older" than any that can be read here, "newer", or "ours"; a new file is ours."""
        version, tables = self._version(), self._tables()
        if version == 0 and tables and "results" not in tables:
            if "chunks" not in tables:
                raise sqlite3.DatabaseError("it has tables of another program")
            return "older"
        return "newer" if version > VERSION else "ours"

    def _set_aside(self, file: Path) -> None:
        """Rename an older store, its log with it, to the first name that is free, and begin a new one."""
        self._db.execute("PRAGMA journal_mode=DELETE")  # what its log holds goes into the file first
        self.close()
        names = (file.with_name(f"{file.name}.older{n or ''}") for n in count())
        self.aside = next(name for name in names if not name.exists())
        os.rename(file, self.aside)
        self._db = sqlite3.connect(self.path, isolation_level=None, timeout=60)
        self.close = weakref.finalize(self, self._db.close)

    @contextlib.contextmanager
    def _plainly(self) -> "Iterator[None]":
        """Whatever SQLite says of its file, as a `StoreError`; of a damaged page it is when rows are fetched."""
        try:
            yield
        except DAMAGE as error:
            raise StoreError(
                f"store {self.path} cannot be used ({error}); nothing was deleted; move it away or use another --out"
            ) from None

    def _execute(self, *arguments: Any) -> sqlite3.Cursor:
        with self._plainly():
            return self._db.execute(*arguments)

    def _rows(self, *arguments: Any) -> list[tuple]:
        with self._plainly():
            return self._db.execute(*arguments).fetchall()

    def stands(self) -> None:
        """Raises `StoreError` where its file is removed, or another: SQLite would go on with one that nobody finds."""
        with contextlib.suppress(OSError):
            if self.path == ":memory:" or (self._opened and os.path.samestat(os.stat(self.path), self._opened)):
                return
        raise StoreError(f"store {self.path} was removed or moved during this run; put it back, or run it again")

    def write(self, key: str, code: str, root: int, where: Where, index: int, chunk: Chunk) -> None:
        """Add one chunk. Raises `ReusedSeed` if another chunk began with the same random bytes."""
        self.stands()
        place = (key, code, root, *where, index)
        for other in self._rows(f"SELECT {', '.join(PLACE)} FROM results WHERE digest = ?", (chunk.digest,)):
            if (other[0], *other[2:5], other[7]) != (key, root, *where[:2], index):
                raise ReusedSeed(f"chunk {place} must have its own random numbers, got those of {other}")
        data = encode(chunk.payload)
        self._execute(
            "INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*place, data, chunk.seconds, chunk.digest, checksum(place, data), chunk.cpu),
        )

    def read(self, key: str, code: str, root: int, where: Where) -> dict[int, Chunk]:
        """{index: Chunk} of one cell. Raises `StoreError` where a byte has changed since it was written."""
        rows = self._execute(
            f"SELECT idx, data, seconds, digest, checksum, {self._cpu} FROM results"
            " WHERE key=? AND code=? AND root=? AND setting=? AND stream=? AND size=? AND level=?",
            (key, code, root, *where),
        )
        chunks = {}
        try:
            for index, data, seconds, digest, kept, cpu in rows:
                if checksum((key, code, root, *where, index), data) != kept:
                    raise ValueError("its checksum does not match")
                if not isinstance(seconds, float | int) or not isinstance(cpu, float | int | None):
                    raise ValueError(f"seconds and cpu must be numbers, got {seconds!r} and {cpu!r}")
                chunks[index] = Chunk(decode(data), seconds, digest, cpu)
        except (ValueError, KeyError, TypeError, zlib.error, sqlite3.DatabaseError) as error:
            raise StoreError(
                f"store {self.path} has a damaged chunk of {key} ({error}); {REPLACES.format(key)}"
            ) from None
        return chunks

    def mark_failed(self, key: str, code: str, root: int, where: Where, message: str | None) -> None:
        """A cell was given up because a chunk raised or hung twice; None takes that back."""
        place = (key, code, root, *where[:2])
        self._execute("DELETE FROM failed WHERE key=? AND code=? AND root=? AND setting=? AND stream=?", place)
        if message is not None:
            self._execute("INSERT INTO failed VALUES (?, ?, ?, ?, ?, ?)", (*place, message))

    def failure(self, key: str, code: str, root: int, where: Where) -> str | None:
        """What the cell was given up for, or None."""
        messages = self._rows(
            "SELECT message FROM failed WHERE key=? AND code=? AND root=? AND setting=? AND stream=?",
            (key, code, root, *where[:2]),
        )
        return messages[0][0] if messages else None

    def keep(self, key: str, digest: str, said: str) -> None:
        """An answer about a row that depends on what was digested: what the program of its witness came to, its tie."""
        kept = f"{checksum((key, digest), said.encode()).hex()} {said}"
        self._execute("INSERT OR REPLACE INTO shown VALUES (?, ?, ?)", (key, digest, kept))

    def answer(self, key: str, digest: str) -> str | None:
        """The answer, or None if nobody has asked yet, or a byte of it has changed since: it is asked for again."""
        with contextlib.suppress(sqlite3.OperationalError):  # a store of before answers had the keys of their rows
            found = self._db.execute("SELECT said FROM shown WHERE key = ? AND digest = ?", (key, digest)).fetchone()
            kept, _, said = found[0].partition(" ") if found and isinstance(found[0], str) else ("", "", "")
            return said if kept == checksum((key, digest), said.encode()).hex() else None
        return None

    def recall(self, key: str, digest: str, find: Callable[[], str]) -> str:
        """The answer, which is found and kept where nobody has asked yet."""
        if (said := self.answer(key, digest)) is None:
            said = find()
            self.keep(key, digest, said)
        return said

    def mark_done(self, key: str, code: str, root: int, profile: str) -> None:
        """Every cell of this profile has been decided or exhausted."""
        self._execute("INSERT OR IGNORE INTO done VALUES (?, ?, ?, ?)", (key, code, root, profile))

    def profile(self, key: str, code: str, root: int) -> str | None:
        """The largest profile that ran to its end, or None."""
        found = self._rows("SELECT profile FROM done WHERE key=? AND code=? AND root=?", (key, code, root))
        if unknown := [profile for (profile,) in found if profile not in PROFILES]:
            raise StoreError(
                f"store {self.path} has a damaged profile of {key} ({unknown[0]!r}); {REPLACES.format(key)}"
            )
        return largest_profile(profile for (profile,) in found)

    def costs(self) -> dict[tuple[str, str, str], tuple[float, int]]:
        """{(key, setting, stream): (seconds a chunk, chunks)} of all that was ever run: what to expect of a run."""
        grouped = "SELECT key, setting, stream, avg(seconds), max(idx) + 1 FROM results GROUP BY key, setting, stream"
        return {(key, setting, stream): tuple(cost) for key, setting, stream, *cost in self._rows(grouped)}

    def roots(self) -> list[int]:
        """The roots that have chunks here."""
        return [root for (root,) in self._rows("SELECT DISTINCT root FROM results ORDER BY root")]

    def forget(self, key: str, root: int) -> None:
        """Delete the chunks of one claim, and what its programs came to, at whatever root they ran (`--fresh`)."""
        for table in ("results", "done", "failed"):
            self._execute(f"DELETE FROM {table} WHERE key=? AND root=?", (key, root))
        self._execute("DELETE FROM shown WHERE key=?", (key,))

    def chunks(self) -> "pd.DataFrame":
        """Every chunk as a pandas DataFrame, raw results in column `payload`."""
        import pandas as pd

        stored = self._rows(f"SELECT {', '.join(PLACE)}, data, seconds, {self._cpu}, digest FROM results")
        lines = [(*r[:3], json.loads(r[3]), *r[4:8], decode(r[8]), *r[9:11], r[11].hex()) for r in stored]
        return pd.DataFrame(lines, columns=COLUMNS)

    def __exit__(self, *_: object) -> None:
        self.close()
