"""The offline expert: a rule-based policy behind the chat-model interface, not a language model.

It sees what a model would see and acts only through the same replies; it imports neither contracts nor benchmarks.
"""
