"""Counts, means, quantiles and second moments of a table: laws of one release, without a model of labels.

What fits weights by steps or by a solver belongs to `descent`, `erm` and `glm`. This family may import `tables`,
`selection`, `noise` and below, and no other family.
"""
