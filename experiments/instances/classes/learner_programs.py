"""Programs that show where the printed readings of Theorem 3.1 of bms22 and of its proof fail."""

COIN = """
from lemmata.bounds.bms22.pure_learner import printed_gap
# m = 1, x = r e_1, y a fair coin: every w has risk at least 1/2, and Lambda y e_1 has margin Lambda r > rho, so loss 0
eta = 1e-6
sizes = dict(norm_bound=1.0, radius=1.0, rho=1 - eta, margin_loss=0.0)
gap = printed_gap(m=1, epsilon=1.0, beta=1 - eta, **sizes)
assert 0.5 / gap > 1e5  # and it grows like 1/(2 eta): no constant C makes C * gap a bound
"""

SMALL_SAMPLE = """
from math import log
from lemmata.bounds.bms22.pure_learner import printed_gap
from lemmata.bounds.bms22.pure_learner_proof import trivial_share
# epsilon so small that m is below the threshold for every c >= 1, beta -> 1: yet the bound is far below 1
m, epsilon, beta = 10**7, 1e-7, 1 - 1e-14
sizes = dict(norm_bound=1.0, radius=1.0, rho=1.0)
assert m < log(m / beta) * log(20 / beta) / epsilon
assert printed_gap(m=m, epsilon=epsilon, beta=beta, margin_loss=0.0, **sizes) < 1e-3
assert trivial_share(m=m, beta=beta, **sizes) < 1e-9  # what is left of the threshold's logarithm in the bound
"""

HEXAGONS = """
from math import pi, sqrt
from lemmata.bounds.bms22.pure_learner_proof import printed_size
sizes = dict(norm_bound=1.0, radius=1.0, rho=1.0)  # R = 2, eta = 0.1
points = printed_size(k=2, **sizes)
# disks cover a convex set no better than by their inscribed hexagons, of area (3 sqrt 3/2) eta^2
assert points * 1.5 * sqrt(3) * 0.1**2 < pi * 2.0**2
"""

FLIPPED = """
import numpy as np
from lemmata.bounds.bms22.pure_learner_proof import printed_alpha
from lemmata.mechanisms.learners.covers.pure_learner import law
from lemmata.mechanisms.privacy import PureDP
class Phi: k, d, apply = 1, 1, staticmethod(lambda X: X)
sizes = dict(norm_bound=1.0, radius=1.0, rho=1.0)
released = law(np.ones((1, 1)), [1.0], privacy=PureDP(0.1), public=Phi, **sizes)
wrong = np.exp(released.selection.log_probabilities())[released.errors == 1].sum()
beta = 1 - 1e-9  # one record, one error: the excess is 1, and alpha < 1 for every c up to 1e7
assert wrong > beta / 4 and 1e7 * printed_alpha(m=1, epsilon=0.1, beta=beta, **sizes) < 1
"""

THIRD = """
from lemmata.bounds.bms22.pure_learner_proof import implied_loss_margin, margin_kept
# k = 1, Phi = (1, 1), w* = (1, 0), x = (1, -1/2), y = 1, rho = 0.9, Lambda = 1, r^2 = 5/4
rho = 0.9
sizes = dict(norm_bound=1.0, radius=1.25**0.5, rho=rho)
before, after = 1.0, (1 + 0) * (1 - 0.5)
assert before > rho and after >= margin_kept(**sizes)  # the premise holds, the rho-margin loss is 0
assert after <= implied_loss_margin(**sizes)  # and the loss at 0.65 rho is 1
"""

NEEDLES = """
import numpy as np
from lemmata.bounds.bms22.pure_learner import norm_of_needles, printed_norm
# d = 2, k = 4, Lambda = 1: for every Phi of full rank, a w of norm 2 with Phi^T w in the direction v
v, lengths = np.array([np.cos(0.3), np.sin(0.3)]), []
for bits in range(2**8):
    phi = (1 - 2.0 * (bits >> np.arange(8) & 1)).reshape(4, 2) / 2
    w = phi @ np.linalg.pinv(phi.T @ phi) @ v
    lengths.append(2 * np.linalg.norm(phi.T @ w) / np.linalg.norm(w))
assert np.mean(lengths) >= 2 * norm_of_needles(4)
# k grows with a^2, and so the share that is kept tends to 1, while the claim falls like 1/a
assert 25 * 2 * norm_of_needles(867) > 30 * printed_norm(d=2, m=2, beta=0.5, norm_bound=25.0, radius=1.0, rho=1.0)
"""
