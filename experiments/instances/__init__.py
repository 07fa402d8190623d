"""What statements are tried on: families of datasets, laws and hypotheses that several checks share."""
