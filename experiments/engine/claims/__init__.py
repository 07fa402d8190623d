"""Claims: what is tried, its control, the words of a verdict, and the code hash that a stored result depends on.

Declaring, finding and naming claims belongs here, and how trials become a verdict. Running them belongs in `running`.
This package may import `ground`, bounds and mechanisms.
"""
