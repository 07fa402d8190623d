"""Neighbouring datasets: what a record is, how it can change, and the pairs that an audit tries.

Reading and changing one record of any kind of table belongs here. Ranking pairs by their releases belongs in `play`.
This package may import `numerics` and `privacy`.
"""
