"""How a kind of statement is decided: checks that several papers share."""
