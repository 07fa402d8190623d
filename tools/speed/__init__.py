"""Speed over the project's history: asv benchmarks, and the offline page of what they measured."""
