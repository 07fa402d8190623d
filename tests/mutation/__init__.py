"""Mutants: the project with one line changed, in memory, and the checks that must notice."""
