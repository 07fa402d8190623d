"""From which n on each main theorem is nonvacuous, over epsilon and the margin, and what learners need instead.

The families of statements, the committed table (`python -m lemmata.experiments.sample_sizes.table` computes it) and
what the page shows of it belong here; the bounds themselves belong to `lemmata.bounds`.
Modules of this package import the engine, instances and mechanisms, and neither audits nor the report.
"""
