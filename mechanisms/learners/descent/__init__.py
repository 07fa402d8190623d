"""Learners by noisy gradient descent: Wang, Zhu & Wang (2025), their subroutines, and two older halfspace learners.

Descent with projections, random batches, margins found privately and private tuning belongs here. Empirical risk
minimisation by other means belongs in `erm`. This package may import everything below `learners`, and no other
learner.
"""
