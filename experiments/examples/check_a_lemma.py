"""Is Lemma A.5 of Wang, Zhu & Wang (2025) true? Decide it here and now, by the machinery of the ledger.

python -m lemmata.experiments.examples.check_a_lemma
"""

from __future__ import annotations

import lemmata
from lemmata.experiments.engine.front.decision import decide

LEMMA = "wzw25.lemA.5"


def main() -> None:
    """The statement, its verdicts, and the witness that anybody can run."""
    for theorem in lemmata.theorems(LEMMA):
        row = decide(theorem.key, root=1)
        print(f"{theorem.key:32} {row['verdict']:8} {theorem.title}")
        if row["verdict"] == "REFUTED":
            program = row["witness"]["python"]
            exec(compile(program, "witness", "exec"), {})  # it ends in an assert, which held
            print("\n" + "\n".join(f"    {line}" for line in program.splitlines()) + "\n")


if __name__ == "__main__":
    main()
