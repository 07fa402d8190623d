"""Speed: `lemmata bench`, which runs asv, holds costs to limits.csv, and makes asv's dashboards and a page of limits.

Running asv, reading its files, limits and pages belong here; what is timed belongs in `benchmarks`, and no mechanism,
claim or test does. It may import bounds, mechanisms, experiments and the command line; the modules that draw the page
import no asv, because the site is also drawn where asv is not installed.
"""
