"""Numerical solvers, without privacy guarantees."""
