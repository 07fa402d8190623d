"""Bassily, Mohri & Suresh (2022); `paper.toml` is the contents page.

Two texts circulate, the paper and its appendix; they number the algorithms differently (DP-ERM is Algorithm 5 in the
paper and 4 in the appendix, label privacy 4 and 5, and Theorem 6.1 is Theorem E.1). We follow the paper's numbers and
give the appendix's next to them.
"""

from lemmata.bounds.library import cited

BMS22 = cited("bms22")  # authors and year
