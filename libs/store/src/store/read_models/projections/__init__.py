"""The projections, one module for each group of read models: its tables, and which rows an event makes in them."""
