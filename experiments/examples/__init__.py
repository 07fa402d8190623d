"""Two scripts that other pages show: the table behind the picture of README, and a paper of one's own in a folder.

Shorter programs are in docs/gallery. Scripts import what a user would; only `__main__`, which draws, imports figures.
"""
