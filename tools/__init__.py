"""What this repository measures and plants for itself; none of it is shipped."""
