"""How a statement is read, and what it can come out as: the words that auditor, engine, pages and commands share."""

READINGS = ("printed", "quoted", "explicit", "corrected")  # beside rates, each along something

HOLDS, REFUTED, VACUOUS, INCONCLUSIVE = "HOLDS", "REFUTED", "VACUOUS", "INCONCLUSIVE"
SLIP, NOT_A_CLAIM, OPEN = "SLIP", "NOT_A_CLAIM", "OPEN"  # what only a row can come out as
