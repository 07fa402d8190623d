"""How many rows does a random projection need, how many frequencies a kernel, and with which probability?

python -m lemmata.experiments.examples.choose_k
"""

import numpy as np

import lemmata
from lemmata.mechanisms.features.sign_projection import sign_projection

POINTS, DISTORTION, BETA = 50, 0.5, 0.05
TRIALS = 40


def fails(X: np.ndarray, k: int, rng: np.random.Generator) -> bool:
    """Is some squared distance between the rows of X distorted by more than DISTORTION?"""
    Z = sign_projection(k, X.shape[1], rng=rng).apply(X)
    i, j = np.triu_indices(len(X), 1)
    ratio = ((Z[i] - Z[j]) ** 2).sum(axis=1) / ((X[i] - X[j]) ** 2).sum(axis=1)
    return bool(np.abs(ratio - 1).max() > DISTORTION)


def main() -> None:
    """The sizes, next to scikit-learn's, and how often they fail."""
    print(lemmata.rows_compared(POINTS, DISTORTION, BETA))
    k = lemmata.rows_needed(POINTS, DISTORTION, BETA)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(POINTS, 200))
    for rows in (k, k // 2, k // 4):
        print(f"  {rows:4} rows: {sum(fails(X, rows, rng) for _ in range(TRIALS))} of {TRIALS} projections fail")
    print("rows for 10, 1000, 100000 points:", *lemmata.rows_needed([10, 1000, 100_000], DISTORTION, BETA))
    print("frequencies, Gaussian kernel, 1000 points:", lemmata.features_needed("gaussian", points=1000, error=0.1))
    everywhere = lemmata.features_needed("gaussian", d=2, diameter=2.0, error=0.1)
    print("frequencies, Gaussian kernel, everywhere on a disc of diameter 2:", everywhere)


if __name__ == "__main__":
    main()
