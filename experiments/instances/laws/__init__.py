"""Probability laws that are known exactly: atoms, lattices, kernels' spectra, selections with known chances.

A law here comes with its probabilities, often in balls. Datasets belong in `datasets`, pairs of laws in `pairs`. This
package imports no other package of instances.
"""
