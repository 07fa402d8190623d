"""Learners side by side: `lemmata compare` (`command`), and two studies of single papers on real records."""
