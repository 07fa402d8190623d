"""DataSynthesizer: the noisy tables of its PrivBayes."""

import numpy as np
import pandas as pd
from DataSynthesizer.lib.PrivBayes import get_noisy_distribution_of_attributes

from lemmata import PureDP
from lemmata.tools.wild.targets import known

X = np.arange(40).reshape(20, 2) % 3 % 2
ISSUE = "https://github.com/DataResponsibly/DataSynthesizer/issues/34"


def table(X):
    """The noisy counts of two binary attributes."""
    data = pd.DataFrame(np.vstack([np.clip(np.nan_to_num(X), 0, 1), [[1, 1]]]).astype(int), columns=["a", "b"])
    return get_noisy_distribution_of_attributes(["a", "b"], data, epsilon=1.0)["count"].to_numpy()


@known(ISSUE, "the noise of a share is added to counts", line="PrivBayes.py:232", mended="0.1.8")
def noisy_counts():
    return table, X, PureDP(1.0, "add/remove")
