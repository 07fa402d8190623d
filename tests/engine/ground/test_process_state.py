"""Who is blamed for a change of what a process shares."""

import os
import subprocess
import sys

IMPORTING = """
from lemmata.experiments.engine.ground.process_state import guarding
with guarding("a row") as changed:
    import lemmata.mechanisms.numerics.threads
assert not changed, changed
"""


def test_a_row_is_not_blamed_for_what_our_own_imports_set():
    """The first row that a command reads imports what hashes it: on it, threadpoolctl was blamed."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("KMP_")}
    subprocess.run([sys.executable, "-c", IMPORTING], env=plain, check=True)
