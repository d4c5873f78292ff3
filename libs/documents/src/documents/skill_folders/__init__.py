"""Folders of skills in the public SKILL.md format: frontmatter, limits, and what is inert in them."""
