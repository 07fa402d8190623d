"""dpmm: its models without a declared domain."""

from copy import deepcopy

import numpy as np
import pandas as pd
from dpmm.models.priv_bayes import PrivBayesGM

from lemmata import ApproxDP
from lemmata.tools.wild.targets import honest, known

X = np.arange(40).reshape(20, 2) % 3 % 2
ISSUE = "https://github.com/sassoftware/dpmm/issues/18"


def prepared(domain=None):
    """A model that has seen no data: what it makes of epsilon and delta takes it most of a release's time."""
    return PrivBayesGM(epsilon=1.0, delta=1e-5, degree=1, n_iters=20, compress=False, domain=domain, n_jobs=1)


OPEN, DECLARED = prepared(), prepared({"a": 2, "b": 2})


def generated(X, random_state, prepared=OPEN):
    """Twenty synthetic records."""
    data = pd.DataFrame(np.clip(np.nan_to_num(X), 0, 3 if prepared is OPEN else 1).astype(int), columns=["a", "b"])
    model = deepcopy(prepared)
    model.set_random_state(np.random.RandomState(random_state))
    model.fit(data)
    return model.generate(20).to_numpy().ravel()


@known(ISSUE, "the domain is the largest value in the data", line="mechanism.py:113", budget=2_048)
def bayesian_network():
    return generated, X, ApproxDP(1.0, 1e-5)


@honest("the domain is declared", budget=2_048)
def bayesian_network_with_a_domain():
    return lambda X, random_state: generated(X, random_state, DECLARED), X, ApproxDP(1.0, 1e-5)
