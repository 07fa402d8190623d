"""Claims about the statements of Arora, Bassily, Guzmán, Menart & Ullah (2022)."""
