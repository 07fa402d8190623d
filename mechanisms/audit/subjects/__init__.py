"""Mechanisms under audit: how others' code is called, what it releases, and which random numbers it draws.

Adapters, samplers, recorded draws, replay and tracing belong here. Judging the releases belongs in `evidence` and
`play`. This package may import `evidence`, `neighbours` and, below the auditor, `numerics` and `privacy`.
"""
