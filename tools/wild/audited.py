"""In a library's own environment: audit its targets, a line of JSON each.

python -m lemmata.tools.wild.audited FILE VERSION TARGET...
"""

from __future__ import annotations

import json
import re
import sys
import sysconfig
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import lemmata
from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.tools.wild.targets import KNOWN, Target, targets_of

ROOT, BUDGET = 20261125, 20_000
NOT_AUDITED = "NOT_AUDITED"
FOLDERS = f"{sysconfig.get_paths()['purelib']}/", f"{Path(lemmata.__file__).parent}/"


def audited(target: Target, version: str) -> dict[str, Any]:
    """What an audit of one target found, as plain data; nobody has said which neighbours to try."""
    mechanism, *data = target.make()
    *parts, claim = data
    begun = time.process_time()
    try:
        found = lemmata.audit(mechanism, *parts, claim=claim, root=ROOT, budget=target.budget or BUDGET)
    except ValueError as error:  # it raises on every pair of datasets
        told = {"claim": repr(claim), "verdict": NOT_AUDITED, "note": str(error).splitlines()[0][:200]}
    else:
        refuted, claim = found.verdict == REFUTED, found.claim
        places = [without_folders(place) for place in found.place] if refuted else []
        told = {
            "verdict": NOT_AUDITED if found.reason == NOT_AUDITED else found.verdict,
            "bound": f"{found.lower:.3g}" if found.lower else "",
            "caught": f"{found.smallest_caught:.3g}" if found.smallest_caught else "",
            "releases": found.searched + found.trained + found.judged,
            "pair": found.pair.words if found.pair and refuted else "",
            "place": places[0] if places else "",
            "named": "yes" if any(map(target.named, places)) else "",
            "note": found.event[:200] if found.reason == NOT_AUDITED else found.reason,
        }
    own = {"target": target.name, "kind": target.kind(version), "issue": target.issue, "says": target.says}
    stated = {"claim": re.sub(r", neighbours='replace'", "", repr(claim)), "claimed": parameter_of(claim)}
    own |= {"unfound": target.unfound if told["verdict"] != REFUTED and own["kind"] == KNOWN else ""}
    return own | told | stated | {"code": target.code, "seconds": f"{time.process_time() - begun:.1f}"}


def without_folders(place: str) -> str:
    """A lead without the folders of this machine."""
    for folder in FOLDERS:
        place = place.replace(folder, "")
    return place


def parameter_of(claim: Any) -> str:
    """The number that the lower bound is compared with: epsilon, mu or rho."""
    return next((f"{getattr(claim, name):.3g}" for name in ("epsilon", "mu", "rho") if hasattr(claim, name)), "")


def main(file: str, version: str, *due: str) -> None:
    """Audit those targets of a file that are named."""
    for target in targets_of(import_module(f"lemmata.tools.wild.{file}")):
        if target.make.__name__ in due:
            print(json.dumps({"function": target.make.__name__} | audited(target, version)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
