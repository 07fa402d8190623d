"""Rubinstein, Bartlett, Huang & Taft (2009); `paper.toml` is the contents page.

Each module holds a group of statements as functions, with `_proof` modules for the steps of the printed proofs. It
may import the machinery of `lemmata.bounds` and formulas that another paper of this package cites.
"""
