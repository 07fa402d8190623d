"""What a statement can come out as: the words that auditor, engine and pages share."""

HOLDS, REFUTED, VACUOUS, INCONCLUSIVE = "HOLDS", "REFUTED", "VACUOUS", "INCONCLUSIVE"
SLIP, NOT_A_CLAIM, OPEN = "SLIP", "NOT_A_CLAIM", "OPEN"  # what only a row can come out as
