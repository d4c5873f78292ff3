"""Questions generated from seeded scenes, with exact answers from the scenes' own geometry."""
