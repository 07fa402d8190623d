"""The topics: one module each, which registers its claims on import."""

from __future__ import annotations

import importlib

TOPICS = (
    "jl",
    "geometry",
    "removal_margin",
    "rff",
    "gaussian",
    "gdp",
    "exponential",
    "tnb",
    "noisy_gd",
    "svm",
    "float_leak",
)


def load():
    """Import every topic; returns {topic: its claims}, in the order above."""
    import importlib.util as u  # TEMPORARY while topics are being written

    from experiments.claim import CLAIMS

    modules = {
        topic: importlib.import_module(f"experiments.{topic}")
        for topic in TOPICS
        if u.find_spec(f"experiments.{topic}")
    }
    return {
        topic: [claim for claim in CLAIMS.values() if claim.trial.__module__ == module.__name__]
        for topic, module in modules.items()
    }
