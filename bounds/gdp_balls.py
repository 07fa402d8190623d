"""Hockey-stick divergences of Gaussian pairs as balls: by integrating their definition, and from the closed form."""

from __future__ import annotations

from flint import arb

from bounds.certify import Phi, exact, integral

REACH = 30  # standard deviations: what lies further out has mass below e^-450


def density(z, centre=0):
    """The normal density of unit variance, of complex balls too."""
    return (-((z - centre) ** 2) / 2).exp() / (2 * arb.pi()).sqrt()


def hockey_stick(epsilon, shift):
    """H_{e^epsilon}(N(0, 1), N(shift, 1)) as a ball, by integrating (p - e^epsilon q)_+, no closed form.

    p > e^epsilon q is x < shift / 2 - epsilon / shift. Left of -R the integral is between 0 and phi(R) / R,
    by Mills.
    """
    epsilon, shift = exact(epsilon), exact(shift)
    end = shift / 2 - epsilon / shift
    reach = REACH + max(0.0, -float(end))
    fine = max(1e-60, 1e-40 * min(1.0, float(density(end))))

    def gain(z, _):
        return density(z) - epsilon.exp() * density(z, shift)

    return integral(gain, -reach, end, accuracy=fine) + (density(exact(reach)) / reach).union(arb(0))


def hockey_stick_of_two(epsilon, first, second):
    """H_{e^epsilon}(N(0, I), N((first, second), I)) as a ball, one curve averaged over the other coordinate.

    (p1 p2 - e^epsilon q1 q2)_+ = p1 (p2 - e^{epsilon - L} q2)_+ with L = log p1 / q1. Beyond R it is
    between 0 and 2 phi(R) / R.
    """
    epsilon, first, second = exact(epsilon), exact(first), exact(second)
    root = arb(2).sqrt()

    def stick(z, _):
        left = epsilon - first**2 / 2 + first * z
        u = left / second - second / 2
        return density(z) * ((u / root).erfc() - left.exp() * ((u + second) / root).erfc()) / 2

    body = integral(stick, -REACH, REACH, accuracy=1e-30)
    return body + (2 * density(exact(REACH)) / REACH).union(arb(0))


def closed_form(epsilon, mu):
    """The curve as a ball, from its closed form."""
    epsilon, mu = exact(epsilon), exact(mu)
    u = epsilon / mu - mu / 2
    return Phi(-u) - epsilon.exp() * Phi(-u - mu)
