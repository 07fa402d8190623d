"""Proofs that f <= g over a whole domain: expressions, intervals with infinite ends, a prover, and a separate checker.

What is true of expressions of real and whole numbers belongs here, without a word of any theorem. This package may
import `exact`.
"""
