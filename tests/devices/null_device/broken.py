"""A device that no machine has."""


def missing():
    """Return what is missing."""
    return "its library is not installed; try: pip install it"
