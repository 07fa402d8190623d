"""Mechanisms of other libraries at known neighbours, under the audit that our own mechanisms pass.

One study of other libraries and the table that it writes belong here; libraries that are searched for neighbours are
in `tools.wild`, and no test or command depends on either. It may import mechanisms and experiments, and other libraries
only inside functions, because it runs in an environment of its own:

    python -m venv peers && peers/bin/pip install diffprivlib opendp "scikit-learn<1.6" python-flint click tqdm
    PYTHONPATH=. peers/bin/python -m lemmata.tools.peers.audits
"""
