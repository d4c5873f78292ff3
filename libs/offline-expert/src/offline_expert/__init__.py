"""The offline expert: a rule-based policy behind the chat-model interface. No language model.

It sees what a model would see and acts only through the same replies; it may import neither contracts nor suite.
"""
