"""Algorithm 5 and the proof of Lemma C.1 of Wang, Zhu & Wang (2025), line by line."""

import itertools
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import numpy as np
from flint import arb

from lemmata.bounds.exact.balls import exact
from lemmata.bounds.theorem import at_least, between, positive, require
from lemmata.bounds.wzw25 import noisy_gd as bounds
from lemmata.bounds.wzw25.algorithms import printed_budget, split_budget
from lemmata.bounds.wzw25.hinge_gradient import replacement_sensitivity, tangent_value
from lemmata.experiments.checks import (
    Control,
    Step,
    equality,
    exact_claim,
    grid,
    holds,
    identity_claim,
    inequality_claim,
    refuted,
    run_script,
    up_to_one,
    withheld,
    witness,
)
from lemmata.experiments.wzw25.noisy_gd import ANY_LOSS, privacy_witness
from lemmata.mechanisms.learners.descent import noisy_gd

# Algorithm 5: the line that sets the noise ----------------------------------------------------------------------------

VALUES = """from lemmata.bounds.wzw25.hinge_gradient import hinge_sum, replacement_sensitivity
from lemmata.bounds.wzw25.noisy_gd import value_sensitivity
w, width = [{norm}], {width}
a, b = ([[{radius} * s]] for s in (1, -1))        # one record, label flipped
change = abs(hinge_sum(w, a, width) - hinge_sum(w, b, width))
claimed = value_sensitivity(norm={norm}, radius={radius}, width=width)
assert min(change, claimed) > replacement_sensitivity(radius={radius}, width=width) * (1 + 1e-9)"""


@exact_claim(
    bounds.value_sensitivity,
    quick=({"norm": 1.0, "radius": 1.0, "width": 2.0}, {"norm": 10.0, "radius": 1.0, "width": 0.5}),
    severity="statement",
    misprint="read the sensitivity of ∇L̂ for that of L̂: all callers pass it, and the noise is added to ∇L̂",
    corrected_by=replacement_sensitivity,
    note="false as worded. The callers pass the sensitivity of the gradient, by Lemma A.10. That of the value "
    "grows with ‖w‖ without bound; taken over all w it requires infinite noise, not too little",
)
def value_sensitivity_is_delta(*, factor=1, **setting):
    """The largest change of the value at ||w|| = norm against Delta = 2 radius / width, in fractions."""
    norm, radius, width = map(Fraction, (setting["norm"], setting["radius"], setting["width"]))
    delta = replacement_sensitivity(radius=radius, width=width)
    change = bounds.value_sensitivity(norm=norm, radius=radius, width=width)
    if change > delta:
        return refuted("derivation", witness.inequality(setting, change, delta, python=VALUES.format(**setting)))
    return holds("derivation", "settings", note="at this ‖w‖ the value changes by no more than the gradient")


ROUNDED = """from lemmata.bounds.wzw25.noisy_gd import noise_std, printed_steps, rounded_gdp
n, mu, sensitivity = {n}, {mu}, 1.0
steps = printed_steps(n, mu)                      # T = n^2 mu^2 = {T:.4g}, rounded up
spent = steps**0.5 * sensitivity / (n * sensitivity)   # sigma = n Delta
assert min(spent, rounded_gdp(n=n, mu=mu)) > mu * (1 + 1e-9)
assert abs(steps**0.5 * sensitivity / noise_std(steps, sensitivity, mu) - mu) < 1e-12"""


@exact_claim(
    bounds.rounded_gdp,
    quick=({"n": 1000, "mu": split_budget(printed_budget(1.0, 1e-5), 2 * 11)}, {"n": 1, "mu": 0.1}),
    full=({"n": 7, "mu": 0.3}, {"n": 100, "mu": 0.999}, {"n": 1000, "mu": 1e-4}),
    severity="constant",
    corner=require(
        "n²μ² whole, or rounded down, as the range t = 0, …, T - 1 of the loop does",
        lambda n, mu: (n * mu) ** 2 == round((n * mu) ** 2),
    ),
    restated=("wzw25.lemC.1", "wzw25.lemD.1", "wzw25.lem6.3", "wzw25.thm6.5"),
    given=[bounds.gdp_parameter],  # T whole and at most n^2 mu^2: sqrt(T)/n <= mu
    note="T must be a whole number, and the paper does not say how to round. Rounded up, with σ = nΔ, the steps spend "
    "up to √(1 + 1/(n²μ²)) times μ: 1.0004 times in Algorithm 3 at n = 1000, ε = 1 and δ = 1e-5 (shown). Rounded "
    "down they spend less than μ, but for nμ < 1 no step is left and no average. σ = Δ√T/μ with the whole number "
    "T is right in both cases",
)
def n_delta_is_enough_noise(*, n, mu, factor=1):
    """ceil(n^2 mu^2) / n^2 against mu^2, in fractions and as the bound computes it."""
    spent = bounds.rounded_gdp(n=n, mu=mu)
    if Fraction(bounds.printed_steps(n, mu), n**2) > Fraction(mu) ** 2 and spent > mu * (1 + 1e-9):
        python = ROUNDED.format(n=n, mu=mu, T=n**2 * mu**2)
        return refuted("derivation", privacy_witness({"n": n, "mu": mu}, mu, spent, python))
    return holds("derivation", "settings", note="n²μ² is whole here")


@inequality_claim(
    bounds.whole_steps_gdp,
    quick=({"steps": 7, "mu": 0.1, "sensitivity": 1.0},),
    full=grid(steps=[1, 2, 1000], mu=[1e-3, 1.0, 30.0], sensitivity=[1e-3, 7.0]),
    caught=(1.01,),
)
def sigma_from_whole_steps(*, steps, mu, sensitivity):
    """The float sigma our law uses, in exact arithmetic: T Delta^2 <= mu^2 sigma^2; and the float formula."""
    sigma = Fraction(noisy_gd.noise_for(steps, sensitivity, mu))
    setting = {"steps": steps, "mu": mu, "sensitivity": sensitivity}
    yield setting, steps * Fraction(sensitivity) ** 2 / sigma**2, Fraction(mu) ** 2
    yield setting, bounds.whole_steps_gdp(**setting), mu * (1 + 1e-12)
    whole = {"n": 64, "mu": steps / 64}  # n^2 mu^2 is whole, as the printed sigma wants it
    yield whole, bounds.rounded_gdp(**whole), whole["mu"]


# The proof, line by line ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NoisyStep:
    """One noisy step from w on n equal records z, in the plane and in fractions; vectors are arrays of fractions.

    The noise has the coordinates +-sigma, all four signs alike: the first two moments are those of the Gaussian.
    """

    n: int
    z: np.ndarray
    w: np.ndarray
    u: np.ndarray  # w_ref
    width: Fraction
    eta: Fraction
    sigma: Fraction

    def mean(self, of):
        """The mean of `of`(g + xi) over the noise xi."""
        g = -self.n * int(self.z @ self.w < self.width) * self.z / self.width
        return sum(of(g + self.sigma * np.array(signs)) for signs in itertools.product((1, -1), repeat=2)) / 4

    def squared_gradient(self):
        """E ||g + xi||^2."""
        return self.mean(lambda noisy: noisy @ noisy)

    def claimed_moment(self):
        """The bound of E ||g + xi||^2."""
        return bounds.squared_gradient(n=self.n, d=2, sensitivity=2 / self.width, sigma=self.sigma)

    def distances(self):
        """||w - u||^2 before the step, and its mean after it."""
        off = self.w - self.u
        return off @ off, self.mean(lambda noisy: (off - self.eta * noisy) @ (off - self.eta * noisy))

    def excess(self):
        """L(w) - L(u)."""
        at_w, at_u = (max(Fraction(0), 1 - self.z @ x / self.width) for x in (self.w, self.u))
        return self.n * (at_w - at_u)


def lattice_steps():
    """Steps with records, w, u, eta and sigma on small lattices."""
    F = Fraction
    records = [(1, np.array([F(1), F(0)])), (3, np.array([F(3, 5), F(-4, 5)])), (2, np.array([F(0), F(0)]))]
    places = [np.array(p) for p in ((F(0), F(0)), (F(1), F(-1)), (F(3), F(1, 2)), (F(-20), F(7)))]
    numbers = itertools.product(records, places, places, (F(1, 4), F(2)), (F(1, 10), F(3)), (F(0), F(5)))
    for (n, z), w, u, width, eta, scale in numbers:
        yield NoisyStep(n, z, w, u, width, eta, sigma=scale * n * 2 / width)  # scale n Delta, radius 1


SHARED = """from lemmata.bounds.wzw25.noisy_gd import squared_gradient_printed
n, d, width, sigma, shared = {n}, 1, 2 / {sensitivity}, {sigma}, {shared}  # loss shared w + hinge, z = -1, w = 0
gradient = n * (shared + 1 / width)
claimed = squared_gradient_printed(n=n, d=d, sensitivity=2 / width, sigma=sigma)
assert gradient**2 + d * sigma**2 > claimed * (1 + 1e-9)"""


@inequality_claim(
    bounds.squared_gradient_printed,
    quick=grid(shared=[0.5, 100.0]),
    **ANY_LOSS,
    python=lambda setting, left, right: SHARED.format(**setting),
    note="Algorithm 5 takes any loss; the line needs gradients of norm at most Δ, which a bound on the sensitivity "
    "does not give",
)
def shared_gradients_are_bounded(*, shared):
    """n records z = -1 and the loss <a, w> + hinge at w = 0: the squared norm of the gradient sum, in fractions."""
    setting = {"n": 3, "d": 1, "sensitivity": 1.0, "sigma": 3.0}
    truth = (3 * (Fraction(shared) + Fraction(1, 2))) ** 2 + 9
    yield setting | {"shared": shared}, truth, bounds.squared_gradient_printed(**setting)
    return {"note": "a shared gradient this short is covered by Δ"}


def enumerated_moments():
    """E ||g + xi||^2 by enumerating a noise with the Gaussian's first two moments, in fractions."""
    for step in lattice_steps():
        length = int(step.z.any() and step.z @ step.w < step.width)  # c ||g||/n
        setting = {"n": step.n, "d": 2, "sensitivity": 2 / step.width, "sigma": step.sigma}
        yield setting | {"share": Fraction(length, 2)}, step.squared_gradient()


@inequality_claim(
    bounds.squared_gradient,
    measured=enumerated_moments,
    over=[between("share", 0, 1)],
    steps=[Step("E ξ = 0, E ‖ξ‖² = dσ², ‖g‖ ≤ nΔ")],
    note="attained by gradients of norm Δ; for the hinge even n²Δ²/4 suffices",
)
def second_moments():
    """The mean over a noise with the Gaussian's first two moments, along g, whose norm is a share of n Delta."""
    for n, d, sensitivity, sigma, share in itertools.product((1, 3), (1, 5), (0.5, 2.0), (0.0, 3.0), (0.5, 1.0)):
        setting, g = {"n": n, "d": d, "sensitivity": sensitivity, "sigma": sigma}, share * n * sensitivity
        moment = ((g + sigma) ** 2 + (g - sigma) ** 2) / 2 + (d - 1) * sigma**2
        yield setting | {"share": share}, moment, bounds.squared_gradient(**setting)


BEYOND = """from lemmata.bounds.wzw25.noisy_gd import one_step_printed, squared_gradient_printed
n, d, width, sigma, eta, shared = 1, 1, 2.0, 1.0, 0.5, {shared}  # loss shared w + hinge, z = -1; w_t = 0, w_ref = 1
gradient = shared + 1 / width                                 # between 0 and 1 the loss is linear: excess -gradient
moment = squared_gradient_printed(n=n, d=d, sensitivity=2 / width, sigma=sigma)
after = (1 + eta * gradient) ** 2 + eta**2 * d * sigma**2     # the mean of (w_t - eta (gradient + xi) - w_ref)^2
assert after > one_step_printed(squared_distance=1.0, excess=-gradient, eta=eta, second_moment=moment) * (1 + 1e-9)"""


@inequality_claim(
    bounds.one_step_printed,
    quick=grid(shared=[1.0, 100.0]),
    **ANY_LOSS,
    python=lambda setting, left, right: BEYOND.format(**setting),
    note="the line takes n²Δ² + dσ² from the line before, which needs gradients of norm at most Δ",
)
def shared_gradients_step_farther(*, shared):
    """One record z = -1, the loss <a, w> + hinge, from w_t = 0 with w_ref = 1, where it is linear, in fractions."""
    n, width, sigma, eta = 1, Fraction(2), Fraction(1), Fraction(1, 2)
    gradient = n * (Fraction(shared) + 1 / width)
    moment = bounds.squared_gradient_printed(n=n, d=1, sensitivity=2 / width, sigma=sigma)
    after = (1 + eta * gradient) ** 2 + (eta * sigma) ** 2
    claimed = bounds.one_step_printed(squared_distance=Fraction(1), excess=-gradient, eta=eta, second_moment=moment)
    yield {"n": n, "width": 2, "eta": 0.5, "shared": shared}, after, claimed


def enumerated_steps():
    """The mean square after the step."""
    for step in lattice_steps():
        (before, after), moment, excess = step.distances(), step.claimed_moment(), step.excess()
        above = step.mean(lambda noisy, off=step.w - step.u: noisy @ off) - excess
        setting = {"squared_distance": before, "excess": excess, "eta": step.eta, "second_moment": moment}
        yield setting | {"share": step.squared_gradient() / moment, "above": above}, after


@inequality_claim(
    bounds.one_step,
    measured=enumerated_steps,
    over=[between("share", 0, 1), at_least("above", 0)],
    control=Control("noise and gradients {} times smaller in the bound", (1.01, 1.03, 2)),
    given=[tangent_value, bounds.squared_gradient],
    steps=[Step("⟨g, w_t - w_ref⟩ ≥ L(w_t) - L(w_ref), E ‖g + ξ‖² ≤ n²Δ² + dσ²")],
    tightness=up_to_one,
)
def one_step_holds(*, factor=1):
    """The square: the inner product is above the excess, by convexity, and the moment a share of its bound."""
    for squared_distance, excess, eta in itertools.product((1.0, 4.0), (-1.0, 0.5), (0.25, 2.0)):
        for second_moment, share, above in itertools.product((1.0, 9.0), (0.5, 1.0), (0.0, 1.0)):
            setting = {"squared_distance": squared_distance, "excess": excess, "eta": eta}
            after = squared_distance - 2 * eta * (excess + above) + eta**2 * share * second_moment
            claimed = bounds.one_step(**setting, second_moment=second_moment / factor)
            yield setting | {"second_moment": second_moment, "share": share, "above": above}, after, claimed


TELESCOPED = """from lemmata.bounds.wzw25.noisy_gd import stride
from lemmata.bounds.wzw25.noisy_gd import squared_gradient, telescoped
D, n, steps, sensitivity = {distance}, 1, 1, 2.0    # one record x = 0, width 1: the loss is constant, its gradient 0
eta = stride(steps=steps, gradient_norm=n * sensitivity, sigma=n * sensitivity, d=1, distance=D)
moment = squared_gradient(n=n, d=1, sensitivity=sensitivity, sigma=n * sensitivity)
final = D**2 + steps * (eta * n * sensitivity) ** 2   # E ||w_T - w_ref||^2
assert telescoped(distance=D, eta=eta, steps=steps, second_moment=moment, final=final) < 0   # the excess is 0"""


def constant_loss(distance):
    """The arguments of the telescoped display for one record x = 0 (excess 0), n = T = d = 1, width = 1, in balls."""
    D, sensitivity = arb(distance), arb(2)
    moment = 2 * sensitivity**2
    eta = D / moment.sqrt()
    return dict(distance=D, eta=eta, steps=1, second_moment=moment, final=D**2 + (eta * sensitivity) ** 2)


@exact_claim(
    bounds.telescoped,
    quick=({"distance": 1.0}, {"distance": 100.0}),
    severity="constant",
    misprint="read 1/(2η) before the last term, as before the first",
    note="the last term lacks the factor 1/(2η), so its unit differs from that of the others; the next line drops the "
    "term",
)
def telescoped_as_printed(*, distance, factor=1):
    """The display at a constant loss, whose excess is 0: its right-hand side in balls."""
    rhs = bounds.telescoped.theorem.formula(**constant_loss(distance))
    if rhs < 0:
        python = TELESCOPED.format(distance=distance)
        return refuted("derivation", witness.inequality({"distance": distance}, 0, rhs, python=python))
    return holds("derivation", "settings", note="at this distance the right-hand side is still positive")


def one_enumerated_step():
    """T = 1; and the printed display, which is the larger one where 2 eta <= 1."""
    for step in lattice_steps():
        before, after = map(exact, step.distances())
        sides = dict(distance=before.sqrt(), eta=exact(step.eta), steps=1, final=after)
        sides["second_moment"] = exact(step.claimed_moment())
        claimed = bounds.telescoped_corrected.theorem.formula(**sides)
        yield vars(step), step.excess(), claimed
        if 2 * step.eta <= 1:
            yield vars(step), claimed, bounds.telescoped.theorem.formula(**sides)


@inequality_claim(
    bounds.telescoped_corrected,
    measured=one_enumerated_step,
    over=[at_least("lost", 0), at_least("convexity", 0)],
    control=Control("a second moment {} times too small", (1.01, 1.03, 5)),
    given=[bounds.one_step],
    steps=[Step("the sum of step s4 over t < T, and L(mean) ≤ mean of L")],
    scope="domain: convex losses, per-record gradients of norm at most Δ",
    tightness=withheld,
)
def telescoped_corrected(*, factor=1):
    """T steps at the mean excess a: E ||w_T - w_ref||^2 is D^2 - 2 eta T a + eta^2 T G less what the steps lose."""
    for distance, eta, steps, second_moment in itertools.product((0.5, 3.0), (0.25, 2.0), (1, 7), (1.0, 9.0)):
        for final, lost, convexity in itertools.product((0.0, 1.0), (0.0, 1.0), (0.0, 1.0)):
            setting = {"distance": distance, "eta": eta, "steps": steps, "final": final}
            moved = steps * bounds.one_step(squared_distance=0, excess=0, eta=eta, second_moment=second_moment)
            excess = (distance**2 + moved - lost - final) / (2 * eta * steps) - convexity
            claimed = bounds.telescoped_corrected(**setting, second_moment=second_moment / factor)
            point = setting | {"second_moment": second_moment, "lost": lost, "convexity": convexity}
            yield point, excess, claimed


@identity_claim(
    bounds.balanced,
    quick=({"distance": 1.5, "steps": 7, "second_moment": 3.0},),
    full=grid(distance=[1e-3, 1e3], steps=[1, 10**6], second_moment=[1e-6, 1e6]),
    control=Control("a step size {} times too long", (1.01,)),
    steps=[Step("algebra")],
    note="the proof's η has n²L² where the algorithm has n²Δ²; L appears nowhere else and must be Δ",
)
def step_size_balances(*, distance, steps, second_moment, factor=1):
    """Both terms at the printed eta against the claimed sum."""
    eta = distance / sqrt(steps * second_moment) * factor
    setting = {"distance": distance, "steps": steps, "second_moment": second_moment}
    yield setting, distance**2 / (steps * eta) + eta * second_moment, bounds.balanced(**setting)


@inequality_claim(
    bounds.last_line,
    over=[positive("n"), at_least("more", 0)],
    caught=(1.01,),
    steps=[Step("n/√T ≤ 1/μ ≤ √d/μ")],
    note="sharp at d = 1, T = n²μ²; true for every T ≥ n²μ², T = 1 > n²μ² included",
    tightness=equality,
)
def last_line_holds():
    """T = n^2 mu^2 (1 + more)^2, and sigma with it."""
    for d, mu, sensitivity, distance in itertools.product((1, 4), (0.5, 2.0), (1.0,), (1.0, 3.0)):
        for n, more in itertools.product((1, 3), (0.0, 1.0)):
            setting = {"d": d, "mu": mu, "sensitivity": sensitivity, "distance": distance}
            root = n * mu * (1 + more)  # of T
            left = 2 * n * sensitivity * distance / root + 2 * sqrt(d) * sensitivity * root / mu * distance / root
            yield setting | {"n": n, "more": more}, left, bounds.last_line(**setting)


if __name__ == "__main__":
    run_script(__file__)
