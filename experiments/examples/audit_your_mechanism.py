"""Does this mechanism have the privacy it claims? A noisy count whose author forgot that a record can count twice.

python -m lemmata.experiments.examples.audit_your_mechanism
"""

import numpy as np

import lemmata

CLAIM = lemmata.PureDP(1.0)
VISITS = np.array([2, 0, 1, 2, 0])  # per person, at most two
NEIGHBOUR = np.array([0, 0, 1, 2, 0])  # one person replaced


def noisy_total(visits: np.ndarray, sensitivity: float):
    """A mechanism in the form that `audit` expects: (rng, size) -> that many independent releases."""
    return lambda rng, size: visits.sum() + rng.laplace(scale=sensitivity / CLAIM.epsilon, size=size)


def main() -> None:
    """The wrong sensitivity is refuted. The right one survives, and the audit reports what it would have detected."""
    for sensitivity in (1.0, 2.0):
        found = lemmata.audit(
            noisy_total(VISITS, sensitivity), noisy_total(NEIGHBOUR, sensitivity), CLAIM, root=1, budget=4_000
        )
        print(f"sensitivity {sensitivity:g}: {found}")


if __name__ == "__main__":
    main()
