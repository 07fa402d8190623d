"""The learning algorithms of the four papers and of their baselines, one algorithm a module.

A module states its formal guarantee and builds a law over what is released. The scikit-learn classes around these
laws belong in `estimators`. These packages may import `noise`, `selection`, `features`, `solvers` and all below them.
"""
