"""The loop every role shares: model, memory, prompts and the offline expert."""
