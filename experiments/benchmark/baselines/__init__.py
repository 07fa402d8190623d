"""Baselines of the benchmark, a checker a file: `check_inequality` of statements about numbers, or `check` of all.

What a checker may know belongs here: it sees no answer, and no row of the ledger. Modules of this package import the
statements about numbers and what searches or encloses them.
"""
