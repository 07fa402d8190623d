"""The engine: a run, the ledger and the report."""

import tempfile
import time
from pathlib import Path

import numpy as np

from .side_by_side import module

timer = time.process_time  # CPU seconds: what else the machine does matters less
SEED = 20251120
MODULE = "bms22/long_minimiser"  # a module of claims that are decided without sampling


class Engine:
    """Deciding one module of claims, folding its ledger, and drawing its pages."""

    timeout = 120

    def setup(self):
        self.run, self.store = (
            module("lemmata.experiments.engine.running.run", "execute"),
            module("lemmata.experiments.engine.running.store", "Store"),
        )
        self.ledger = module("lemmata.experiments.engine.ledger.ledger_rows", "ledger_with_cells")
        self.claims = module("lemmata.experiments.engine.claims.registry", "load").load([MODULE])[MODULE]
        self.kept = self.store.Store()
        self.run.execute(self.claims, self.kept)

    def time_run(self):
        self.run.execute(self.claims, self.store.Store())

    peakmem_run = time_run

    def time_unchanged_run(self):
        self.run.execute(self.claims, self.kept)

    def time_ledger(self):
        self.ledger.ledger_with_cells(self.kept, SEED, self.claims)

    peakmem_ledger = time_ledger

    def time_report(self):
        site = module("lemmata.experiments.report.site", "make_pages")
        curves = module("lemmata.experiments.engine.ledger.curves", "choose_pictures")
        pairs = self.ledger.ledger_with_cells(self.kept, SEED, self.claims)
        with tempfile.TemporaryDirectory() as folder:
            site.make_pages([(row, curves.choose_pictures(cells)) for row, cells in pairs], SEED, Path(folder))

    def track_overhead_of_a_run(self):
        """What a run takes beyond its trials, over what the trials take, in CPU time."""
        shares = []
        for _ in range(3):
            store = self.store.Store()
            start = time.process_time()
            self.run.execute(self.claims, store)
            taken = time.process_time() - start
            shares.append(taken / float(store.chunks()["cpu_seconds"].sum()) - 1)
        return float(np.median(shares))

    track_overhead_of_a_run.unit = "share"
