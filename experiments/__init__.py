"""Where promises and mechanisms meet: a claim goes in, a verdict comes out.

`engine` decides, `checks` and `instances` are shared by the papers' packages, `audits` and `comparison` are studies,
and `report` writes the pages. It may import `lemmata.bounds` and `lemmata.mechanisms`; commands and tools import it.
"""
