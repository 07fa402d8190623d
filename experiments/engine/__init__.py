"""The engine: claims become cells, cells become chunks, chunks become verdicts and the ledger."""
