"""Benchmarks that asv runs, a module for each core or group of cores, and what they share in `side_by_side`.

Only benchmarks belong here: asv imports every module of this folder, in environments that have the wheel and no
tools or tests, and it names a benchmark after its module, so renaming one cuts its history. A module may import
bounds, mechanisms, experiments and public peers, and the modules of this folder by relative imports.
"""
