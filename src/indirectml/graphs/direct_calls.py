"""Calls of a compiled graph with arrays that lie just as its tensors say, which most are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from indirectml.core.tensors import TensorDesc
from indirectml.devices import ArrayForm, CallForm
from indirectml.graphs.inputs import Input
from indirectml.graphs.memory import TemporaryMemory
from indirectml.runtime.removal import RemovableDevice

#: The dtype and the sizes of an array.
ArrayKind = tuple[np.dtype[Any], tuple[int, ...]]

#: A call with a dict from names, or a tuple, of all arrays that are not owned; it gives new ones.
#: None, where anything is not as it takes it: then nothing has happened.
ArraysToArrays = Callable[[Any], "list[Any] | None"]


def no_direct_call(given: Any) -> list[Any] | None:  # noqa: ARG001 (as of those that do something)
    """Leave a call to the general way."""
    return None


def kind_of(tensor: TensorDesc) -> ArrayKind:
    """Return what an array of a tensor is."""
    return tensor.data_type.dtype, tensor.sizes_tuple


def is_packed(tensor: TensorDesc) -> bool:
    """Return whether a packed array has the elements of a tensor as they lie."""
    return tensor.strides_tuple is None and not tensor.is_in_halves


def call_form(
    inputs: Sequence[Input],
    tensors: Sequence[TensorDesc],
    given: Mapping[str, ArrayKind],
    returned: Sequence[ArrayKind],
) -> CallForm:
    """Return what a call takes and gives.

    Parameters
    ----------
    inputs, tensors : sequence
        All inputs and outputs of the graph.
    given, returned
        Dtypes and sizes at the door, of the bytes that the tensors have. What the graph has no
        input for is looked at, and no more; the last outputs may be returned to nobody.
    """
    places = {one.name: place for place, one in enumerate(inputs) if not one.is_owned}
    temporary = len(inputs) + len(tensors)
    nowhere = temporary + 2  # behind the temporary and the persistent resource
    written = [*returned, *map(kind_of, tensors[len(returned) :])]
    return CallForm(
        {name: ArrayForm(places.get(name, nowhere), *kind) for name, kind in given.items()},
        [ArrayForm(len(inputs) + number, *kind) for number, kind in enumerate(written)],
        len(returned),
        temporary,
    )


def direct_call(
    device: RemovableDevice,
    steps: Sequence[Any],
    form: CallForm,
    memory: TemporaryMemory,
) -> ArraysToArrays:
    """Return a call with arrays of a form; one that does nothing where the device has none.

    Parameters
    ----------
    device : RemovableDevice
        Which executes it.
    steps : sequence
        As the device joined them.
    form : CallForm
        What it takes and gives.
    memory : TemporaryMemory
        What it works in.

    Notes
    -----
    It knows nothing of the graph, which has it: so the graph is gone with the last who has that.
    """
    run = device.implementation
    call = run.call_of(steps, form)
    if call is None:
        return no_direct_call

    def direct(given: Any) -> list[Any] | None:
        device.require()
        taken = memory.take(run.new_memory)
        made = call(given, taken)
        memory.give_back(taken)
        return made

    return direct
