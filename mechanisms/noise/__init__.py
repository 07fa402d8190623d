"""Noise that a mechanism adds: Laplace, Gaussian and discrete Gaussian, on grids and over the reals.

Samplers, their exact laws and sums with noise belong here. Choosing among candidates belongs in `selection`. This
package may import `numerics`, `privacy` and `law`.
"""
