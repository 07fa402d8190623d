"""Hypothesis classes and learners small enough to be solved exactly: linear, kernel, label and network classes.

Suprema, covers and losses that are computed over a whole class belong here. This package may import `datasets`. Pairs
of neighbouring datasets belong in `pairs`.
"""
