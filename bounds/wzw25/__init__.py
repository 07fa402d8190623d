"""Wang, Zhu & Wang (2025); `paper.toml` is the contents page.

Each module holds a group of statements as functions, with `_proof` modules for the steps of the printed proofs.
It may import the machinery of `lemmata.bounds` and formulas that another paper of this package cites.
"""

from lemmata.bounds.library import cited

WZW25 = cited("wzw25")  # authors and year
