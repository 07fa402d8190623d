"""Counterexamples as programs: each runs in a process of its own before a statement is called refuted.

Starting, limiting and judging these programs belongs here. The sentence that presents one belongs in `ledger`. This
package may import `running`, `claims` and `ground`.
"""
