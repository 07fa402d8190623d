"""Nobody (2025), an invented paper: the contents page."""

AUTHORS = "Nobody"
TITLE = "On Coins and Odd Numbers"
YEAR = 2025
CONTENTS = (
    ("inv25.lem1", "Lemma 1", "coins"),
    ("inv25.lem2", "Lemma 2", "coins"),
    ("inv25.thm3", "Theorem 3", "coins"),
)
