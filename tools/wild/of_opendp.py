"""OpenDP: measurements, whose `map` is read as the claim."""

import numpy as np
import opendp.prelude as dp

from lemmata.tools.wild.targets import honest, known

dp.enable_features("contrib")
x = np.linspace(0.1, 0.9, 20)
SCORES = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
RECORDS = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
TREE = dp.vector_domain(dp.atom_domain(T=int), size=2), dp.l1_distance(T=int)
COUNTED = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
ISSUES = "https://github.com/opendp/opendp/issues/"


@known(
    ISSUES + "2911",
    "permute-and-flip promises the rho of the exponential mechanism",
    mended="0.16.0",
    unfound="The installed 0.15.1 (0.14.0 to 0.15.0 too) draws as the exponential mechanism does, whose promise is "
    "right: at scores (1, -1) the second wins 0.118 of 20,000 times, for 0.119; permute-and-flip's share is 0.068. "
    "That law with this promise is refuted by the same search within 12,000 releases",
)
def noisy_max_under_zcdp():
    return dp.m.make_noisy_max(*SCORES, dp.zero_concentrated_divergence(), scale=1.0), np.zeros(2, int), None


@known(ISSUES + "2925", "sums below the root overflow")
def tree_of_counts_near_the_largest_integer():
    tree = dp.t.make_b_ary_tree(*TREE, leaf_count=2, branching_factor=2)
    return tree >> dp.m.then_laplace(scale=2.0), np.array([2**31 - 1, 0]), None


@honest()
def tree_of_small_counts():
    tree = dp.t.make_b_ary_tree(*TREE, leaf_count=2, branching_factor=2)
    return tree >> dp.m.then_laplace(scale=2.0), np.array([3, 4]), None


@honest()
def noisy_max():
    return dp.m.make_noisy_max(*SCORES, dp.max_divergence(), scale=2.0), np.zeros(3, int), None


@honest()
def laplace():
    return dp.m.make_laplace(dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), scale=1.0), 0.0, None


@honest()
def discrete_laplace():
    return dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=1.0), 0, None


@honest()
def geometric():
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    return dp.m.make_geometric(*space, scale=1.0, bounds=(-3, 3)), 0, None


@honest()
def gaussian():
    return dp.m.make_gaussian(dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), scale=1.0), 0.0, None


@honest()
def discrete_gaussian():
    return dp.m.make_gaussian(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=1.0), 0, None


@honest()
def count():
    return RECORDS >> dp.t.then_count() >> dp.m.then_laplace(scale=1.0), x, None


@honest()
def sum_of_clamped_records():
    return RECORDS >> dp.t.then_clamp((0.0, 1.0)) >> dp.t.then_sum() >> dp.m.then_laplace(scale=1.0), x, None


@honest()
def sum_of_clamped_integers():
    whole = COUNTED >> dp.t.then_clamp((0, 5)) >> dp.t.then_sum() >> dp.m.then_laplace(scale=5.0)
    return whole, np.arange(20) % 6, None


@honest()
def histogram():
    count = COUNTED >> dp.t.then_count_by_categories([0, 1, 2]) >> dp.m.then_laplace(scale=1.0)
    return count, np.arange(20) % 4, None
