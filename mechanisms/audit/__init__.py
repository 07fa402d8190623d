"""The auditor: a mechanism and a claimed guarantee go in, a verdict with evidence comes out.

It knows of no paper and none of our learners, so it judges other people's code as it judges ours. It may import
`numerics` and `privacy`; only experiments, commands and tools import it.
"""
