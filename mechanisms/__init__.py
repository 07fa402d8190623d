"""What the papers build: a dataset in, a law over releases out."""
