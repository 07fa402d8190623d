"""Audits of black boxes: any two samplers on neighbouring datasets, attacked until a claimed guarantee breaks."""
