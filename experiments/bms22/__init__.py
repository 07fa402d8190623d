"""Claims about the statements of Bassily, Mohri & Suresh (2022)."""
