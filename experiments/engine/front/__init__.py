"""What commands and notebooks ask the engine for: a claim decided in this process, a statement explained.

Text for a terminal belongs here, pages do not. This package may import every other part of the engine. Only commands,
reports and papers' scripts import it.
"""
