"""DirectML's object model: a device makes operators, compiles them, and they are dispatched."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntFlag
from typing import Any

from indirectml.descriptors import OperatorDesc
from indirectml.devices import cpu
from indirectml.errors import BindingError, DataTypeError, DescriptorError, DirectMLError, shown
from indirectml.feature_levels import FeatureLevel, as_feature_level
from indirectml.plans import Plan
from indirectml.sequences import Rule, checked_rule


class ExecutionFlags(IntFlag):
    """DML_EXECUTION_FLAGS: accepted everywhere. None of them changes what the fills write."""

    NONE = 0
    ALLOW_HALF_PRECISION_COMPUTATION = 1
    DISABLE_META_COMMANDS = 2
    DESCRIPTORS_VOLATILE = 4


class Device:
    """A device of a feature level, which creates and compiles operators.

    Parameters
    ----------
    feature_level : FeatureLevel or str
        What operators may ask for, such as "2_1". The highest by default.
    sequence_rule : {"accumulate", "multiply"}
        How this device defines element i of FILL_VALUE_SEQUENCE; see `fill_sequence`.
    use_gpu, use_debug_layer : bool
        Accepted for scripts written for the `directml` package. Everything runs on the CPU, and
        every check is made at all times.

    Raises
    ------
    DescriptorError
        There is no such feature level or rule.

    Examples
    --------
    >>> device = Device(feature_level="2_1")
    >>> tensor = TensorDesc(np.float32, [1, 1, 1, 3])
    >>> ramp = device.create_operator(FillValueSequenceOperatorDesc(tensor, np.float32, 3, 2))
    >>> device.compile_operator(ramp)()
    [array([[[[3., 5., 7.]]]], dtype=float32)]
    """

    def __init__(
        self,
        *,
        feature_level: FeatureLevel | str = FeatureLevel.LEVEL_6_4,
        sequence_rule: Rule = "accumulate",
        use_gpu: bool = True,  # noqa: ARG002
        use_debug_layer: bool = False,  # noqa: ARG002
    ) -> None:
        self.feature_level = as_feature_level(feature_level)
        try:
            self.sequence_rule = checked_rule(sequence_rule)
        except DescriptorError as error:
            error.field = "sequence_rule"
            raise

    def create_operator(self, desc: OperatorDesc) -> Operator:
        """Return an operator, after checking its descriptor against this device.

        Parameters
        ----------
        desc : OperatorDesc
            Such as FillValueConstantOperatorDesc.

        Raises
        ------
        DescriptorError, DataTypeError, LayoutError
            The descriptor is refused, with E_INVALIDARG as its `hresult`. The message names the
            operator and the field.
        """
        if not isinstance(desc, OperatorDesc):
            raise DataTypeError(
                "needs an operator descriptor", given=f"{shown(desc)} ({type(desc).__name__})"
            )
        desc.check(self.feature_level)
        return Operator(self, desc)

    def compile_operator(
        self, operator: Operator, flags: ExecutionFlags = ExecutionFlags.NONE
    ) -> CompiledOperator:
        """Return a compiled operator, which can be called.

        Parameters
        ----------
        operator : Operator
            One of this device.
        flags : ExecutionFlags
            Kept; they do not change what the fills write.

        Raises
        ------
        DataTypeError, DescriptorError
            `operator` is none, or belongs to another device.
        """
        if not isinstance(operator, Operator):
            raise DataTypeError(
                "needs an operator from create_operator", given=type(operator).__name__
            )
        if operator.device is not self:
            raise DescriptorError(
                "needs an operator of this device", given="one of another", field="operator"
            )
        return CompiledOperator(operator, ExecutionFlags(flags))

    def __repr__(self) -> str:
        return f"Device(feature_level='{self.feature_level}', sequence_rule='{self.sequence_rule}')"


class Operator:
    """A checked descriptor on a device. It cannot be executed; compile it."""

    def __init__(self, device: Device, desc: OperatorDesc) -> None:
        self.device = device
        self.desc = desc

    def __repr__(self) -> str:
        return f"Operator({self.desc.operator_name})"


class CompiledOperator:
    """An operator that can be called, any number of times and from several threads.

    Attributes
    ----------
    operator : Operator
        What it was compiled from.
    flags : ExecutionFlags
        As given to `compile_operator`.
    plan : Plan
        What a call does, as data.
    """

    def __init__(self, operator: Operator, flags: ExecutionFlags) -> None:
        self.operator = operator
        self.flags = flags
        self.plan: Plan = operator.desc.plan(operator.device.sequence_rule)

    def __call__(self, *, out: Sequence[Any] | None = None) -> list[Any]:
        """Execute the operator.

        Parameters
        ----------
        out : sequence of array or buffer, optional
            One per output, written in place. An array of the output's data type and sizes is
            written where its own strides say; a contiguous buffer of bytes, of at least the
            output's total size, where the descriptor's strides say. New arrays by default.

        Returns
        -------
        list
            One array per output: the given ones, or new ones.

        Raises
        ------
        BindingError
            There is another number of outputs, or one does not fit.
        DataTypeError, LayoutError
            An output is no array, is read-only, or its elements share memory.
        """
        plan = self.plan
        if out is None:
            results: list[Any] = [cpu.new_output(tensor) for tensor in plan.outputs]
        elif isinstance(out, (list, tuple)) and len(out) == len(plan.outputs):
            results = list(out)
        else:
            given = f"{len(out)}" if isinstance(out, (list, tuple)) else type(out).__name__
            raise BindingError(
                f"needs a list of one array per output ({len(plan.outputs)})",
                given=given,
                field="out",
            )
        try:
            cpu.run(plan, results)
        except DirectMLError as error:
            raise error.within(self.operator.desc.operator_name) from None
        return results

    def __repr__(self) -> str:
        return f"CompiledOperator({self.operator.desc.operator_name})"
