"""The claims of the four papers, all registered: `CLAIMS` where a test asks every row, `registry` to find some."""

from lemmata.experiments.engine.claims import registry
from lemmata.experiments.engine.claims.claim import CLAIMS

__all__ = ["CLAIMS", "registry"]

registry.load()
