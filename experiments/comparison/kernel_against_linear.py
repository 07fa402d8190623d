"""The private kernel learner of bms22 against its linear one on real records: risk on held-out records along epsilon.

    python -m lemmata.experiments.comparison.kernel_against_linear [--full] [--folder reports/comparison]

Both learners run as Algorithm 6 says, half of epsilon for the choice of the margin by F(rho, g_rho(S)) and half for the
training, and once more at a fixed margin with all of epsilon. F is the least hinge loss plus the bracket of Theorem 3.2
with the constant 1. Floor: the majority class. Ceiling: SVMs without privacy, linear and with the same Gaussian kernel,
C by cross-validation. Public, and the same for all datasets: Lambda = r = 1, bandwidth 0.4, k = 25, D = 4,000 and
delta = 1/m^2.

Writes a tidy table (kernel_against_linear.csv: a row a release) and a figure of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import click
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from lemmata.bounds.bms22.bound_sensitivity import sensitivity_2_explicit
from lemmata.bounds.bms22.efficient_learner import printed_order
from lemmata.experiments.comparison.problems import split_records
from lemmata.experiments.data import load
from lemmata.experiments.figures.style import COLOURS, FAINT, panels, svg
from lemmata.mechanisms.learners.erm import efficient_learner, kernel_learner
from lemmata.mechanisms.numerics.arguments import clip_rows
from lemmata.mechanisms.privacy import ApproxDP
from lemmata.mechanisms.selection.margin_selection import margin_law
from lemmata.mechanisms.solvers.least_loss import hinge_loss

DATASETS = ("breast_cancer", "digits:3-8", "fair", "randhie")
EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)
BANDWIDTH, FIXED = 0.4, 0.25
BETA = 0.1
CROSS_VALIDATED = 3000  # records that the SVMs without privacy see at most
SMALL = {"splits": 1, "releases": 2, "records": 300, "k": 10, "frequencies": 200}
FULL = {"splits": 2, "releases": 10, "records": 10**9, "k": 25, "frequencies": 4000}


@dataclass(frozen=True)
class Learner:
    """A learner on one training set: its law at a margin, and what its margin is chosen by."""

    name: str
    y: np.ndarray = field(repr=False)
    images: np.ndarray = field(repr=False)  # Phi x or Phi psi(x), clipped to 2: what it trains on
    measured: np.ndarray = field(repr=False)  # the vectors whose least hinge loss g_rho(S) is
    reach: float  # their norm at most

    def law(self, X: np.ndarray, y: np.ndarray, *, rho: float, privacy: ApproxDP, beta: float):
        """The law of the vector in R^k; the images are computed once and stand for the projection of X."""
        kernel = self.name == "kernel"
        return efficient_learner.law(
            self.images,
            self.y,
            privacy=privacy,
            rho=rho,
            radius=1.0,
            norm_bound=2.0 if kernel else 1.0,
            beta=beta / 2 if kernel else beta,
            projection=Identity(self.images.shape[1]),
        )

    def chosen(self, privacy: ApproxDP, least: dict):
        """Algorithm 6 with `privacy` for the choice and again for the training; `least` keeps g_rho(S)."""

        def best_loss(X, y, rho):
            if rho not in least:
                least[rho] = hinge_loss(self.measured, self.y, rho=rho, norm_bound=1.0)[1]
            return least[rho]

        m, budget = len(self.y), {"epsilon": privacy.epsilon, "delta": privacy.delta, "beta": BETA}
        return margin_law(
            self.measured,
            self.y,
            privacy=privacy,
            learner=self.law,
            bound=lambda rho, t: t + printed_order(m=m, a=1 / rho, **budget),
            best_loss=best_loss,
            sensitivity=lambda rho: sensitivity_2_explicit(m=m, ratio=self.reach / rho),
            tolerance=1e-6,  # of the solver's enclosures
            h_max=1.0,
            beta=BETA,
        )


@dataclass(frozen=True)
class Identity:
    """The projection that does nothing, for records that are projected already."""

    d: int

    @property
    def k(self) -> int:
        return self.d

    def apply(self, X):
        return X

    def transpose(self, W):
        return W


def split(name: str, seed: int, records: int) -> tuple[np.ndarray, ...]:
    """(training X, test X, training y, test y): a fifth is held out; at most `records` are trained on."""
    X, y = load(name)
    train, test = split_records(len(X), len(X) * 4 // 5, len(X), np.random.default_rng(seed))
    return X[train][:records], X[test], y[train][:records], y[test]


def learners(train, test, labels, *, k: int, frequencies: int, rng) -> Iterator[tuple[Learner, np.ndarray]]:
    """Both learners on one split, each with its images of the test records."""
    m, d = train.shape
    budget = {"epsilon": 1.0, "delta": m**-2.0, "beta": BETA, "k": k}  # k is given: nothing else is read
    signs = efficient_learner.draw_projection(m, d, kind="signs", rng=rng, **budget)
    waves = kernel_learner.draw_projection(
        m, d, kernel="gaussian", bandwidth=BANDWIDTH, count=frequencies, rng=rng, **budget
    )
    yield Learner("linear", labels, clip_rows(signs.apply(train), 2.0), train, 1.0), signs.apply(test)
    images = clip_rows(waves.apply(train), 2.0)
    yield Learner("kernel", labels, images, images, 2.0), waves.apply(test)


def private_rows(name: str, seed: int, *, records: int, releases: int, **sizes: int) -> Iterator[dict]:
    """Every release on one split."""
    train, test, labels, truth = split(name, seed, records)
    public, noise = np.random.default_rng([seed, len(name)]).spawn(2)
    for learner, images in learners(train, test, labels, rng=public, **sizes):
        least: dict[float, float] = {}
        for epsilon in EPSILONS:
            delta = len(labels) ** -2.0
            half = learner.chosen(ApproxDP(epsilon / 2, delta), least).sample(noise, releases)
            whole = learner.law(train, labels, rho=FIXED, privacy=ApproxDP(epsilon, delta), beta=BETA)
            drawn = {"chosen": (half["model"], half["margin"])}
            drawn["fixed"] = whole.sample(noise, releases), np.full(releases, FIXED)
            for margin, (W, rho) in drawn.items():
                risks = (truth[:, None] * (images @ W.T) <= 0).mean(axis=0)
                for release, risk in enumerate(risks):
                    row = {"dataset": name, "split": seed, "learner": learner.name, "margin": margin}
                    yield row | {"epsilon": epsilon, "rho": rho[release], "release": release, "risk": risk}


def ceilings(name: str, seed: int, records: int) -> Iterator[dict]:
    """The risks of the majority class and of SVMs without privacy on the same split."""
    train, test, labels, truth = split(name, seed, records)
    majority = 1.0 if labels.sum() >= 0 else -1.0
    yield {"dataset": name, "split": seed, "learner": "majority", "risk": (truth != majority).mean()}
    few = slice(min(CROSS_VALIDATED, records))
    for learner, options in (("linear SVM", {"kernel": "linear"}), ("kernel SVM", {"gamma": 1 / (2 * BANDWIDTH**2)})):
        found = GridSearchCV(SVC(**options), {"C": [1, 10, 100]}, cv=3).fit(train[few], labels[few])
        yield {"dataset": name, "split": seed, "learner": learner, "risk": 1 - found.score(test, truth)}


def rows(*, splits: int, releases: int, records: int, **sizes: int) -> Iterator[list[dict]]:
    """The rows of one dataset on one split after another."""
    for seed in range(splits):
        for name in DATASETS:
            found = private_rows(name, seed, records=records, releases=releases, **sizes)
            yield [*ceilings(name, seed, records), *found]


def plot_risks(found: pd.DataFrame) -> Figure:
    """A panel a dataset: mean risk along epsilon, with the middle 80 % of the releases."""
    fig, (axes,) = panels(1, len(DATASETS), size=(14, 3.6), sharex=True, squeeze=False)
    for axis, name in zip(axes, DATASETS, strict=True):
        here = found[found.dataset == name]
        for learner, colour in zip(("linear", "kernel"), COLOURS, strict=False):
            for margin, style in (("chosen", "-"), ("fixed", ":")):
                lines = here[(here.learner == learner) & (here.margin == margin)].groupby("epsilon").risk
                axis.plot(lines.mean(), style, color=colour, marker="o", label=f"{learner}, {margin} margin")
                if margin == "chosen":
                    low, high = lines.quantile(0.1), lines.quantile(0.9)
                    axis.fill_between(list(EPSILONS), low, high, color=colour, alpha=0.15)
            axis.axhline(here[here.learner == f"{learner} SVM"].risk.mean(), color=colour, ls="--", lw=1)
        axis.axhline(here[here.learner == "majority"].risk.mean(), color=FAINT, lw=1, label="majority class")
        axis.set(title=name, xscale="log", xlabel="epsilon", xticks=EPSILONS, xticklabels=EPSILONS)
        axis.minorticks_off()
    axes[0].set_ylabel("risk on held-out records")
    axes[0].legend()
    fig.suptitle("Private learners of bms22 (dashed: SVMs without privacy)")
    fig.tight_layout()
    return fig


@click.command()
@click.option("--full", is_flag=True, help="all records, 2 splits, 10 releases: minutes instead of seconds")
@click.option("--folder", default="reports/comparison", type=click.Path(path_type=Path), show_default=True)
def main(full: bool, folder: Path) -> None:
    """Write the table and the figure, dataset by dataset, and print mean risks."""
    folder.mkdir(parents=True, exist_ok=True)
    found = pd.DataFrame()
    for more in rows(**(FULL if full else SMALL)):
        found = pd.concat([found, pd.DataFrame(more)], ignore_index=True)
        found.to_csv(folder / "kernel_against_linear.csv", index=False, float_format="%.6g")
    (folder / "kernel_against_linear.svg").write_text(svg(plot_risks, found), encoding="utf-8")
    private = found.dropna(subset="epsilon").groupby(["dataset", "learner", "margin", "epsilon"]).risk.mean()
    print(private.unstack("epsilon").round(3).to_string())
    print(found[found.epsilon.isna()].groupby(["dataset", "learner"]).risk.mean().unstack().round(3).to_string())


if __name__ == "__main__":
    main()
