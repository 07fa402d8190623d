"""Phased SGD, the oracle of Lemma 3.1 of Bassily, Mohri & Suresh (2022): its privacy, its excess, our code attacked."""

from __future__ import annotations

SMALL_DELTA = {"family": "delta -> 0 at m = 100, k = 1, epsilon = 1, beta = 0.1"}
