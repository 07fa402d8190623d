"""Exact numbers: ball arithmetic, certificates over whole domains, and laws that several papers need.

Enclosures and their proofs belong here, without a word of any theorem. A formula of one paper belongs in that paper's
package. This package imports numpy, scipy and python-flint only.
"""
