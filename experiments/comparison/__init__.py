"""Learners side by side: `marginalia compare` (`command`), and two studies of single papers on real records."""
