"""Numerical solvers whose answers come with a bound on their distance to the exact one.

Margins, support vector machines, regularised risks and covers belong here; a solver promises nothing about privacy.
This package may import `law` and `numerics`.
"""
