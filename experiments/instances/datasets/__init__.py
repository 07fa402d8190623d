"""Datasets and parameters on which bounds are tried: planted margins, points to project, corners of hypotheses.

A family of records with known properties belongs here. Neighbouring pairs belong in `pairs`. This package imports no
other package of instances.
"""
