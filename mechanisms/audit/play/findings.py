"""Results of a sequential test: the most informative event, and the smallest leak that would be detected."""

from copy import copy
from math import log

import numpy as np
from scipy.special import log_expit

from lemmata.mechanisms.audit.evidence.outcomes import rows
from lemmata.mechanisms.audit.evidence.stakes import CUTS, STAKES, average, log_capital, tables
from lemmata.mechanisms.audit.play.game import REPORT, Game, short_release
from lemmata.mechanisms.privacy import ApproxDP

LEARNT = 0.85  # share of the rounds that a rule is worth what it is at the end
FACTORS = np.geomspace(0.1, 1e3, 800)  # by which a leak could be larger
SIDE = ("the first dataset", "the second dataset", "either dataset")


def smallest_caught(game: Game, level: float) -> float | None:
    """The smallest factor on the log-odds of the best guesses that would be refuted with probability 0.99.

    A mechanism whose noise is m times too small multiplies the log-odds of a guess by m. Against a delta it may also be
    the guesses that are m times as frequent. None where no attacker was right significantly more often than wrong: then
    no factor on nothing would be seen.
    """
    if average(game.counts, tables([(0.0, 0.0)] * len(game.table))) < -log(REPORT):
        return None
    needed = -log(level) + log(2 * game.counts[..., 0].size / CUTS * len(STAKES))
    rounds = LEARNT * game.judged
    tried = FACTORS  # those below the smallest found
    for tangent, side in np.ndindex(game.counts.shape[1:3]):
        for right, wrong, _ in game.counts[:, tangent, side]:
            if right <= wrong or not len(tried):
                continue
            made = (right + wrong) / game.judged
            odds = np.exp(log_expit(log((right + 0.5) / (wrong + 0.5)) * tried))
            leaks = [(np.full_like(odds, made), odds)]
            if isinstance(game.claim, ApproxDP) and game.claim.delta > 0:
                leaks.append((np.minimum(made * tried, 1.0), np.full_like(odds, right / (right + wrong))))
            for frequency, share in leaks:
                shares = np.stack([frequency * share, frequency * (1 - share), 1 - frequency], axis=1)
                table = game.table[tangent, side]
                mean = shares @ table.T
                sd = np.sqrt(np.maximum(shares @ (table**2).T - mean**2, 0))
                enough = (rounds * mean - 2.33 * np.sqrt(rounds) * sd).max(axis=1) >= needed
                if enough.any():
                    tried = tried[: int(np.argmax(enough))]
    return float(FACTORS[len(tried)]) if len(tried) < len(FACTORS) else None


def limits(game: Game, *chances: float) -> list[float]:
    """Lower confidence limits on the privacy loss that fail with these probabilities."""
    known: dict[bytes, np.ndarray] = {}

    def against(values: np.ndarray) -> np.ndarray:
        if (key := values.tobytes()) not in known:
            known[key] = game.against(values)
        return known[key].copy()

    asked = copy(game)
    vars(asked)["against"] = against
    return [asked.lower(chance) for chance in chances]


def event(game: Game) -> str:
    """The attacker that gained most, where it guesses, and some of the releases on which it guesses.

    What it gained is against the claim; if nobody gained anything there, against the claim that nothing is told.
    """
    standing = log_capital(game.counts, game.table)
    if not standing.max() > 0:
        standing = log_capital(game.counts, tables([(0.0, 0.0)] * len(game.table)))
    place, tangent, side = np.unravel_index(int(np.argmax(standing)), standing.shape)
    name, rule = game.named[place][0], game.rules[place]
    if rule is None or not standing.max() > 0:
        return "no event"
    outcome, _ = game.past[-1]
    guesses = rule.guesses(outcome)[tangent]
    chosen = np.flatnonzero(guesses == (1, -1, guesses)[side]) if side < 2 else np.flatnonzero(guesses)
    listed = list(rows(outcome.raw))
    examples = list(dict.fromkeys(short_release(listed[i]) for i in chosen[:200]))[:3]
    right, wrong, rest = game.counts[place, tangent, side]
    return (
        f"{name}, guessing {SIDE[side]} on releases such as {', '.join(examples) or 'none of the last chunk'}: "
        f"{right} right, {wrong} wrong, {rest} abstained"
    )
