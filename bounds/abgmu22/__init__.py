"""Arora, Bassily, Guzmán, Menart & Ullah (2022); `paper.toml` is the contents page."""
