"""The topics, and the modules that register their claims on import."""

from __future__ import annotations

import importlib

from experiments.claim import CLAIMS

TOPICS = {
    "jl": ("jl", "jl_fast", "jl_matrix", "jl_margin"),
    "geometry": ("geometry",),
    "removal_margin": ("removal_margin",),
    "rff": ("rff", "rff_uniform", "spectra"),
    "gaussian": ("gaussian", "gaussian_steps"),
    "gdp": ("gdp",),
    "exponential": ("exponential",),
    "tnb": ("tnb", "repetitions", "repetition_rates"),
    "noisy_gd": ("noisy_gd", "hinge_gradient", "noisy_gd_proof", "last_iterate"),
    "svm": ("svm", "svm_steps", "erlang", "usefulness"),
    "float_leak": ("float_leak",),
    "excess": ("excess", "open_question"),
    "margin_grid": ("margin_grid", "margin_grid_proof"),
    "tables": ("tables", "table_figures"),
}


def load():
    """Import every topic; returns {topic: its claims}, in the order above."""
    home = {}
    for topic, modules in TOPICS.items():
        for name in modules:
            importlib.import_module(f"experiments.{name}")
            home[f"experiments.{name}"] = topic
    found: dict = {topic: [] for topic in TOPICS}
    for claim in CLAIMS.values():
        if claim.trial.__module__ in home:
            found[home[claim.trial.__module__]].append(claim)
    return found


def topic_of(claim):
    """The topic a claim belongs to."""
    module = claim.trial.__module__.rpartition(".")[2]
    return next((topic for topic, modules in TOPICS.items() if module in modules), module)
