"""Changes of skills that the learner proposes: applied, checked and stored."""
