"""Claims about the statements of Bassily, Mohri & Suresh (2022).

Each module decides the statements of the module of the same name in `lemmata.bounds.bms22`; `_proof` modules decide
the steps. It may import `checks`, `instances`, the engine, bounds and mechanisms, and no other paper's claims.
"""
