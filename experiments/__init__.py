"""Where promises and mechanisms meet: a claim in, a verdict out."""
