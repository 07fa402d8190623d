"""Claims about the statements of an invented paper."""
