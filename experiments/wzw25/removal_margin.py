"""The removal-margin experiment: Wang, Zhu & Wang (2025), Appendix N, and Lemma 6.2 on the sets it leaves.

"We iteratively eliminate outliers, defined as data points with the smallest normalized margin value before
setting negative values to zero. After each removal, we refit the SVM and recompute the updated margin." The
paper leaves open, and we choose:

- the SVM: no intercept, as in Definition N.1; hard margin once the records left are separable, before that hinge loss
  with a large C. It is trained on the records as they are; only the recorded margin is normalised;
- how many records a refit: one ("after each removal"); ties go to the first record; what is removed stays removed;
- a record x = 0 has no normalised margin (0/0): 0. So has every record under w = 0;
- when to stop: a fraction of the records. The figures stop at different ones;
- the features: N.1 lists "pre-trained ViT features", "extracted features from pre-trained ViT" and none, Figure 2
  and N.2 ViT and ResNet-50. Here: the records, and two numbers of random Fourier features of them.

"As more points are removed, the margin increases" (Figure 3) is true of the best normalised margin, always. The
recorded one is that of an SVM which maximises y <w, x>, and it decreases at some removals.
"""

import functools
import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import clarabel
import numpy as np
from scipy import sparse

from lemmata.bounds.wzw25 import removal_margin as bound
from lemmata.experiments.checks import Control, exact_claim, holds, refuted, witness
from lemmata.experiments.data import load
from lemmata.mechanisms.features.random_features import FourierMap, frequencies
from lemmata.mechanisms.solvers.margin import geometric_margin, signed_normalised_margins, signed_records, unit_rows

LARGE_C = 1e4
BANDWIDTH = 0.5  # of the Gaussian kernel; the records have norms up to 1
FEATURES = (0, 10, 50)  # random frequencies, each two features; 0: the records themselves


@dataclass(frozen=True)
class Curve:
    """Step t of the removal: the measurements on the records left, then the record that was removed."""

    fraction: np.ndarray  # removed before step t, shape (steps,)
    recorded: np.ndarray  # Definition N.1 of the SVM at step t
    best_low: np.ndarray  # best normalised margin of any direction, certified from below
    best_high: np.ndarray  # and from above
    directions: np.ndarray  # w_t, shape (steps, d); a zero row where the SVM is 0
    removed: np.ndarray  # record removed at the end of step t, the first of its batch; -1 at the last
    left: np.ndarray  # records left at the last step
    margin: object  # their geometric margin, not normalised


class Step(NamedTuple):
    """One refit, and the records removed after it."""

    fraction: float
    recorded: float
    best_low: float
    best_high: float
    direction: np.ndarray
    removed: np.ndarray


def smallest(signed, batch, skipped=0):
    """Which records go: the `batch` smallest signed margins behind `skipped`, the first record where there is a tie."""
    return np.argsort(signed, kind="stable")[skipped : skipped + batch]


def removal_margin_curve(X, y, *, removed=0.1, batch=1, C=LARGE_C, rule=smallest, steps=(), on_step=lambda steps: None):
    """Appendix N on one dataset, until the fraction `removed` of the records is gone, as a `Curve`.

    `batch` records go after each refit (the paper: 1), those that `rule` chooses. `steps` are those of an earlier call
    that was cut short, as they were passed to `on_step`. Raises ValueError for removed outside [0, 1), batch < 1, or C
    outside (0, inf).
    """
    if not 0 <= removed < 1:
        raise ValueError(f"removed must be in [0, 1), got {removed}")
    if not batch >= 1:
        raise ValueError(f"batch must be in [1, inf), got {batch}")
    if not 0 < C < np.inf:
        raise ValueError(f"C must be in (0, inf), got {C}")
    n, steps = len(X), list(steps)
    gone = np.concatenate([step.removed for step in steps]) if steps else np.empty(0, dtype=int)
    left = np.delete(np.arange(n), gone)
    directions_of = unit_rows(X)
    while True:
        margin = geometric_margin(X[left], y[left])
        w = margin.direction if margin.separable else soft_margin_svm(X[left], y[left], C)
        signed = signed_normalised_margins(w, X[left], y[left]) if w.any() else np.zeros(len(left))
        best = geometric_margin(directions_of[left], y[left])
        last = n - len(left) + batch > removed * n or len(left) <= batch
        gone = left[:0] if last else left[rule(signed, batch)]
        steps.append(Step(1 - len(left) / n, max(signed.min(), 0.0), best.value, best.upper, w, gone))
        if last:
            return _curve(steps, left, margin)
        left = np.setdiff1d(left, gone)
        on_step(steps)


def _curve(steps, left, margin):
    """The steps as columns."""
    columns = [np.array([getattr(step, name) for step in steps]) for name in Step._fields[:-1]]
    first = np.array([step.removed[0] if len(step.removed) else -1 for step in steps])
    return Curve(*columns, first, left, margin)


def soft_margin_svm(X, y, C):
    """argmin ||w||^2 / 2 + C sum_i max(0, 1 - y_i <w, x_i>), shape (d,); 0 where it is shorter than the solver sees."""
    Z = signed_records(X, y)
    n, d = Z.shape
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    solver = clarabel.DefaultSolver(
        sparse.diags(np.repeat([1.0, 0.0], [d, n]), format="csc"),
        np.repeat([0.0, C], [d, n]),
        sparse.block_array([[sparse.csc_array(-Z), -sparse.eye_array(n)], [None, -sparse.eye_array(n)]], format="csc"),
        np.repeat([-1.0, 0.0], n),
        [clarabel.NonnegativeConeT(2 * n)],
        settings,
    )
    w = np.array(solver.solve().x)[:d]
    return w if np.linalg.norm(w) * np.linalg.norm(Z, axis=1).max() > 1e-6 else np.zeros(d)


@functools.cache
def records(data, frequency_count):
    """(X, y), or random Fourier features of X: `frequency_count` public frequencies, fixed by their number."""
    X, y = load(data)
    if not frequency_count:
        return X, y
    rng = np.random.default_rng(frequency_count)
    return FourierMap(frequencies("gaussian", X.shape[1], frequency_count, rng=rng, bandwidth=BANDWIDTH))(X), y


def broken_property(curve, X, y):
    """The first promise of the curve that fails when it is recomputed from the definitions, or None."""
    left = np.arange(len(X))
    for t, gone in enumerate(curve.removed):
        w = curve.directions[t]
        lengths = np.linalg.norm(X[left], axis=1) * np.linalg.norm(w)
        signed = y[left] * (X[left] @ w) / np.where(lengths > 0, lengths, 1.0)
        if w.any() and abs(bound.normalised_margin(w=w, X=X[left], y=y[left]) - curve.recorded[t]) > 1e-12:
            return t, "the recorded margin is that of the SVM", float(curve.recorded[t])
        if curve.recorded[t] > curve.best_high[t]:
            return t, "no direction has a larger margin than the best", float(curve.recorded[t])
        if t and curve.best_high[t] < curve.best_low[t - 1]:
            return t, "removal does not lower the best margin", float(curve.best_high[t])
        if gone >= 0:
            if signed[left == gone][0] > signed.min() + 1e-12:
                return t, "the smallest signed margin is removed", float(signed[left == gone][0])
            left = left[left != gone]
    nearest = geometric_margin(unit_rows(X[left]), y[left]).weights
    distance = bound.best_normalised_margin(weights=nearest, X=X[left], y=y[left])
    if abs(distance - curve.best_high[-1]) > 1e-9:
        return len(curve.removed) - 1, "the best margin is the distance of the hull", distance
    if not (np.array_equal(left, curve.left) and geometric_margin(X[left], y[left]).separable):
        return len(curve.removed) - 1, "what is left is separable", float(curve.best_low[-1])
    return None


@exact_claim(
    bound.best_normalised_margin,
    quick=({"data": "digits:3-8", "removed": 0.1}, {"data": "breast_cancer", "removed": 0.1}),
    full=({"data": "digits:1-8", "removed": 0.5}, {"data": "breast_cancer", "removed": 0.4}),
    control=Control(lambda factor: "the second smallest margin is removed", (2,)),
    cost=0.5,
)
def curve_is_as_defined(*, data, removed, factor=1):
    """Raw records and random features: every step recomputed, every bound certified, separable at the end."""
    series, notes = {}, []
    for count in FEATURES:
        X, y = records(data, count)
        curve = removal_margin_curve(X, y, removed=removed, rule=functools.partial(smallest, skipped=factor - 1))
        name = f"{2 * count} random features" if count else "raw"
        if broken := broken_property(curve, X, y):
            step, wanted, value = broken
            setting = {"data": data, "removed": removed, "features": name, "step": step}
            shown = {"object": f"step {step} of the curve", "property": wanted, "value": value, "claimed": wanted}
            return refuted("enumeration", witness.construction(setting, **shown))
        series.setdefault("percent removed", (100 * curve.fraction).tolist())
        series[name] = curve.recorded.tolist()
        if not count:
            series["raw, best direction"] = curve.best_high.tolist()
        falls = int((np.diff(curve.recorded) < -1e-12).sum())
        start = curve.fraction[np.argmax(curve.best_low > 0)]
        notes.append(
            f"{name}: separable after {100 * start:.1f}%, margin {curve.recorded[0]:.2g} to {curve.recorded[-1]:.2g}, "
            f"smaller after {falls} of {len(curve.removed) - 1} removals"
        )
    return holds("enumeration", "settings", note=f"{data}: " + "; ".join(notes), series=series)


def saved_steps(path, X, y):
    """The steps that an earlier, interrupted call left at `path` for these data; none if there is no such file."""
    if not path.exists():
        return []
    with np.load(path) as stored:
        if stored["digest"].item() != data_digest(X, y):
            raise ValueError(f"checkpoint = {path} belongs to other data; move it away")
        batches = np.split(stored["removed"], stored["ends"][:-1])
        columns = [stored[name] for name in Step._fields[:-1]]
        return [Step(*values, gone) for *values, gone in zip(*columns, batches, strict=True)]


def save_steps(path, steps, X, y):
    """Write `steps` to `path`, the old file standing until the new one is whole."""
    columns = {name: np.array([getattr(step, name) for step in steps]) for name in Step._fields[:-1]}
    batches = [step.removed for step in steps]
    part = path.with_suffix(".part.npz")
    path.parent.mkdir(parents=True, exist_ok=True)
    columns |= {"removed": np.concatenate(batches), "ends": np.cumsum([len(gone) for gone in batches])}
    np.savez(part, digest=data_digest(X, y), **columns)
    part.replace(path)


def data_digest(X, y):
    """Names a dataset: 16 hex digits."""
    return hashlib.blake2b(X.tobytes() + y.tobytes(), digest_size=8).hexdigest()


def show(name, removed=0.1, reports=Path("reports")):
    """Print the curve of any dataset `data.load` knows, a user's .npz among them; large ones in batches of 0.1%.

    A checkpoint under `reports` holds every step, so a call that is cut short goes on where it was.
    """
    X, y = load(name)
    from lemmata.experiments.engine.ground import progress  # an hour's bar; a claim is read without the laboratory

    batch, checkpoint = max(1, len(X) // 1000), reports / f"removal_margin-{data_digest(X, y)}.npz"
    steps = saved_steps(checkpoint, X, y)
    with progress.progress_bar(total=int(removed * len(X) / batch), initial=len(steps), unit="refit") as bar:

        def on_step(steps):
            save_steps(checkpoint, steps, X, y)
            bar.update()

        curve = removal_margin_curve(X, y, removed=removed, batch=batch, steps=steps, on_step=on_step)
    checkpoint.unlink(missing_ok=True)
    print("removed %  recorded  best direction")
    for row in zip(100 * curve.fraction, curve.recorded, curve.best_high, strict=True):
        print("{:9.2f}  {:8.5f}  {:14.5f}".format(*row))


def main(arguments):
    """`--features features.npz`: the curve of these data. Anything else: this module's verdicts, as in every script."""
    if "--features" not in arguments:
        import lemmata

        return lemmata.script(__file__)
    if len(arguments) != 2 or arguments[0] != "--features":
        print("usage: python -m lemmata.experiments.wzw25.removal_margin [--features features.npz]", file=sys.stderr)
        sys.exit(2)
    try:
        return show(arguments[1])
    except ValueError as error:
        print(error, file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main(sys.argv[1:])
