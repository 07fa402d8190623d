"""SmartNoise: the covariances of its synthesisers, and the noise of its SQL."""

import sys
from importlib import import_module

import numpy as np
import pandas as pd
from sklearn.linear_model import _base
from snsql.sql._mechanisms.gaussian import Gaussian
from snsql.sql._mechanisms.laplace import Laplace

from lemmata import ApproxDP, PureDP
from lemmata.tools.wild.targets import honest, known

sys.modules["sklearn.linear_model.base"] = _base  # the name under which its early releases ask for it
DPcovariance = import_module("snsynth.models.dp_covariance").DPcovariance

X = np.random.default_rng(0).uniform(0, 1, (20, 2))
ISSUE = "https://github.com/opendp/smartnoise-sdk/issues/622"
NOISE = Laplace(1.0, lower=0, upper=1), Gaussian(1.0, delta=1e-3, lower=0, upper=1)


def covariance(X, bounds=(0, 1)):
    """The released covariances of two columns."""
    released = DPcovariance(n=len(X), cols=["a", "b"], rng=pd.DataFrame({"a": bounds, "b": bounds}), global_eps=1.0)
    return released.release(pd.DataFrame(X, columns=["a", "b"]))


@known(ISSUE, "what was clipped and filled is thrown away: NaN shows", line="dp_covariance.py:115", mended="1.0.6")
def covariances():
    return covariance, X, PureDP(1.0)


@honest()
def laplace_of_a_clamped_sum():
    return lambda x: NOISE[0].release([np.clip(np.nan_to_num(x), 0, 1).sum()]), X[:, 0], PureDP(1.0, "add/remove")


@honest()
def gaussian_of_a_clamped_sum():
    claim = ApproxDP(1.0, 1e-3, "add/remove")
    return lambda x: NOISE[1].release([np.clip(np.nan_to_num(x), 0, 1).sum()]), X[:, 0], claim
