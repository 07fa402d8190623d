"""Is Lemma A.5 of Wang, Zhu & Wang (2025) true? Decide it with the code that decides the ledger's rows.

python -m lemmata.experiments.examples.check_a_lemma
"""

import lemmata
from lemmata.experiments.engine.front.decision import decide

LEMMA = "wzw25.lemA.5"


def main() -> None:
    """The statement, its verdicts, and the counterexample as a program."""
    for theorem in lemmata.theorems(LEMMA):
        row = decide(theorem.key, root=1)
        print(f"{theorem.key:32} {row['verdict']:8} {theorem.title}")
        if row["verdict"] == "REFUTED":
            program = row["witness"]["python"]
            exec(compile(program, "witness", "exec"), {})  # it ends in an assert, which held
            print("\n" + "\n".join(f"    {line}" for line in program.splitlines()) + "\n")


if __name__ == "__main__":
    main()
