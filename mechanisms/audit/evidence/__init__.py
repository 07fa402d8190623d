"""Evidence against a claim: outcomes as numbers, attackers that learn scores, thresholds, and fair stakes.

Statistics of releases belong here, whoever made them. Calling the mechanism belongs in `subjects`. This package may
import `numerics` and `privacy`.
"""
