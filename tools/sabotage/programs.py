"""Learners changed where they draw, declare or choose: what replaying their queries must notice."""

from __future__ import annotations

from collections.abc import Callable

from lemmata.experiments.audits import replays
from lemmata.mechanisms.learners.covers import pure_learner
from lemmata.mechanisms.learners.descent import private_perceptron, sampled_gd
from lemmata.mechanisms.learners.erm import objective_perturbation, output_perturbation
from lemmata.mechanisms.learners.glm import confidence_boosting, glm_gd, grid_search
from lemmata.mechanisms.noise import gaussian
from lemmata.mechanisms.selection import majority
from lemmata.tools.sabotage.learners import batches_are_too_large
from lemmata.tools.sabotage.planting import Planted, halved, rewritten


def unsound(name: str) -> Callable[[], bool]:
    """The check by replay: is anything wrong with the learner of this name?"""
    learner = next(program for program in replays.PROGRAMS if program.name == name)
    return lambda: replays.check_program(learner)["sound"] != "yes"


def quieter(noise: Callable) -> Callable:
    """Radial noise of twice the rate."""
    return lambda rng, rate, *sizes: noise(rng, 2 * rate, *sizes)


REPLAY = "queries replayed"
PROGRAMS = (
    Planted(12, "noise of the perceptron's counts halved", REPLAY, private_perceptron.PerceptronLaw, "_block",
            rewritten("scale=self.sigma / COUNT", "scale=self.sigma / COUNT / 2"), unsound("private perceptron")),
    Planted(18, "the perceptron's sum and count share their noise", REPLAY, private_perceptron.PerceptronLaw, "_block",
            rewritten("rng.normal(scale=self.sigma / COUNT, size=size)", "(total - self.Z.T @ wrong)[0] / COUNT"),
            unsound("private perceptron")),
    Planted(12, "noise of descents on mean losses halved", REPLAY, glm_gd.BallGDLaw, "_noisy_gradients",
            rewritten("scale=self.sigma", "scale=self.sigma / 2"), unsound("glm gd")),
    Planted(12, "noise of minimisers of mean losses halved", REPLAY, gaussian.GaussianLaw, "sample",
            rewritten("self.sigma * rng", "self.sigma / 2 * rng"), unsound("glm output")),
    Planted(11, "noise of the choice among boosted minimisers halved", REPLAY, confidence_boosting.BoostedLaw, "sample",
            rewritten("scale=self.scale", "scale=self.scale / 2"), unsound("confidence boosting")),
    Planted(15, "sensitivity of the choice among boosted minimisers halved", REPLAY, confidence_boosting, "sensitivity",
            halved, unsound("confidence boosting")),
    Planted(14, "grid search chooses twice as eagerly", REPLAY, grid_search.GridSearchLaw, "_block",
            rewritten("(logits +", "(2 * logits +"), unsound("grid search")),
    Planted(14, "grid search's choice calibrated to twice its rate", REPLAY, grid_search, "affordable_rate",
            lambda f: lambda **sizes: 2 * f(**sizes), unsound("grid search")),
    Planted(14, "A_PrivMrg with half the sensitivity", REPLAY, pure_learner.PrivateMarginLaw, "selection",
            rewritten("sensitivity=1.0", "sensitivity=0.5"), unsound("pure learner")),
    Planted(16, "majority's noise for a label left out where one is replaced", REPLAY, majority, "SENSITIVITY",
            lambda moved: moved / 2, unsound("majority")),
    Planted(12, "noise of objective perturbation halved", REPLAY, objective_perturbation, "radial_noise", quieter,
            unsound("objective perturbation")),
    Planted(12, "noise of output perturbation halved", REPLAY, output_perturbation, "radial_noise", quieter,
            unsound("output perturbation")),
    Planted(25, "the whole data in every batch", "records counted", sampled_gd, "draw_batches",
            lambda f: lambda rng, n, rate, steps: f(rng, n, 1.0, steps), batches_are_too_large),
)  # fmt: skip
