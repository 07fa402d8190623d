"""`MarginClassifier` beside diffprivlib's logistic regression, where LEMMATA_DIFFPRIVLIB names a Python that has it."""

import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from .bench_learners import TablesAsTheyAre

ROUNDS = 5
FITS = """
import sys, time, warnings
import numpy as np
from diffprivlib.models import LogisticRegression, StandardScaler
from sklearn.pipeline import make_pipeline
warnings.simplefilter("ignore")
X, y = np.load("X.npy"), np.load("y.npy")
bounds, scaled = (X.min(axis=0), X.max(axis=0)), (X - X.mean(axis=0)) / X.std(axis=0)
def regression(epsilon, rows):
    return LogisticRegression(epsilon=epsilon, data_norm=np.linalg.norm(rows, axis=1).max(), max_iter=1000)
alone = regression(1.0, X)
behind = make_pipeline(StandardScaler(epsilon=0.5, bounds=bounds), regression(0.5, scaled))
peer = {"regression": alone, "scaler and regression": behind}[sys.argv[1]]
for line in sys.stdin:
    start = time.process_time()
    peer.fit(X, y)
    print(time.process_time() - start, flush=True)
"""


class TablesBesideDiffprivlib:
    """`MarginClassifier` over diffprivlib on one table, in turns: its regression, and that behind its StandardScaler.

    Its bounds of columns and of rows are looked up in the data and not paid for, where ours are found privately. It has
    a process of its own, since it wants another scikit-learn.
    """

    params = (TablesAsTheyAre.params[0], ["regression", "scaler and regression"])
    param_names = ("n, d", "peer")

    def setup(self, shape, peer):
        if not (python := os.environ.get("LEMMATA_DIFFPRIVLIB")):
            raise NotImplementedError("No module named 'diffprivlib': LEMMATA_DIFFPRIVLIB names a Python that has it")
        self.ours, self.folder = TablesAsTheyAre(), tempfile.TemporaryDirectory()
        self.ours.setup(shape)
        for name in "Xy":
            np.save(Path(self.folder.name) / f"{name}.npy", getattr(self.ours, name))
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": self.folder.name}
        self.theirs = subprocess.Popen([python, "-c", FITS, peer], **pipes)

    def teardown(self, *_):
        if hasattr(self, "theirs"):
            self.theirs.communicate()
            self.folder.cleanup()

    def track_time_over_diffprivlib(self, *_):
        """Least CPU seconds of a few fits each."""
        ours, theirs = [], []
        for _ in range(ROUNDS):
            start = time.process_time()
            self.ours.fit()
            ours.append(time.process_time() - start)
            print(file=self.theirs.stdin, flush=True)
            theirs.append(float(self.theirs.stdout.readline()))
        return min(ours) / min(theirs)

    track_time_over_diffprivlib.unit = "ratio"
