"""Claims about the statements of Wang, Zhu & Wang (2025).

Each module decides the statements of the module of the same name in `lemmata.bounds.wzw25`; `_proof` modules decide
the steps. It may import `checks`, `instances`, the engine, bounds and mechanisms, and no other paper's claims.
"""
