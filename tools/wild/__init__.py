"""Released libraries of others under audit, each at a pinned version in an environment of its own.

Targets (a file `of_<library>.py` for each library), the runner, and the comparison with DP-Auditorium belong here; a
target never names a neighbour, because the auditor searches for it. A file of targets may import `lemmata`,
`tools.wild.targets` and its own library, since its environment has no more; `run` may import experiments.
"""
