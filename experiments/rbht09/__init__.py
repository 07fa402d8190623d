"""Claims about the statements of Rubinstein, Bartlett, Huang & Taft (2009)."""
