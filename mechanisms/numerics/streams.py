"""Where every random number comes from: a generator derived from what its chunk is.

Results do not depend on workers, order or resumption, because a chunk's generator is a function of the root, the claim,
the setting, the stream ("main", "pilot:...", "sabotage:...", "train") and the chunk's index alone.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

LEDGER_ROOT = 20251120  # the same number stands in lemmata.command.console, which imports nothing
TEST_ROOT = 7321


def stream_words(name: str) -> list[int]:
    """Return four 32-bit words that name a stream: stable, never Python's hash()."""
    digest = hashlib.blake2b(name.encode(), digest_size=16).digest()
    return [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4)]


def canonical_json(setting: Mapping[str, Any]) -> str:
    """Return the one spelling of a setting.

    >>> canonical_json({"b": 2, "a": 0.5})
    '{"a":0.5,"b":2}'
    """
    return json.dumps(setting, sort_keys=True, separators=(",", ":"), allow_nan=False)


def generator(root: int, claim: str, setting: Mapping[str, Any], stream: str, chunk: int) -> np.random.Generator:
    """Return the generator of one chunk. `spawn_key` keeps keys of different lengths apart; a list would not."""
    key = (*stream_words(claim), *stream_words(canonical_json(setting)), *stream_words(stream), chunk)
    return np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence(root, spawn_key=key)))
