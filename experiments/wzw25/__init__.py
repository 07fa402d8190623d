"""Claims about the statements of Wang, Zhu & Wang (2025)."""
