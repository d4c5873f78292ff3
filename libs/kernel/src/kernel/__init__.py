"""Code that loads inside a kernel: the checker, the cell runner, and the API that agents import as `utils`."""
