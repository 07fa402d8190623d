"""Noise and selection: exact noise, the number of runs of private tuning, the exponential mechanism."""

import numpy as np

from .side_by_side import module, ratio, sampled, timer as timer

unit = "ratio"  # of a tracked number that names no unit of its own
SEED = 5


class RunCounts:
    """Numbers of runs from the truncated negative binomial law."""

    params = ([0.0, 1.0], [1000, 100_000])
    param_names = ("eta", "draws")

    def setup(self, eta, draws):
        self.law = module("lemmata.mechanisms.selection.tnb", "law").law(eta=eta, r=0.01)
        self.rng = np.random.default_rng(SEED)

    def time_sample(self, eta, draws):
        self.law.sample(self.rng, draws)

    peakmem_sample = time_sample

    def track_time_over_numpy(self, eta, draws):
        peer = self.rng.negative_binomial
        return ratio(lambda: self.law.sample(self.rng, draws), lambda: peer(max(eta, 0.5), 0.01, size=draws), 3)


class Exponential:
    """The exponential mechanism over scores in memory."""

    params = ([1000, 1_000_000], [1, 100])
    param_names = ("candidates", "releases")

    def setup(self, candidates, releases):
        exponential, privacy = (
            module("lemmata.mechanisms.selection.exponential", "law"),
            module("lemmata.mechanisms.privacy", "PureDP"),
        )
        self.rng = np.random.default_rng(SEED)
        self.scores = self.rng.normal(size=candidates)
        self.law = exponential.law(self.scores, privacy=privacy.PureDP(1.0), sensitivity=1.0)

    def time_sample(self, candidates, releases):
        self.law.sample(self.rng, releases)

    peakmem_sample = time_sample

    def track_time_over_choice(self, candidates, releases):
        def peer():
            weights = np.exp(self.scores / 2 - self.scores.max() / 2)
            return self.rng.choice(candidates, size=releases, p=weights / weights.sum())

        return ratio(lambda: self.law.sample(self.rng, releases), peer, 3)


class _Vectors:
    """Vectors of exact noise."""

    params = (["discrete Gaussian", "grid Gaussian", "snapping", "grid Laplace"], [1, 1000])
    param_names = ("law", "numbers")

    def setup(self, law, numbers):
        privacy, value = module("lemmata.mechanisms.privacy", "ApproxDP").ApproxDP(1.0, 1e-6), np.zeros(numbers)
        file = {"grid Gaussian": "grid_gaussian", "grid Laplace": "laplace"}.get(law, law.lower().replace(" ", "_"))
        found = module(f"lemmata.mechanisms.noise.{file}")
        if law == "grid Laplace":
            self.law = found.GridLaplace(value, *found.grid_for(1.0, 1.0, numbers))
        else:
            how = {"scale": 1.0} if law == "snapping" else {"privacy": privacy}
            self.law = found.law(value, sensitivity=1.0, bound=4.0, **how)
        self.rng, self.kind, self.value = np.random.default_rng(SEED), law, value
        self.law.sample(self.rng)


class Exact(_Vectors):
    """Vectors of exact noise: at most 5 microseconds a number."""

    def track_microseconds_a_number(self, law, numbers):
        """Of CPU time, one release of so many numbers at a time."""
        return 1e6 * min(sampled(lambda: self.law.sample(self.rng), 10) for _ in range(20)) / numbers

    track_microseconds_a_number.unit = "µs"


class ExactBesideOpenDP(_Vectors):
    """The same beside OpenDP's, where that is installed."""

    def setup(self, law, numbers):
        self.dp = module("opendp.prelude")
        self.dp.enable_features("contrib")
        super().setup(law, numbers)

    def track_time_over_opendp(self, law, numbers):
        """Over its measurement of the same kind, of vectors of whole numbers for the discrete Gaussian."""
        dp = self.dp
        whole, gaussian = law == "discrete Gaussian", "Gaussian" in law
        domain = dp.vector_domain(dp.atom_domain(T=int) if whole else dp.atom_domain(T=float, nan=False))
        metric = (dp.l2_distance if gaussian else dp.l1_distance)(T=int if whole else float)
        then = dp.m.then_gaussian if gaussian else dp.m.then_laplace
        theirs = (domain, metric) >> then(scale=float(self.law.steps) if whole else 1.0)
        values = [int(x) for x in self.value] if whole else self.value.tolist()
        return ratio(lambda: self.law.sample(self.rng), lambda: theirs(values), 20)


class Epsilon:
    """The epsilon of Gaussian noise at a delta, rounded up and certified, over dp-accounting's: at most 1."""

    params = ([0.1, 1.0, 10.0],)
    param_names = ("mu",)

    def setup(self, mu):
        self.modules = module("dp_accounting.gaussian_mechanism"), module("lemmata.mechanisms.privacy")

    def track_time_over_dp_accounting(self, mu):
        theirs, ours = self.modules
        return ratio(lambda: ours.gaussian_epsilon(mu, 1e-5), lambda: theirs.get_epsilon_gaussian(1 / mu, 1e-5), 50)
