"""Write lemmata/__init__.pyi, the public names as type checkers see them: python -m lemmata.tools.public_names.

`lemmata` loads a name when it is first used, which no type checker follows. The stub imports all of them. It is made
from `lemmata.HOME`, so that a name is written by hand in one place.
"""

from pathlib import Path

import lemmata

STUB = Path(lemmata.__file__).with_suffix(".pyi")


def stub() -> str:
    """The text of the stub: a re-export of every public name, in the order of the modules."""
    homes = sorted({**lemmata.HOME, **dict.fromkeys(lemmata.PACKAGES, "lemmata")}.items(), key=place)
    lines = [f"from {home} import {name} as {name}" for name, home in homes]
    public = ["HOME: dict[str, str]", "PACKAGES: tuple[str, ...]", "__version__: str"]
    return "\n".join(['"""Made by `python -m lemmata.tools.public_names`."""', "", *lines, "", *public, ""])


def place(entry: tuple[str, str]) -> tuple[str, int, str]:
    """Where isort puts an import: by module, then constants, classes and functions, each in the order of letters."""
    name, home = entry
    return home, 0 if name.isupper() else 1 if name[0].isupper() else 2, name


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
