"""Numerical solvers. They promise nothing about privacy."""
