"""The ledger: every statement with its verdict, headline, evidence and links, folded from the store.

Rows and all that is derived from rows belong here. Pages belong in `lemmata.experiments.report`. This package may
import `witness`, `running`, `claims` and `ground`.
"""
