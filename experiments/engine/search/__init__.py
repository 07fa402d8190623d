"""The engine's own choice of settings: where a claim is tried beside the settings that its author lists.

Drawing from the domains of hypotheses, climbing and shrinking belong here, not what a case means or when a row is
refuted. This package may import `claims` and `ground`.
"""
