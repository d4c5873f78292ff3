"""The result of a simulation: verdict and statistics, physical events, and a Markdown summary."""
