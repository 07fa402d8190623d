"""Geometry and certificates: the margin of a dataset, the curve of Gaussian privacy, branch and bound in balls."""

import numpy as np

from .side_by_side import module, ratio, timer as timer

unit = "ratio"  # of a tracked number that names no unit of its own
SEED = 9


class Margin:
    """The geometric margin of n separable records."""

    params = ([100, 2000], [5, 50])
    param_names = ("n", "d")

    def setup(self, n, d):
        self.solver = module("lemmata.mechanisms.solvers.margin", "geometric_margin")
        rng = np.random.default_rng(SEED)
        self.y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
        self.X = rng.normal(size=(n, d))
        self.X[:, 0] = self.y * (np.abs(self.X[:, 0]) + 0.5)

    def time_margin(self, n, d):
        self.solver.geometric_margin(self.X, self.y)

    peakmem_margin = time_margin

    def track_gap(self, n, d):
        """The certified width of the answer."""
        return float(self.solver.geometric_margin(self.X, self.y).gap)

    track_gap.unit = "gap"

    def track_time_over_sklearn(self, n, d):
        from sklearn.svm import SVC

        peer = SVC(C=1e6, kernel="linear", tol=1e-6)
        ours = lambda: self.solver.geometric_margin(self.X, self.y)  # noqa: E731
        return ratio(ours, lambda: peer.fit(self.X, self.y), 3)


class Curve:
    """delta(epsilon; mu) of Gaussian privacy, many points at once."""

    params = ([1, 10_000],)
    param_names = ("points",)

    def setup(self, points):
        self.privacy = module("lemmata.mechanisms.privacy", "gaussian_delta")
        self.epsilon = np.linspace(0.0, 5.0, points)

    def time_delta(self, points):
        self.privacy.gaussian_delta(self.epsilon, 1.0)

    peakmem_delta = time_delta

    def track_time_over_scipy(self, points):
        """Over the naive difference of two normal tails, which loses all digits in the tail."""
        from scipy.special import ndtr

        e = self.epsilon
        return ratio(lambda: self.privacy.gaussian_delta(e, 1.0), lambda: ndtr(0.5 - e) - np.exp(e) * ndtr(-0.5 - e))


class Inverse:
    """epsilon(delta; mu) of Gaussian privacy, rounded up."""

    params = ([0.1, 1.0, 10.0],)
    param_names = ("mu",)

    def setup(self, mu):
        self.privacy = module("lemmata.mechanisms.privacy", "gaussian_epsilon")

    def time_epsilon(self, mu):
        self.privacy.gaussian_epsilon(mu, 1e-5)


class Certify:
    """x (1 - x) <= c on [0, 1] by branch and bound: the nearer c is to 1/4, the more boxes."""

    params = ([0.3, 0.2501],)
    param_names = ("c",)

    def setup(self, c):
        self.certify = module("lemmata.bounds.exact.certify", "certify")
        self.balls = module("lemmata.bounds.exact.balls", "hull", "exact")

    def certified(self, c):
        def upper(x):
            ball = self.balls.hull(x)
            return ball * (1 - ball)

        def value(x):
            point = self.balls.exact(x)
            return point * (1 - point)

        return self.certify.certify(upper, value, {"x": (0.0, 1.0)}, c)

    def time_certify(self, c):
        self.certified(c)

    peakmem_certify = time_certify

    def track_boxes(self, c):
        """How many boxes the answer took."""
        return float(self.certified(c).boxes)

    track_boxes.unit = "boxes"
