"""docs/licences.md from the bill of materials: `make sbom` writes both.

The bill (reports/published/sbom.json, CycloneDX) says what the locked environment holds: every package with its
version, its licence as its own metadata declare it, and what it needs. Two packages declare none; what their files say
stands here.
"""

import json
from itertools import groupby
from pathlib import Path

HOUSE = Path(__file__).resolve().parents[1]
BILL = HOUSE / "reports/published/sbom.json"
PAGE = HOUSE / "docs/licences.md"
UNDECLARED = {"dp-accounting": "Apache-2.0", "partd": "BSD-3-Clause"}  # as the files that come with them say
NAMES = {
    "License :: OSI Approved :: BSD License": "BSD",
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
HEAD = """# Licences of the dependencies

This table lists every package that `requirements.lock` pins, by the licence that the package declares.
`lemmata` has the MIT licence. It needs six of these packages, and `make verify` needs those in
`requirements-lab.lock`. The others are for tests, benchmarks and clusters. If you use Lemmata, every package
asks you to keep its notice. MPL-2.0 and LGPL-3.0 also ask you to share changes to *their own* files.
`reports/published/sbom.json` (CycloneDX 1.6) has the same data and the dependency graph in a form for
programs; `make sbom` writes it.

| licence | packages |
|---|---|
"""


def declared(component: dict) -> str:
    """The licence of a package, as one expression; where it says the same twice, the more exact one."""
    entries = component.get("licenses", [])
    texts = [each.get("expression") or each["license"].get("id") or each["license"]["name"] for each in entries]
    named = {NAMES.get(text, text) for text in texts} or {UNDECLARED[component["name"]]}
    return " AND ".join(sorted({name for name in named if name != "BSD"} or named))


def packages() -> list[tuple[str, str, str]]:
    """(licence, name, version) of every package of the bill, sorted."""
    found = json.loads(BILL.read_text(encoding="utf-8"))["components"]
    return sorted((declared(each), each["name"].lower(), each["version"]) for each in found if each["name"] != "pip")


def page() -> str:
    """The page, a line a licence."""
    lines = groupby(packages(), key=lambda entry: entry[0])
    return HEAD + "".join(
        f"| {licence} | {', '.join(f'{name} {version}' for _, name, version in group)} |\n" for licence, group in lines
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
