"""Events in words: Markdown that models read and the offline expert parses."""
