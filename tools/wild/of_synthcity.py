"""synthcity: the noisy counts of its PrivBayes. What surrounds it, and needs half a hundred packages, is left out."""

import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from types import SimpleNamespace
from unittest.mock import MagicMock

import numpy as np
import pandas as pd

from lemmata import PureDP
from lemmata.tools.wild.targets import known

CORE = "synthcity.plugins.core"
for name in ("synthcity.plugins", CORE, *(f"{CORE}.{part}" for part in ("dataloader", "distribution", "schema"))):
    sys.modules[name] = MagicMock()
sys.modules[f"{CORE}.plugin"] = SimpleNamespace(Plugin=object)
sys.modules[f"{CORE}.serializable"] = SimpleNamespace(Serializable=object)
for name in ("pgmpy", *(f"pgmpy.{part}" for part in ("factors.discrete.CPD", "models", "sampling"))):
    sys.modules[name] = MagicMock()
sys.modules["synthcity.utils.reproducibility"] = MagicMock()

FILE = f"{find_spec('synthcity').submodule_search_locations[0]}/plugins/privacy/plugin_privbayes.py"
SPEC = spec_from_file_location("plugin_privbayes", FILE)
privbayes = module_from_spec(SPEC)
SPEC.loader.exec_module(privbayes)

X = np.arange(40).reshape(20, 2) % 3 % 2


def counts(X):
    """The noisy counts of two binary attributes, all four pairs of which occur."""
    data = pd.DataFrame(np.clip(np.nan_to_num(X), 0, 1).astype(int), columns=["a", "b"])
    data = pd.concat([data, pd.DataFrame([[0, 0], [0, 1], [1, 0], [1, 1]], columns=["a", "b"])])
    model = privbayes.PrivBayes(epsilon=1.0, K=2)
    return model._get_noisy_counts_for_attributes(data, ["a", "b"])["count"].to_numpy()


@known(
    "arXiv 2602.17454",
    "no noise where K is the number of columns",
    line="plugin_privbayes.py:265 plugin_privbayes.py:279 plugin_privbayes.py:281",
)
def noisy_counts():
    return counts, X, PureDP(1.0, "add/remove")
