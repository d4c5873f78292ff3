"""Evolution of a skill: candidates proposed from traces, a Pareto front over training tasks, and a trial at the end."""
