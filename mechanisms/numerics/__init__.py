"""Arithmetic that errs in one known direction, exact random choices, streams, threads and compiled kernels.

Whatever computes with numbers and knows nothing of privacy belongs here, as do the checks of public arguments. A
guarantee, a law or a learner does not. This package imports numpy, scipy, python-flint and numba only.
"""
