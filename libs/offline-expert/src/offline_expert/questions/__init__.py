"""How the expert answers spatial questions: cells that use perception, and never anything else."""
