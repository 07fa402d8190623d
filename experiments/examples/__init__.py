"""Five short scripts: what a user does first. The tests run them; each prints what it found."""
