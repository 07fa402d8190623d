"""Learners by private empirical risk minimisation: phased SGD, DP-ERM and its kin, private SVMs, perturbation.

Algorithms of Bassily, Mohri & Suresh (2022), Rubinstein et al. (2009) and Chaudhuri et al. (2011) belong here.
Gradient descent with noise in each step belongs in `descent`. This package may import everything below `learners`,
and no other learner.
"""
