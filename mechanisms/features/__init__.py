"""What rows become before learning: random projections, random features, and how many of them are needed.

These maps draw public randomness only, so they spend no budget. Learners that use them belong in `learners`. This
package may import `law` and `numerics`.
"""
