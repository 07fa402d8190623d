"""The papers' algorithms: a dataset in, a probability law of its releases out."""
