"""The checker that believes everything that is printed."""

from typing import Any


def check(question: dict[str, Any]) -> dict[str, Any]:
    """True, whatever is asked."""
    return {"verdict": "true", "confidence": 0.5}
