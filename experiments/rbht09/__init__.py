"""Claims about the statements of Rubinstein, Bartlett, Huang & Taft (2009).

Each module decides the statements of the module of the same name in `lemmata.bounds.rbht09`; `_proof` modules decide
the steps. It may import `checks`, `instances`, the engine, bounds and mechanisms, and no other paper's claims.
"""
