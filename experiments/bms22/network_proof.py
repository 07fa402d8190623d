"""The activation of bms22's Section 5: its Lipschitz constant, printed and true."""

from bounds.bms22 import network_proof
from bounds.exact.balls import exact
from experiments.checks import inequality_claim, up_to_one
from experiments.engine.claim import script


def slopes():
    """(eta, a, b, |psi(a) - psi(b)|/|a - b|) in balls, psi as printed: near 0, far out, across 0."""
    for eta in (exact(0.01), exact(1), exact(30)):
        for a, b in ((0, 1e-6), (-1e-6, 1e-6), (0, 1), (-2, 3), (5, 5.001), (0, 100)):
            left, right = ((1 - (-eta * x / 2).exp()) / (1 + (-eta * x / 2).exp()) for x in (exact(a), exact(b)))
            yield {"eta": float(eta), "a": a, "b": b}, eta, abs(left - right) / abs(exact(a) - exact(b))


@inequality_claim(
    network_proof.lipschitz_constant,
    given=[network_proof.slope_at_zero],
    caught=(4.01, 8),
    note="true and four times too large: the slope of tanh(ηa/4) is at most η/4, and the proof of Theorem 5.1 needs "
    "that from three layers on (bms22.clmD.2.s2)",
)
def slope_is_below_eta():
    """Difference quotients of the activation as it is printed."""
    for setting, eta, quotient in slopes():
        yield setting, quotient, network_proof.lipschitz_constant(eta=eta)


@inequality_claim(
    network_proof.slope_at_zero,
    tightness=up_to_one,
    note="tanh′ = 1 − tanh² ≤ 1, attained at 0; the mean value theorem",
)
def slope_is_a_quarter():
    """Difference quotients in balls, closest to the slope across 0."""
    for setting, eta, quotient in slopes():
        yield setting, quotient, network_proof.slope_at_zero(eta=eta)


if __name__ == "__main__":
    script(__spec__.name)
