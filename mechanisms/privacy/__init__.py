"""Guarantees and budgets: what a mechanism promises, what one promise implies for another, and accounts that add up.

Statements of privacy, their conversions, composition, filters and accounts belong here; noise that earns them does not.
This package may import `numerics`. Its names are gathered here, so `from lemmata.mechanisms.privacy import PureDP`
works.
"""

from lemmata.mechanisms.privacy.algebra import (
    compose,
    gaussian_noise_multiplier,
    group,
    share_of_record,
    to_gaussian_budget,
    to_neighbours,
)
from lemmata.mechanisms.privacy.conversions import to_approx, to_curve, to_gaussian, to_pure, to_renyi, to_zcdp
from lemmata.mechanisms.privacy.divergences import doubled
from lemmata.mechanisms.privacy.gaussian_curve import gaussian_delta, gaussian_epsilon, gaussian_mu
from lemmata.mechanisms.privacy.guarantees import (
    LARGEST,
    NEIGHBOURS,
    ZCDP,
    ApproxDP,
    GaussianDP,
    Guarantee,
    LabelDP,
    PrivacyCurve,
    PureDP,
    RenyiDP,
    change_of,
    check_guarantee,
    of_users,
)
from lemmata.mechanisms.privacy.privacy_curve import grouped

__all__ = [
    "LARGEST",
    "NEIGHBOURS",
    "ZCDP",
    "ApproxDP",
    "GaussianDP",
    "Guarantee",
    "LabelDP",
    "PrivacyCurve",
    "PureDP",
    "RenyiDP",
    "change_of",
    "check_guarantee",
    "compose",
    "doubled",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_mu",
    "gaussian_noise_multiplier",
    "group",
    "grouped",
    "of_users",
    "share_of_record",
    "to_approx",
    "to_curve",
    "to_gaussian",
    "to_gaussian_budget",
    "to_neighbours",
    "to_pure",
    "to_renyi",
    "to_zcdp",
]
