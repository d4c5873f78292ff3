"""Context management: the part of a conversation that fits into a prompt.

A prompt is a pure function of the conversation, of a recorded `Condensed` and of the stand-ins for old steps, so that
the event log alone restores every prompt byte by byte. Texts that this package writes into prompts are part of
`prompt_renderer.RULE`: to change one, add a rule and keep the old text for the old rule.
"""
