"""A bar on stderr: how far something long has come."""

import sys
import threading
from typing import Any

from tqdm import tqdm


def progress_bar(*work: Any, **options: Any) -> Any:
    """A bar, its lock one of threads: by itself tqdm makes a semaphore of processes, which Python 3.14 calls leaked."""
    tqdm.set_lock(threading.RLock())
    return tqdm(*work, file=sys.stderr, **options)
