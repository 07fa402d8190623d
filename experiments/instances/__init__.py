"""Families of datasets, laws and hypotheses that several checks share."""
