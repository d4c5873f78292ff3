"""Plans an engineering run, and alone opens and ends it."""
