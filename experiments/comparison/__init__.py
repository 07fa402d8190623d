"""Learners side by side: what `lemmata compare` measures, its tables and figures.

A learner that is to be compared, a data set of the comparison and what its page shows belong here; an algorithm belongs
to `lemmata.mechanisms`, and a claim about it to its paper.
Modules of this package import the papers and what is below, and neither audits nor the report.
"""
