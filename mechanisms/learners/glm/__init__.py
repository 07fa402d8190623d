"""Learners for generalised linear losses: Arora et al. (2022), their base algorithms, search and boosting.

Losses, base algorithms and what searches over the norm of the solution belong here. Hinge-loss learners belong
elsewhere. This package may import `descent` and everything below `learners`.
"""
