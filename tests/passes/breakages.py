"""Shows that tests would notice a mistake in passes: `python -m tests.passes.breakages`.

Each row of the table is a small change of a pass over plans. It is made in this process, for as
long as a test runs that compares bits with those of plans without the pass, or of plain loops; the
test has to fail. Ends with exit code 1 if one passes. `--only TEXT` takes the rows whose name
contains it.
"""

import ast
import contextlib
import importlib
import inspect
import sys
import textwrap
from typing import Any, NamedTuple

import numpy as np
import pytest

import indirectml as dml
from indirectml.core.settings import available_targets
from tests.operators.breakages import command, forget
from tests.passes import (
    test_attention,
    test_channels_last,
    test_constants_in_panels,
    test_fusion,
    test_hoisting,
    test_initializing,
    test_joins_in_place,
    test_limiting,
    test_ordering,
    test_padding,
    test_random_networks,
    test_ranges_in_place,
    test_settling,
    test_settling_convolutions,
    test_widening,
)

#: Random graphs and networks that are looked at.
GRAPHS = 70


class Row(NamedTuple):
    """What becomes what, and the test that has to notice it.

    Attributes
    ----------
    place : str
        A module of passes and the function, or the method of a class, that is changed.
    old, new : str
        `old` stands exactly once in its source.
    test : callable
        What fails then.
    """

    place: str
    old: str
    new: str
    test: Any


def _patched(test, *arguments):
    """Return a call of a test that patches."""

    def run():
        with pytest.MonkeyPatch.context() as patch:
            test(patch, *arguments)

    return run


def _graph():
    return dml.Graph(dml.Device())


def _random_graphs():
    for seed in range(GRAPHS):
        with pytest.MonkeyPatch.context() as patch:
            test_fusion.test_joined_equals_unjoined_bit_for_bit(_graph(), seed, patch)


def _pixels():
    for seed in range(GRAPHS):
        test_random_networks.test_passes_change_no_bit(seed)


def _places():
    test = test_ranges_in_place.test_a_program_takes_the_place_of_what_it_reads
    for case in test.pytestmark[0].args[1]:
        test(*case)
    test_ranges_in_place.test_what_is_read_later_stays()


def _ordering():
    for shape in test_ordering.LAYERS:
        test_ordering.test_layers_of_integers_have_the_bits_of_their_definition(
            shape, available_targets()[0]
        )


def _alone():
    test = test_channels_last.test_a_convolution_alone_has_copies_where_they_pay
    _patched(test, *test.pytestmark[0].args[1][0])()


_hoisting = _patched(
    test_hoisting.test_what_is_repeated_has_the_bits_that_it_has_in_place, available_targets()[0]
)


_initializing = _patched(test_initializing.test_has_the_bits_that_each_call_would_compute, "cpu")


def _joining():
    test = test_joins_in_place.test_what_is_joined_has_the_bits_of_copies
    for network, dtype, before, after in test.pytestmark[0].args[1]:
        with pytest.MonkeyPatch.context() as patch:
            test(patch, available_targets()[0], dtype, network, before, after)


def _widening():
    test = test_widening.test_what_is_widened_has_the_bits_of_float16
    networks, activations, _ = (mark.args[1] for mark in test.pytestmark)
    for network, normalizes in networks:
        for activation in activations:
            with pytest.MonkeyPatch.context() as patch:
                test(patch, available_targets()[0], network, activation, normalizes)


def _limiting():
    for network in test_limiting.NETWORKS:
        for activation in test_limiting.ACTIVATIONS:
            test_limiting.test_has_the_bits_of_a_program_behind_it(
                network, activation, available_targets()[0]
            )


def _settling(case, tail):
    test_settling.test_has_the_bits_of_floats(case, tail, available_targets()[0])


def _settling_convolution(case, tail):
    test_settling_convolutions.test_has_the_bits_of_floats(case, tail, available_targets()[0])


def _padding():
    for network in (*test_padding.TAKEN, *test_padding.LEFT):
        test_padding.assert_same_without_the_pass(network)


BREAKAGES = {
    # padding
    "padding: what is before comes after": Row(
        "padding._with_padding", '"start_padding", before), ("end_padding", after',
        '"start_padding", after), ("end_padding", before', _padding,
    ),
    "padding: what a border holds does not matter": Row(
        "padding._inside", "step.start != 0", "step.start < 0", _padding
    ),
    "padding: channels have a border, too": Row(
        "padding._with_padding", "any((*before[:_SPATIAL], *after[:_SPATIAL]))", "False", _padding
    ),
    # layouts
    "layouts: all channels of a pixel are the first": Row(
        "layouts._Tensor.offset", "+ channel", "+ channel * 0", _pixels
    ),
    "layouts: images have no pitch": Row(
        "layouts._Tensor.strides", "pixels * pitch)", "pixels * self.channels)", _pixels
    ),
    "layouts: pixels are as far apart as they were": Row(
        "layouts._Tensor.strides", "found.append(stride * pitch)", "found.append(stride)", _pixels
    ),
    "layouts: views across channels are strides": Row(
        "layouts._Tensor.strides", "channel < self.channels and pixel < pixels", "True", _pixels
    ),
    "layouts: a word of another order reads pixels": Row(
        "layouts._Pass._read",
        "there or view._replace(buffer=self._copy(view.buffer, step))", "there or view", _pixels,
    ),
    "layouts: what a word of another order writes is left there": Row(
        "layouts._Pass._written", "plain, view))", "plain, plain))", _pixels
    ),
    "layouts: an output is written by pixels": Row(
        "layouts._Pass._written", "self._reorder(step, own, view)",
        "self._reorder(step, own, own)", _pixels,
    ),
    "layouts: a convolution alone reads what it is given by pixels": Row(
        "layouts._Pass._added", "there = tensor.view(own)", "there = own", _alone
    ),
    "layouts: axes are one where the first operand follows them": Row(
        "layouts._merged", "for own in every)", "for own in every[:1])", _pixels
    ),
    "layouts: strides stay those of DirectML's order": Row(
        "layouts._Pass._changed", "own = tensor.strides(begin, found.sizes, strides)",
        "own = strides", _pixels,
    ),
    "layouts: views of bytes are as far from each other as words": Row(
        "layouts._moved", "tensor.data_type.item_bytes * tensor.offset(begin)",
        "4 * tensor.offset(begin)", _pixels,
    ),
    # joining
    "joining: parts begin where the joined tensor does": Row(
        "sharing.Copy.moved", "self.target.offset + offset * item", "offset * item", _joining
    ),
    "joining: what others read is left where it was": Row(
        "joining.joined_in_place", "*flow.writers[buffer], *flow.readers[buffer]",
        "*flow.writers[buffer]", _joining,
    ),
    "joining: what others write is left where it was": Row(
        "joining.joined_in_place", "*flow.writers[buffer], *flow.readers[buffer]",
        "*flow.readers[buffer]", _joining,
    ),
    "joining: a part lies where something else is written first": Row(
        "joining._apart_in", "if reach <= first and end <= after:", "if True:", _joining
    ),
    "joining: rows of another length are read in a part": Row(
        "sharing.Copy.moved", "if rest or last >= count:", "if rest:", _joining
    ),
    "joining: NaNs of inputs are taken for canonical ones": Row(
        "joining._copying", "canonical.get(view.buffer) is",
        "canonical.get(view.buffer, view.data_type) is",
        lambda: test_joins_in_place.test_nearest_pixels_of_an_input_have_canonical_nans(np.float32),
    ),
    # fusion
    "fusion: programs that read in another order are joined": Row(
        "fusion._Groups._lies_alike", "and strides == own", "",
        lambda: test_fusion.test_a_view_with_other_strides_reads_what_was_written(_graph(), [1, 4]),
    ),
    "fusion: a step stands before what writes for it": Row(
        "fusion._Groups.join", "self._end(buffers_of(step)[0])", "pass", _random_graphs
    ),
    "fusion: parts of an axis are as far apart as its elements": Row(
        "fusion.split_strides", "stride * prod(own[k + 1 :])", "stride", _random_graphs
    ),
    # flow
    "flow: a program writes where it reads another order": Row(
        "flow._in_place", "view == alike and own == strides", "view", _places
    ),
    "flow: what is read later gives its range away": Row(
        "flow._placed", "if last[buffer] == number", "", _places
    ),
    # hoisting
    "hoisting: all read what was computed for the first": Row(
        "hoisting.hoist", "packed.get(axis, 0)", "0", _hoisting
    ),
    # ordering
    "ordering: a small program stands before what it reads": Row(
        "ordering._order", "default=-1)", "default=-1) - 1", _ordering
    ),
    # packing
    "packing: those who read a constant plain get panels": Row(
        "packing._packed", "if count == readers[offset]", "if True",
        lambda: test_constants_in_panels.test_a_constant_that_another_node_reads_stays(_graph()),
    ),
    # widening
    "widening: any constant is taken for FLOAT16": Row(
        "widening._is_half", "number.astype(np.float16) == number", "True", _widening
    ),
    "widening: nothing that a program ends with is rounded": Row(
        "widening._of_floats", "is_widening or chooses", "True", _widening
    ),
    "widening: a part begins where its first elements did in FLOAT16": Row(
        "widening._wide", "offset=2 * view.offset", "offset=view.offset", _widening
    ),
    "widening: buffers are as long as those of FLOAT16": Row(
        "widening.widened", "size * 2 if buffer in chosen", "size if buffer in chosen", _widening
    ),
    "widening: a pool makes FLOAT16 of FLOAT32": Row(
        "widening.widened", "chosen -= lost", "break",
        test_widening.test_pools_write_the_data_type_that_they_read,
    ),
    "widening: what others read is FLOAT32, too": Row(
        "widening.widened", "_widens(plan.steps[number], buffer)", "True",
        test_widening.test_only_inputs_and_what_others_read_stay_float16,
    ),
    # initializing
    "initializing: results lie on owned inputs": Row(
        "initializing.initialized", "size = plan.persistent_size", "size = 0", _initializing
    ),
    "initializing: results lie on each other": Row(
        "initializing.initialized", "size += aligned(_size_bytes(plan, buffer))", "pass",
        _initializing,
    ),
    "initializing: what reads results reads them where they were": Row(
        "initializing.initialized", "tuple(moved(step) for number", "tuple(step for number",
        _initializing,
    ),
    # limiting
    "limiting: the least is 0": Row(
        "limiting.limits_of", '"clip", float(least)', '"clip", 0.0', _limiting
    ),
    "limiting: a relu is a clip": Row(
        "limiting.limits_of", '"relu", 0.0, 0.0', '"clip", 0.0, np.inf', _limiting
    ),
    # settling
    "settling: a clip is a relu": Row(
        "settling._Pass._tail", 'most if what == "clip" else math.inf', "math.inf",
        lambda: _settling("one panel and a rest", "a clip"),
    ),
    "settling: the bias is lost": Row(
        "settling._Pass._settled", "found.bias or tail.bias", "found.bias",
        lambda: _settling("one panel and a rest", "a bias"),
    ),
    "settling: weights lie as they come": Row(
        "settling._Pass._product", "is_transposed=found.forms[numbers.offset].is_transposed",
        "is_transposed=False", lambda: _settling("columns turned", "nothing"),
    ),
    "settling: the bias of a convolution is lost": Row(
        "settling._Pass._convolution", "bias and _line(bias)", "None",
        lambda: _settling_convolution("3 x 3 with padding", "a bias"),
    ),
    "settling: filters have the scale of the first one": Row(
        "settling._repetitions", "return filters if is_by_filter else None", "return 1",
        lambda: _settling_convolution("every second pixel", "nothing"),
    ),
    "settling: what is added behind a convolution is a bias": Row(
        "settling._Pass._tail", "is_product and bias is None", "bias is None",
        test_settling_convolutions.test_what_is_added_along_rows_is_no_bias,
    ),
    "settling: what something else reads is lost": Row(
        "settling._Pass._tail", "len(readers) == 1", "readers",
        test_settling.test_a_product_that_something_else_reads_is_there,
    ),
    # attention
    "attention: softmax along another axis is attention": Row(
        "attention._chain", "(len(scores.sizes) - 1,)", "tuple(axes)",
        test_attention.test_softmax_along_other_axes_is_left_alone,
    ),
}  # fmt: skip


def _function(place):
    """Return the function that a row changes."""
    module, *names = place.split(".")
    found = importlib.import_module(f"indirectml.passes.{module}")
    for name in names:
        found = inspect.getattr_static(found, name)
    found = found.fget if isinstance(found, property) else found
    return inspect.unwrap(getattr(found, "__func__", found))


def broken_code(name):
    """Return the function that a row changes, and its code with the change.

    Raises
    ------
    ValueError
        The text is not exactly once there.
    """
    place, old, new, _ = BREAKAGES[name]
    function = _function(place)
    source = textwrap.dedent(inspect.getsource(function))
    if source.count(old) != 1:
        raise ValueError(f"{name}: {place} needs {old!r} exactly once")
    (tree,) = ast.parse(source.replace(old, new)).body
    tree.decorator_list = []
    module = ast.parse("from __future__ import annotations")
    module.body.append(tree)
    made = {}
    exec(  # noqa: S102 (a function with one change)
        compile(ast.unparse(module), "<broken>", "exec"), function.__globals__, made
    )
    return function, made[function.__name__].__code__


def _forget():
    """Forget what is remembered of passes."""
    forget()
    for name, module in sys.modules.items():
        if name.startswith("indirectml.passes."):
            for kept in vars(module).values():
                getattr(kept, "cache_clear", lambda: None)()


@contextlib.contextmanager
def broken(name):
    """Break a pass as a row says, wherever it was imported to."""
    function, code = broken_code(name)
    own = function.__code__
    try:
        function.__code__ = code
        _forget()
        yield
    finally:
        function.__code__ = own
        _forget()


def is_noticed(name):
    """Whether a test fails while a pass is broken."""
    with broken(name):
        try:
            BREAKAGES[name].test()
        except (AssertionError, pytest.fail.Exception):
            return True
        except ValueError as error:  # the native code reads and writes nothing beyond memory
            return str(error) == "memory is too small"
    return False


if __name__ == "__main__":
    sys.exit(command(__doc__, BREAKAGES, is_noticed))
