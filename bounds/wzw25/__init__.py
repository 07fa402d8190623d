"""Wang, Zhu & Wang (2025); `paper.toml` is the contents page."""

from lemmata.bounds.library import cited

WZW25 = cited("wzw25")  # authors and year
