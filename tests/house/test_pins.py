"""Two locks with the same pins and hashes; the bill of materials is of them, and no licence in it binds who uses us."""

import re
import socket
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from lemmata.tools import licences

ROOT = Path(__file__).resolve().parents[2]


def pins(name):
    """{package: (version, hashes)} of a lock."""
    text = (ROOT / name).read_text(encoding="utf-8")
    entries = re.findall(r"^(\S+)==(\S+) \\\n((?:    --hash=\S+(?: \\)?\n)+)", text, re.MULTILINE)
    return {package: (version, frozenset(hashes.split())) for package, version, hashes in entries}


def test_the_pins_of_make_verify_are_among_those_of_make_test():
    fewer, more = pins("requirements-lab.lock"), pins("requirements.lock")
    assert 20 < len(fewer) < len(more)
    assert {package: more.get(package) for package in fewer} == fewer


def test_the_programs_that_write_locks_are_pinned_themselves():
    assert {"uv", "cyclonedx-bom"} <= pins("tools/tools.lock").keys()
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    uses = re.findall(r"(?:pip install -qq|\$\(INSTALL\)) (.*)", text)
    known = ("--require-hashes -r ", "--no-compile --no-deps", "--no-build-isolation -e .")
    assert len(uses) >= 4 and all(use.startswith(known) for use in uses)


@pytest.mark.parametrize(
    "lock", ["requirements.lock", "requirements-lab.lock", "requirements-docs.lock", "tools/tools.lock"]
)
def test_every_line_of_a_lock_is_a_pin_with_its_hashes(lock):
    """And so none is a path of the machine that wrote it."""
    lines = [line for line in (ROOT / lock).read_text(encoding="utf-8").splitlines() if line[:1] not in ("", " ", "#")]
    assert len(lines) == len(pins(lock)) and "file://" not in (ROOT / lock).read_text(encoding="utf-8")


def test_every_pin_satisfies_its_bound():
    """As `make lock` keeps pins that do, and a bound may have been raised since."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for lock, wanted in (("requirements.lock", {*extras} - {"docs"}), ("requirements-docs.lock", {*extras})):
        listed = [*project["dependencies"], *(text for name in wanted for text in extras[name])]
        pinned = {canonicalize_name(name): version for name, (version, _) in pins(lock).items()}
        for bound in map(Requirement, listed):
            if bound.name != project["name"]:
                version = pinned[canonicalize_name(bound.name)]
                assert version in bound.specifier, f"{lock}: {bound} is not {version}: run `make lock`"


def test_the_bill_of_materials_is_of_the_lock():
    """Every pin that this platform installs, with its version, and nothing else."""
    pinned = {name.replace("_", "-"): version for name, (version, _) in pins("requirements.lock").items()}
    billed = {name.replace("_", "-"): version for _, name, version in licences.packages()}
    assert billed.items() <= pinned.items(), "run `make sbom`"
    assert licences.PAGE.read_text(encoding="utf-8") == licences.page(), "run `make sbom`"
    assert pinned.keys() - billed.keys() <= {"colorama", "pywin32", "tomli"}, "of other platforms and older Pythons"


@pytest.mark.parametrize("licence", sorted({licence for licence, *_ in licences.packages()}))
def test_no_licence_asks_more_than_its_notice(licence):
    """Copyleft of files (MPL, LGPL of a library that is linked) is all that may stand there."""
    free = {"0BSD", "Apache-2.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "MIT", "MIT-0", "MIT-CMU", "Zlib"}
    free |= {"PSF-2.0", "Python-2.0", "MPL-2.0", "LGPL-3.0-or-later", "LLVM-exception", "ISC", "Unlicense"}
    assert set(re.split(r" (?:AND|OR|WITH) ", licence)) <= free


def test_no_test_reaches_the_network():
    """Whatever is looked up or sent home fails here; another process of this machine may be asked."""
    with pytest.raises(PermissionError, match="reaches for the network"):
        socket.create_connection(("192.0.2.1", 80), timeout=1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()
