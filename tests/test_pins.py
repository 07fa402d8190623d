"""Two locks: what `make verify` needs has the same pins, with hashes, as what the tests need."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def pins(name):
    """{package: (version, hashes)} of a lock."""
    text = (ROOT / name).read_text(encoding="utf-8")
    entries = re.findall(r"^(\S+)==(\S+) \\\n((?:    --hash=\S+(?: \\)?\n)+)", text, re.MULTILINE)
    return {package: (version, frozenset(hashes.split())) for package, version, hashes in entries}


def test_the_pins_of_make_verify_are_among_those_of_make_test():
    fewer, more = pins("requirements-lab.lock"), pins("requirements.lock")
    assert 20 < len(fewer) < len(more)
    assert {package: more.get(package) for package in fewer} == fewer
