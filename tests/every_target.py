"""Every instruction set of this machine, one after the other within a test."""

import indirectml as dml


def on_every_target():
    """Yield the name of each, set: what is expected of all is computed once, before."""
    for target in dml.available_targets():
        with dml.configure(target=target):
            yield target
