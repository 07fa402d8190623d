"""WITNESS: the ledger as a benchmark of true and false statements, each of which comes with a program.

The records, their export, the run of a checker and its score belong here; the baselines are a room of their own. The
engine decides what a row says, and nothing here does. Modules of this package import the engine, checks and papers.
"""
