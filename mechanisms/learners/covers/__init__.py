"""Learners that choose from a cover: the pure private learners of Bassily, Mohri & Suresh (2022).

An algorithm that lists candidates and selects one with the exponential mechanism belongs here. Covers themselves are
in `solvers`. This package may import everything below `learners`, and no other learner.
"""
