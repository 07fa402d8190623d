"""The engine: claims become cells, cells become chunks, and chunks become verdicts and the ledger.

From the ground up: `ground`, `claims`, `running`, `witness`, `ledger`, `front`; each imports only what comes before
it. Checks of particular kinds of statements belong in `lemmata.experiments.checks`. The engine imports bounds and
mechanisms.
"""
