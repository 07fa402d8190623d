r"""Registered surrogates of the rates of Lemma D.1 and Theorem 6.5 of Wang, Zhu & Wang (2025).

Each says that a mean grows or falls, from the first to the last of its points, at most or at least like the printed
power, up to 0.1 in the exponent. They are about the tested settings, and never change a printed verdict.
"""

from __future__ import annotations

from bounds.margin_utility import WZW25
from bounds.theorem import positive, theorem

TOLERANCE = 0.1
ENDS = [positive("first"), positive("last")]


def power(first, last, exponent):
    """(last / first)^(exponent + 0.1).

    >>> round(power(1, 100, -1), 4)
    0.0158
    """
    return (last / first) ** (exponent + TOLERANCE)


@theorem(
    "wzw25.lemD.1",
    reading="rate[n]",
    kind="rate",
    says=r"\mathbb{E}[\min\{1,\tilde L_{\gamma/3}\}]\propto n^{-1}\ \mathrm{or\ faster}",
    needs=ENDS,
    source=f"{WZW25}, Lemma D.1",
)
def loss_along_n(*, first, last):
    """The loss of Algorithm 1 falls like 1/n in n"""
    return power(first, last, -1)


@theorem(
    "wzw25.lemD.1",
    reading="rate[gamma]",
    kind="rate",
    says=r"\mathbb{E}[\tilde L_{\gamma/3}]\propto\gamma^{-2}\ \mathrm{or\ slower},\quad\gamma\to 0",
    needs=ENDS,
    source=f"{WZW25}, Lemma D.1",
)
def loss_along_gamma(*, first, last):
    """The loss of Algorithm 1 grows no faster than gamma^-2 as gamma falls; `first` and `last` are 1/gamma"""
    return power(first, last, 2)


@theorem(
    "wzw25.lemD.1",
    reading="rate[outliers]",
    kind="rate",
    says=r"\mathbb{E}[\tilde L_{\gamma/3}]\propto|S_{\mathrm{out}}|\ \mathrm{or\ slower}",
    needs=ENDS,
    source=f"{WZW25}, Lemma D.1",
)
def loss_along_outliers(*, first, last):
    """The loss of Algorithm 1 grows no faster than the number of outliers"""
    return power(first, last, 1)


@theorem(
    "wzw25.lemD.1",
    reading="rate[d]",
    kind="rate",
    says=r"\mathbb{E}[\min\{1,\tilde L_{\gamma/3}\}]\propto d^0\ \mathrm{or\ slower}",
    needs=ENDS,
    source=f"{WZW25}, Section 6.1: 'dimension-independent'",
)
def loss_along_dimension(*, first, last):
    """The loss of Algorithm 1 does not grow with the dimension

    The projection is the fast one, which the lemma's proof does not cover: the lemma's own takes k d operations.
    """
    return power(first, last, 0)


@theorem(
    "wzw25.thm6.5",
    reading="rate[n]",
    part="expectation",
    kind="rate",
    says=r"\mathbb{E}[\tilde{\mathcal R}_S(\bar{\mathbf{w}}_{\mathrm{out}})]\propto n^{-1}\ \mathrm{or\ faster}",
    needs=ENDS,
    source=f"{WZW25}, Theorem 6.5 (1)",
)
def error_along_n(*, first, last):
    """The error of Algorithm 3 falls like 1/n in n"""
    return power(first, last, -1)
