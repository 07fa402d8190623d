"""Private choice: the exponential mechanism and its relatives, and the number of runs that tuning may try.

A module here turns scores into one chosen index and states what the choice costs. Noise that is added to numbers
belongs in `noise`. This package may import `noise`, `law`, `privacy` and `numerics`.
"""
