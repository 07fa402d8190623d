"""One SQLite file: a row a chunk, written as it arrives, holding raw results only.

E-values, bounds and tightness are computed when folding, so editing a bound folds old chunks anew; editing a
trial changes the code hash and leaves the old chunks unread. Nothing is ever deleted except by `--fresh`.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from experiments.engine.verdict import Verdict

SCHEMA = """
CREATE TABLE IF NOT EXISTS chunks (
    key TEXT, code TEXT, root INTEGER, setting TEXT, stream TEXT, idx INTEGER,
    data BLOB NOT NULL, seconds REAL NOT NULL, digest BLOB NOT NULL,
    PRIMARY KEY (key, code, root, setting, stream, idx)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS digests ON chunks (digest);
CREATE TABLE IF NOT EXISTS done (key TEXT, code TEXT, root INTEGER, profile TEXT,
    PRIMARY KEY (key, code, root, profile));
CREATE TABLE IF NOT EXISTS failed (key TEXT, code TEXT, root INTEGER, setting TEXT, stream TEXT, message TEXT,
    PRIMARY KEY (key, code, root, setting, stream));
"""


class StoreError(Exception):
    """The store cannot be read or written; the message is one line."""


class ReusedSeed(StoreError):
    """Two different chunks began with the same random bytes."""


@dataclass(frozen=True)
class Chunk:
    """The raw result of one chunk: counts {"trials": ...}, {"values": array} or a `Verdict`."""

    payload: dict | Verdict
    seconds: float
    digest: bytes


def encode(payload):
    """Bytes for the store: JSON, or a JSON header and compressed float64 values."""
    if isinstance(payload, Verdict):
        return b"F" + json.dumps(asdict(payload), allow_nan=True).encode()
    if "values" in payload:
        values = np.ascontiguousarray(payload["values"], dtype="<f8")
        return b"V" + json.dumps(values.shape).encode() + b"\n" + zlib.compress(values.tobytes())
    return b"C" + json.dumps(payload).encode()


def decode(data):
    """The inverse of `encode`."""
    tag, rest = data[:1], data[1:]
    if tag == b"F":
        fields = json.loads(rest)
        if fields["tightness"] is not None:
            fields["tightness"] = tuple(fields["tightness"])
        return Verdict(**fields)
    if tag == b"V":
        shape, packed = rest.split(b"\n", 1)
        return {"values": np.frombuffer(zlib.decompress(packed), dtype="<f8").reshape(json.loads(shape))}
    return json.loads(rest)


class Store:
    """Open (or make) the store at `path`; ":memory:" keeps it in memory. Raises `StoreError`."""

    def __init__(self, path=":memory:"):
        self.path = str(path)
        try:
            if self.path != ":memory:":
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self.path, isolation_level=None, timeout=60)
            if self.path != ":memory:":
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(SCHEMA)
        except (sqlite3.DatabaseError, OSError) as error:
            raise StoreError(
                f"store = {self.path} cannot be opened ({error}); move it away or choose another --reports folder"
            ) from None

    def _execute(self, *arguments):
        try:
            return self._db.execute(*arguments)
        except sqlite3.DatabaseError as error:
            raise StoreError(f"store = {self.path} cannot be used ({error}); nothing was deleted") from None

    def write(self, key, code, root, setting, stream, index, chunk):
        """Add one chunk. Raises `ReusedSeed` if another chunk began with the same random bytes."""
        where = (key, root, setting, stream, index)
        for other in self._execute(
            "SELECT key, root, setting, stream, idx FROM chunks WHERE digest = ?", (chunk.digest,)
        ):
            if other != where:
                raise ReusedSeed(f"chunk = {where} began with the random bytes of {other}")
        self._execute(
            "INSERT OR IGNORE INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (key, code, root, setting, stream, index, encode(chunk.payload), chunk.seconds, chunk.digest),
        )

    def read(self, key, code, root, setting, stream):
        """{index: Chunk} of one cell."""
        rows = self._execute(
            "SELECT idx, data, seconds, digest FROM chunks"
            " WHERE key=? AND code=? AND root=? AND setting=? AND stream=?",
            (key, code, root, setting, stream),
        )
        try:
            return {index: Chunk(decode(data), seconds, digest) for index, data, seconds, digest in rows}
        except (ValueError, KeyError, TypeError, zlib.error) as error:
            raise StoreError(f"store = {self.path} holds a damaged chunk of {key} ({error})") from None

    def mark_failed(self, key, code, root, setting, stream, message):
        """A cell was given up because a chunk raised or hung twice; None takes that back."""
        self._execute(
            "DELETE FROM failed WHERE key=? AND code=? AND root=? AND setting=? AND stream=?",
            (key, code, root, setting, stream),
        )
        if message is not None:
            self._execute("INSERT INTO failed VALUES (?, ?, ?, ?, ?, ?)", (key, code, root, setting, stream, message))

    def failure(self, key, code, root, setting, stream):
        """What the cell was given up for, or None."""
        found = self._execute(
            "SELECT message FROM failed WHERE key=? AND code=? AND root=? AND setting=? AND stream=?",
            (key, code, root, setting, stream),
        ).fetchone()
        return found and found[0]

    def mark_done(self, key, code, root, profile):
        """Every cell of this profile has been decided or exhausted."""
        self._execute("INSERT OR IGNORE INTO done VALUES (?, ?, ?, ?)", (key, code, root, profile))

    def profile(self, key, code, root):
        """The largest profile that ran to its end: "full", "quick" or None."""
        found = {
            p for (p,) in self._execute("SELECT profile FROM done WHERE key=? AND code=? AND root=?", (key, code, root))
        }
        return "full" if "full" in found else "quick" if found else None

    def roots(self):
        """The roots that have chunks here."""
        return [root for (root,) in self._execute("SELECT DISTINCT root FROM chunks ORDER BY root")]

    def forget(self, key, root):
        """Delete the chunks of one claim (`--fresh`)."""
        self._execute("DELETE FROM chunks WHERE key=? AND root=?", (key, root))
        self._execute("DELETE FROM done WHERE key=? AND root=?", (key, root))
        self._execute("DELETE FROM failed WHERE key=? AND root=?", (key, root))

    def chunks(self):
        """Every chunk as a pandas DataFrame, raw results in column `payload`."""
        import pandas as pd

        columns = ["key", "code", "root", "setting", "stream", "index", "payload", "seconds", "digest"]
        found = self._execute("SELECT key, code, root, setting, stream, idx, data, seconds, digest FROM chunks")
        rows = [(*row[:3], json.loads(row[3]), *row[4:6], decode(row[6]), row[7], row[8].hex()) for row in found]
        return pd.DataFrame(rows, columns=columns)

    def verdicts(self, root=None):
        """The ledger as a pandas DataFrame."""
        import pandas as pd

        from experiments.engine.ledger import ledger
        from experiments.engine.streams import LEDGER_ROOT

        return pd.DataFrame(ledger(self, LEDGER_ROOT if root is None else root))

    def close(self):
        self._db.close()
