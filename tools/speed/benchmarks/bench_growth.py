"""How the costs of the cores grow: exponents of CPU time and of memory in n, d, k, runs, releases and claims."""

from functools import partial

import numpy as np

from .side_by_side import cost, exponent, margin_data, module

SEED = 1


def data(n, d):
    """n unit rows in R^d with margin 1/2 along e_1, and their labels."""
    return margin_data(n, d), np.ones(n)


def privacy(kind, *parameters):
    return getattr(module("lemmata.mechanisms.privacy", kind), kind)(*parameters)


def projection(kind, n, d, k):
    """`kind` is the name of a module and of its function: fast_projection or sign_projection."""
    draw = getattr(module(f"lemmata.mechanisms.features.{kind}"), kind)
    phi, X = draw(k, d, rng=np.random.default_rng(SEED)), data(n, d)[0]
    return lambda: phi.apply(X)


def noisy_gd(n, d, runs):
    options = {"privacy": privacy("GaussianDP", 1.0), "width": 0.5, "steps": 200, "stride": "tuned"}
    law = module("lemmata.mechanisms.learners.descent.noisy_gd").law(*data(n, d), **options)
    return lambda: law.sample(np.random.default_rng(SEED), runs)


def algorithm_3(n, d):
    options = {"privacy": privacy("ApproxDP", 1.0, 1e-5), "calibration": "printed"}
    law = module("lemmata.mechanisms.learners.descent.adaptive_margin").law(*data(n, d), **options)
    return lambda: law.sample(np.random.default_rng(SEED))


def phased_sgd(n, k, runs):
    options = {"privacy": privacy("GaussianDP", 1.0), "rho": 0.5, "radius": 1.0, "norm_bound": 1.0}
    law = module("lemmata.mechanisms.learners.erm.phased_sgd").law(*data(n, k), **options)
    return lambda: law.sample(np.random.default_rng(SEED), runs)


def private_svm(n, features):
    svm = module("lemmata.mechanisms.learners.erm.private_svm")
    return lambda: svm.law(*data(n, features), privacy=privacy("PureDP", 1.0), C=1.0)


def grid_laplace(features, releases):
    laplace = module("lemmata.mechanisms.noise.laplace", "GridLaplace", "grid_for")
    law = laplace.GridLaplace(np.zeros(features), *laplace.grid_for(1.0, 1.0, features))
    return lambda: law.sample(np.random.default_rng(SEED), releases)


def decided(count):
    """(store, claims): the first `count` claims of modules that need no sampling, and a store that holds them."""
    names = ["bms22/long_minimiser", "bms22/many_hypotheses", "bms22/pure_learner", "wzw25/hinge_loss"]
    loaded = module("lemmata.experiments.engine.claims.registry", "load").load(names)
    chosen = [claim for group in loaded.values() for claim in group][:count]
    store = module("lemmata.experiments.engine.running.store", "Store").Store()
    module("lemmata.experiments.engine.running.run", "execute").execute(chosen, store)
    return store, chosen


def ledger(claims):
    row = module("lemmata.experiments.engine.ledger.ledger_rows", "claim_row").claim_row
    store, chosen = decided(claims)
    return lambda: [row(claim, store, SEED) for claim in chosen]


# name: what is called, what is fixed, {along: sizes}. The growth of `fit` of Algorithm 3, of a private search, of an
# audit and of an account is measured with those.
CORES = {
    "fast projection": (
        partial(projection, "fast_projection"),
        {"n": 200, "d": 4096, "k": 256},
        {"n": (100, 200, 400, 800), "d": (1024, 4096, 16384, 65536), "k": (64, 256, 1024)},
    ),
    "sign projection": (
        partial(projection, "sign_projection"),
        {"n": 200, "d": 4096, "k": 256},
        {"n": (100, 400, 1600), "d": (1024, 4096, 16384), "k": (64, 256, 1024)},
    ),
    "noisy gradient descent": (
        noisy_gd,
        {"n": 500, "d": 50, "runs": 64},
        {"n": (250, 500, 1000, 2000), "d": (25, 50, 100, 200), "runs": (16, 64, 256)},
    ),
    "phased SGD": (
        phased_sgd,
        {"n": 2000, "k": 50, "runs": 1},
        {"n": (1000, 2000, 4000, 8000), "k": (50, 200, 800), "runs": (1, 10, 100)},
    ),
    "private SVM": (
        private_svm,
        {"n": 1000, "features": 50},
        {"n": (500, 1000, 2000, 4000), "features": (25, 50, 100)},
    ),
    "grid Laplace": (
        grid_laplace,
        {"features": 100, "releases": 1000},
        {"features": (50, 100, 200), "releases": (500, 1000, 2000, 4000)},
    ),
    "ledger": (ledger, {}, {"claims": (4, 8, 16, 32)}),
}
DESCENTS = {"Algorithm 3": (algorithm_3, {"d": 50}, {"n": (250, 500, 1000, 2000)})}  # more steps for more records


class Growth:
    """The exponent a of a cost c x^a along one size x, the others fixed, by least squares in logarithms."""

    cores = CORES
    params = ([f"{core} along {size}" for core, (_, _, axes) in CORES.items() for size in axes],)
    param_names = ("core",)
    timeout = 600

    def setup(self, name):
        core, _, self.along = name.partition(" along ")
        self.core, self.fixed, axes = self.cores[core]
        self.sizes = list(axes[self.along])

    def costs(self):
        """(CPU seconds, peak bytes) at each size."""
        return zip(*(cost(self.core(**self.fixed | {self.along: size})) for size in self.sizes), strict=True)

    def track_time_exponent(self, name):
        return exponent(self.sizes, next(iter(self.costs())))[0]

    track_time_exponent.unit = "exponent"

    def track_memory_exponent(self, name):
        return exponent(self.sizes, list(self.costs())[1])[0]

    track_memory_exponent.unit = "exponent"


class DescentGrowth(Growth):
    """The same for a core that may grow like n^2."""

    cores = DESCENTS
    params = (["Algorithm 3 along n"],)
