"""Running: cells and chunks, their order and costs, the store, worker processes and clusters.

Whatever turns a claim into stored results belongs here. Reading results as rows belongs in `ledger`. This package may
import `claims` and `ground`.
"""
