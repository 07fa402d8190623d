"""CONTRIBUTING.md tells the truth: its Python blocks run, in their order, and leave nothing behind."""

import re
from pathlib import Path

import pytest

from lemmata.bounds.theorem import THEOREMS
from lemmata.command.main import main
from lemmata.experiments.engine.claim import CLAIMS

PAGE = Path(__file__).parents[1] / "CONTRIBUTING.md"


@pytest.fixture
def untouched():
    before = dict(THEOREMS), dict(CLAIMS)
    yield
    for registry, saved in zip((THEOREMS, CLAIMS), before, strict=True):
        registry.clear()
        registry.update(saved)


def test_the_blocks_run_in_their_order(untouched):
    page = PAGE.read_text()
    blocks = list(re.finditer(r"```python\n(.*?)```", page, flags=re.DOTALL))
    assert len(blocks) == 9
    namespace = {"__name__": "lemmata.experiments.bms22.sign_projection"}
    for block in blocks:
        above = "\n" * page.count("\n", 0, block.start(1))  # so that `inspect` finds a formula where the page has it
        exec(compile(above + block[1], str(PAGE), "exec"), namespace)
    exec(compile(namespace["WITNESS"], "witness", "exec"), {})
    assert len(namespace["WITNESS"].splitlines()) <= 15


def test_the_commands_exist():
    for command in re.findall(r"lemmata (\w+)", PAGE.read_text()):
        assert command in main.commands
