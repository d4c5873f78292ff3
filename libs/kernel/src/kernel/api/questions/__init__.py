"""What the kernel of a question provides besides perception: answers, the vision model, pictures and feedback."""
