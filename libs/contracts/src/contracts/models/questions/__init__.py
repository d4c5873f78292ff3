"""Questions about images: their frames, the scenes behind them, and what counts as an answer."""
