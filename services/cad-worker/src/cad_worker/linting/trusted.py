"""Which of pyright's findings mean an error for sure, with libraries whose types say less than they do."""


def is_surely_wrong(rule: str, message: str) -> bool:
    """Tell whether a finding is to be believed."""
    return True
