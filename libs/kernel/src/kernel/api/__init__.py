"""The in-kernel API that agents import as `utils`."""
