"""The audit itself: a sequential test on one pair, the search for pairs, and the smallest pair that shows a leak.

Rounds, rankings, shrinking and the result as a record belong here. What users call belongs in `front`. This package
may import `subjects`, `evidence`, `neighbours`, and below the auditor `numerics` and `privacy`.
"""
