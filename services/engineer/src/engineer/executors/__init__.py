"""The three ways to act: cells in the kernel, structured calls alone, or one script in one go."""
