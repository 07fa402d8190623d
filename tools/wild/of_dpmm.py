"""dpmm: its models without a declared domain."""

import numpy as np
import pandas as pd
from dpmm.models.priv_bayes import PrivBayesGM

from lemmata import ApproxDP
from lemmata.tools.wild.targets import honest, known

X = np.arange(40).reshape(20, 2) % 3 % 2
ISSUE = "https://github.com/sassoftware/dpmm/issues/18"
DECLARED = {"a": 2, "b": 2}


def generated(X, random_state, domain=None):
    """How many different values a column of twenty synthetic records has, and the most frequent."""
    data = pd.DataFrame(np.clip(np.nan_to_num(X), 0, 3 if domain is None else 1).astype(int), columns=["a", "b"])
    model = PrivBayesGM(epsilon=1.0, delta=1e-5, degree=1, n_iters=20, compress=False, domain=domain, n_jobs=1)
    model.set_random_state(np.random.RandomState(random_state))
    model.fit(data)
    return model.generate(20).to_numpy().ravel()


@known(ISSUE, "the domain is the largest value in the data", line="mechanism.py:113", budget=2_048)
def bayesian_network():
    return generated, X, ApproxDP(1.0, 1e-5)


@honest("the domain is declared", budget=2_048)
def bayesian_network_with_a_domain():
    return lambda X, random_state: generated(X, random_state, DECLARED), X, ApproxDP(1.0, 1e-5)
