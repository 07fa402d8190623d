"""Rubinstein, Bartlett, Huang & Taft (2009); `paper.toml` is the contents page."""
