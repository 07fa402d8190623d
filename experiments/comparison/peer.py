"""A learner that lives in another Python, because it wants older libraries: records go there, weights return."""

import atexit
import io
import json
import os
import subprocess
from functools import cache
from typing import Any

import numpy as np

PYTHON = os.environ.get("LEMMATA_DIFFPRIVLIB", "")  # one that has diffprivlib
PROGRAM = """import warnings
warnings.simplefilter("ignore")
from diffprivlib.models import LogisticRegression
def answer(data):
    asked = {"data_norm": 1.0, "C": float(data["C"]), "fit_intercept": False, "epsilon": float(data["epsilon"])}
    fits = [LogisticRegression(random_state=int(seed), **asked) for seed in data["seeds"]]
    return [fit.fit(data["X"], data["y"]).coef_[0].tolist() for fit in fits]
"""
SERVE = """import io, json, sys
import numpy
exec(sys.argv[1])
while header := sys.stdin.buffer.readline():
    print(json.dumps(answer(numpy.load(io.BytesIO(sys.stdin.buffer.read(int(header)))))), flush=True)
"""


@cache
def start_peer(python: str, program: str) -> subprocess.Popen[bytes]:
    """The other Python, started once: a line with a number of bytes and an .npz in, a line of JSON out."""
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    started = subprocess.Popen([python, "-c", SERVE, program], **pipes)
    atexit.register(started.kill)
    return started


def ask_peer(program: str = "", **arrays: Any) -> np.ndarray:
    """What a program, else `PROGRAM`, answers to these arrays. RuntimeError, with its last line, if it has ended."""
    sent = io.BytesIO()
    np.savez(sent, **arrays)
    other: Any = start_peer(PYTHON, program or PROGRAM)
    try:
        other.stdin.write(b"%d\n" % len(sent.getvalue()) + sent.getvalue())
        other.stdin.flush()
        return np.array(json.loads(other.stdout.readline()))
    except (OSError, ValueError):
        other.kill()
        start_peer.cache_clear()
        raise RuntimeError(f"{PYTHON}: {other.communicate()[1].decode().strip().splitlines()[-1]}") from None
