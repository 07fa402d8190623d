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
    "adaptive_margin": ("adaptive_margin", "adaptive_margin_attacks"),
    "margin_utility": (
        "margin_utility",
        "margin_utility_steps",
        "margin_utility_choice",
        "margin_utility_theorem",
        "margin_utility_main",
        "margin_utility_sampled",
        "margin_utility_rates",
    ),
    "deviation": (
        "deviation",
        "deviation_steps",
        "deviation_classes",
        "margin_deviation",
        "population_steps",
        "population_risk",
    ),
    "private_tuning": (
        "private_tuning",
        "private_tuning_budget",
        "private_tuning_utility",
        "private_tuning_steps",
        "private_tuning_rates",
        "private_tuning_margin",
    ),
    "linear": (
        "linear",
        "linear_bound",
        "linear_chain",
        "linear_steps",
        "covers",
    ),
    "construction": ("construction", "construction_steps", "hinge_line"),
    "phased_sgd": (
        "phased_sgd",
        "boosting",
        "boosting_steps",
        "boosting_gradients",
        "efficient",
        "efficient_rates",
        "efficient_steps",
        "efficient_deviation",
    ),
    "margin_selection": (
        "selection",
        "bound_sensitivity",
        "margin_selection",
        "margin_selection_privacy",
        "margin_selection_proof",
        "margin_selection_text",
    ),
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
