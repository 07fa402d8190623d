"""Programs of strangers in a process of their own: little time and memory, no network where the system allows that.

A program runs in Python's isolated mode, in an empty folder, with an empty environment. `unshare` takes the network
away where it is installed and may be used; else the report says that it was there.
"""

import ast
import contextlib
import functools
import io
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lemmata.experiments.engine.witness.program_process import run_in_fork

SECONDS, MEMORY, LARGEST = 20, 2 * 2**30, 2**20  # of a program, and bytes of what it prints or writes
BRIEF = 20  # seconds of a program of ours, in a fork


@dataclass(frozen=True)
class Ran:
    """How a program ended: its status, the last line of its errors, and what it printed."""

    status: int
    error: str
    output: str

    @property
    def asserted(self) -> bool:
        """Whether an assertion of its own ended it."""
        return self.error.startswith("AssertionError")


@functools.cache
def without_network() -> tuple[str, ...]:
    """What a command begins with so that it has no network; nothing where the system does not allow that."""
    path = shutil.which("unshare")
    for options in (("-n",), ("-r", "-n")) if path else ():
        command = (str(path), *options)
        if subprocess.run([*command, "true"], capture_output=True).returncode == 0:
            return command
    return ()


def _limit(seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, LARGEST))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run_program(program: str) -> Ran:
    """Run a program in a process of its own, without our package."""
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL")}
    with tempfile.TemporaryDirectory(prefix="lemmata-witness-") as room:
        # A paper's module `lemmata` is not to be had: a program has to run with numpy, scipy and python-flint alone.
        guard = "import sys; sys.modules['lemmata'] = None; exec(compile(sys.stdin.read(), '<program>', 'exec'))"
        process = subprocess.Popen(
            [*without_network(), sys.executable, "-I", "-c", guard],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=room,
            env={"HOME": room, "TMPDIR": room, "LC_ALL": "C.UTF-8", **threads},
            preexec_fn=functools.partial(_limit, SECONDS),
            start_new_session=True,
        )
        try:
            output, errors = process.communicate(program, timeout=2 * SECONDS)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return Ran(-1, f"no end within {2 * SECONDS} seconds", "")
    lines = errors.strip().splitlines()
    return Ran(process.returncode, lines[-1][:300] if lines else "", output[:LARGEST])


def depends_on(program: str, name: str, found: Any) -> bool:
    """Whether a program of ours fails once the statement's function `name` returns a number that cannot be exceeded.

    The number is infinite with one sign; of an identity it is what was `found`.
    """
    numbers = ["float('inf')", "-float('inf')"] + [repr(found)] * isinstance(found, int | float)
    tree = ast.parse(program)
    for number in numbers:
        changed = []
        for node in tree.body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            changed.append(node)
            if name in (getattr(node, "name", ""), *names):
                changed += ast.parse(f"{name} = lambda *a, **k: {number}").body
        if len(changed) > len(tree.body) and not run_briefly(ast.unparse(ast.Module(changed, []))):
            return True
    return False


class _Changed(ast.NodeTransformer):
    """A program with another number where it assigns `right`."""

    def __init__(self, change: str) -> None:
        self.change, self.found = change, 0

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        if any(isinstance(target, ast.Name) and target.id == "right" for target in node.targets):
            self.found += 1
            new = ast.parse(f"right = {self.change}").body
            return ast.If(ast.Constant(True), [node, *new], [])
        return node


def change_right(program: str, change: str) -> str | None:
    """The program with `right` changed after it is assigned; None where it assigns none, or is no program."""
    try:
        changed = _Changed(change)
        tree = ast.fix_missing_locations(changed.visit(ast.parse(program)))
    except (SyntaxError, ValueError):
        return None
    return ast.unparse(tree) if changed.found else None


def find_setting(program: str, names: Sequence[str]) -> tuple[Ran, dict[str, str] | None]:
    """How a program ends, and the setting that it leaves behind: the exact values of these variables, or None.

    Balls are read by their exact middle, which a program sets itself. What does not end cannot tell its setting.
    """
    asked = f"""
def _exact(x):
    from fractions import Fraction
    if hasattr(x, "mid"):
        mantissa, exponent = map(int, x.mid().man_exp())
        return str(Fraction(mantissa) * Fraction(2) ** exponent)
    return str(Fraction(x))
import json
print("\\n" + json.dumps({{name: _exact(globals()[name]) for name in {list(names)!r} if name in globals()}}))
"""
    ran = run_program(f"{program}\n{asked}")
    with contextlib.suppress(ValueError, IndexError):
        found = json.loads(ran.output.strip().splitlines()[-1])
        return ran, found if found.keys() == set(names) else None
    return ran, None


def run_briefly(program: str) -> bool:
    """Whether a program of ours passes here, in a fork, which has imported already what it needs."""
    return not run_in_fork(_execute, program)["error"]


def _execute(program: str) -> dict[str, Any]:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(BRIEF)
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(action="ignore"):
            exec(compile(program, "<program>", "exec"), {"__name__": "__main__"})
    except (Exception, SystemExit) as error:
        return {"error": type(error).__name__}
    return {"error": ""}
