"""Mechanisms of other libraries under the same audit: no dependency; this runs in an environment of its own.

python -m venv peers && peers/bin/pip install diffprivlib opendp "scikit-learn<1.6" python-flint click tqdm
PYTHONPATH=. peers/bin/python -m lemmata.tools.peers.audits
"""
