"""The device, which makes everything else."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from indirectml.catalogue.enumerations import ExecutionFlags, Feature
from indirectml.catalogue.feature_levels import FeatureLevel, as_feature_level
from indirectml.core.collecting import without_collector
from indirectml.core.data_types import TensorDataType, as_data_type
from indirectml.core.errors import DataTypeError, DescriptorError, DeviceUnavailableError, shown
from indirectml.descriptors.base import OperatorDesc
from indirectml.fills.sequences import Rule, checked_rule
from indirectml.passes.flow import placed
from indirectml.passes.initializing import initialized
from indirectml.passes.lowering import lowered
from indirectml.passes.parts import Former
from indirectml.passes.sharing import check_order, shared
from indirectml.plans import Draft, Plan, PlanOptions
from indirectml.runtime.binding import BindingTable, check_child
from indirectml.runtime.dispatchables import (
    CompiledOperator,
    Dispatchable,
    Operator,
    OperatorInitializer,
)
from indirectml.runtime.recording import CommandRecorder
from indirectml.runtime.removal import RemovableDevice

if TYPE_CHECKING:
    from indirectml.graphs.graph_descs import ConstantNode, GraphDesc

#: The lowest feature level at which a data type other than the first ones may be asked for.
_DATA_TYPES_SINCE = {
    TensorDataType.FLOAT64: FeatureLevel.LEVEL_3_0,
    TensorDataType.UINT64: FeatureLevel.LEVEL_3_0,
    TensorDataType.INT64: FeatureLevel.LEVEL_3_0,
}


#: How many descriptors are known to have been checked.
_MOST_CHECKED = 4096


class Device(RemovableDevice):
    """A device of a feature level, which creates and compiles operators.

    Parameters
    ----------
    name : str
        What runs it: a file in `devices/`. All of them give the same bits.
    feature_level : FeatureLevel or str
        What operators may ask for, such as "2_1". The highest by default.
    sequence_rule : {"accumulate", "multiply"}, optional
        How this device defines element i of FILL_VALUE_SEQUENCE; see `fill_sequence`. By default
        "accumulate", or what `like` says.
    like : {"directml"}, optional
        Follow what DirectML does today wherever that differs from its specification: the rule
        "multiply". Nothing else differs as far as it has been published.
    use_gpu, use_debug_layer : bool
        Accepted for scripts written for the `directml` package, without effect. Every check is made
        at all times.

    Raises
    ------
    DeviceUnavailableError
        There is no device of this name, or this machine lacks something for it.
    DescriptorError
        There is no such feature level, rule or `like`.

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
        name: str = "cpu",
        *,
        feature_level: FeatureLevel | str = FeatureLevel.LEVEL_6_4,
        sequence_rule: Rule | None = None,
        like: Literal["directml"] | None = None,
        use_gpu: bool = True,  # noqa: ARG002
        use_debug_layer: bool = False,  # noqa: ARG002
    ) -> None:
        super().__init__(name)
        self.feature_level = as_feature_level(feature_level)
        if like not in {None, "directml"}:
            raise DescriptorError('needs "directml" or None', given=shown(like), field="like")
        usual: Rule = "accumulate" if like is None else "multiply"
        try:
            self.sequence_rule = checked_rule(usual if sequence_rule is None else sequence_rule)
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
        DeviceLostError
            The device was removed.
        """
        self.require()
        if not isinstance(desc, OperatorDesc):
            raise DataTypeError(
                "needs an operator descriptor", given=f"{shown(desc)} ({type(desc).__name__})"
            )
        _check(desc, self.feature_level)
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
            None of them changes a bit. ALLOW_HALF_PRECISION_COMPUTATION is a permission that is
            not used: FLOAT16 is computed in FLOAT32 or wider, and rounded once.

        Raises
        ------
        DataTypeError, DescriptorError
            `operator` is none, or belongs to another device.
        DeviceUnavailableError
            The device does not run this operator.
        DeviceLostError
            The device was removed.
        """
        self.require()
        if not isinstance(operator, Operator):
            raise DataTypeError(
                "needs an operator from create_operator", given=type(operator).__name__
            )
        if operator.device is not self:
            raise DescriptorError(
                "needs an operator of this device", given="one of another", field="operator"
            )
        desc, flags = operator.desc, _execution_flags(flags)
        options = PlanOptions(self.sequence_rule, flags)
        plan = self._planned(desc.draft(options), desc.operator_name, Former())
        packed = desc.packed
        if packed is not desc and not plan.reads_whole_tensors:
            of_packed = self._planned(packed.draft(options), desc.operator_name, Former())
            plan = replace(plan, of_packed=of_packed)
        return CompiledOperator(self, desc.operator_name, plan, flags, operator)

    @without_collector()
    def compile_graph(
        self,
        desc: GraphDesc,
        flags: ExecutionFlags = ExecutionFlags.NONE,
        *,
        shares: Mapping[int, int] | None = None,
        former: Former | None = None,
    ) -> Dispatchable:
        """Return a compiled graph, to be initialized, bound and recorded like an operator.

        Parameters
        ----------
        desc : GraphDesc
            Operators of this device, and how they are connected.
        flags : ExecutionFlags
            As for `compile_operator`.
        shares : dict, optional
            From outputs to inputs, by their indices, that begin at the same byte: what is written
            to such an output lies on the input. What reads the input comes before.
        former : Former, optional
            What the last plan of the graph left, in other sizes: what is alike is taken again. It
            is given what this one leaves.

        Raises
        ------
        DataTypeError, DescriptorError
            The graph breaks a rule; see `GraphDesc`.
        BindingError
            An input of `shares` is read after its output is written.
        DeviceUnavailableError
            The device does not run an operator of it.
        DeviceLostError
            The device was removed.
        """
        self.require()
        if not isinstance(desc, _graph_descs().GraphDesc):
            raise DataTypeError("needs a GraphDesc", given=type(desc).__name__, field="desc")
        if not isinstance(desc.nodes, list | tuple):
            raise DataTypeError(
                "needs a list of operators", given=shown(desc.nodes), field="GRAPH.nodes"
            )
        nodes = [
            node.desc
            if isinstance(node, Operator) and node.device is self
            else self._node(node, number)
            for number, node in enumerate(desc.nodes)
        ]
        flags = _execution_flags(flags)
        options = PlanOptions(self.sequence_rule, flags)
        former = former or Former()
        draft = _compilation().compile_plan(desc, nodes, options, former)
        first = len(draft.plan.inputs)
        on_inputs = {first + output: given for output, given in (shares or {}).items()}
        plan = self._planned(draft, "GRAPH", former, on_inputs)
        check_order(plan, on_inputs)
        return Dispatchable(self, "GRAPH", plan, flags, desc, shares)

    def _planned(
        self,
        draft: Draft,
        place: str,
        former: Former,
        shares: Mapping[int, int] | None = None,
    ) -> Plan:
        """Return a plan as the device carries it out, its memory placed.

        `shares` is that of a graph: it is initialized before it is called, unlike an operator.
        """
        plan = lowered(draft, former)
        kept = {len(plan.inputs) + output: len(plan.inputs) + output for output in plan.kept}
        if shares or kept:
            plan = shared(plan, {**kept, **(shares or {})})
        self._check_steps(plan, place)
        plan = self.implementation.prepared(plan, former)
        return placed(plan if shares is None else initialized(plan), former)

    def _check_steps(self, plan: Plan, place: str) -> None:
        """Check that the device runs all steps of a plan."""
        refusal = self.implementation.refusal
        for step in (*plan.initial_steps, *plan.steps):
            reason = refusal(step)
            if reason is not None:
                raise DeviceUnavailableError(
                    f"device {self.name!r} does not run {reason}",
                    hint="Device() runs everything",
                    field=place,
                )

    def _node(self, node: Any, number: int) -> ConstantNode:
        """Return a node that is no operator of this device: a constant, or refused."""
        if isinstance(node, _graph_descs().ConstantNode):
            if self.feature_level < FeatureLevel.LEVEL_6_2:
                raise DescriptorError(
                    "a constant node needs feature level 6_2",
                    given=f"a device of level {self.feature_level}",
                    field=f"nodes[{number}]",
                )
            constant: ConstantNode = node
            return constant
        raise DescriptorError(
            "needs an operator of this device, or a ConstantNode",
            given=shown(node),
            field=f"nodes[{number}]",
        )

    def create_operator_initializer(
        self, operators: Sequence[Dispatchable] = ()
    ) -> OperatorInitializer:
        """Return what initializes compiled operators and graphs.

        Raises
        ------
        DeviceLostError
            The device was removed, or is now: an operator belongs to another one.
        """
        self.require()
        place = "Device.create_operator_initializer"
        if not isinstance(operators, list | tuple):
            raise DataTypeError(
                "needs a list of compiled operators",
                given=f"{shown(operators)} ({type(operators).__name__})",
                field=place,
            )
        for operator in operators:
            check_child(self, operator, Dispatchable, place)
        return OperatorInitializer(self, operators)

    def create_binding_table(self, dispatchable: Dispatchable | None = None) -> BindingTable:
        """Return a binding table for a dispatchable, or an empty one to `reset` later.

        Raises
        ------
        DeviceLostError
            The device was removed, or is now: `dispatchable` belongs to another one.
        """
        self.require()
        if dispatchable is not None:
            check_child(self, dispatchable, Dispatchable, "Device.create_binding_table")
        return BindingTable(self, dispatchable)

    def create_command_recorder(self) -> CommandRecorder:
        """Return a command recorder.

        Raises
        ------
        DeviceLostError
            The device was removed.
        """
        self.require()
        return CommandRecorder(self)

    def check_feature_support(self, feature: Feature, query: Any) -> bool | FeatureLevel:
        """Return what the device supports.

        Parameters
        ----------
        feature : Feature
            What is asked about.
        query : TensorDataType, NumPy dtype, or sequence of FeatureLevel or str
            A data type for TENSOR_DATA_TYPE_SUPPORT; feature levels for FEATURE_LEVELS.

        Returns
        -------
        bool or FeatureLevel
            Whether the data type is supported; the highest of the levels that is.

        Raises
        ------
        DeviceUnavailableError
            There is no such feature, or none of the levels is supported.
        DataTypeError, DescriptorError
            The query is not what the feature takes.
        DeviceLostError
            The device was removed.
        """
        self.require()
        if not isinstance(feature, int):
            raise DeviceUnavailableError(
                "needs a member of Feature", given=shown(feature), field="feature"
            )
        if feature == Feature.TENSOR_DATA_TYPE_SUPPORT:
            data_type = as_data_type(query)
            since = _DATA_TYPES_SINCE.get(data_type, FeatureLevel.LEVEL_1_0)
            return data_type.dtype is not None and since <= self.feature_level
        if feature != Feature.FEATURE_LEVELS:
            raise DeviceUnavailableError(
                "needs a member of Feature", given=shown(feature), field="feature"
            )
        if not isinstance(query, Iterable) or isinstance(query, str):
            raise DataTypeError(
                "needs a sequence of feature levels", given=shown(query), field="query"
            )
        asked = [as_feature_level(level) for level in query]
        supported = [level for level in asked if level <= self.feature_level]
        if not supported:
            raise DeviceUnavailableError(
                f"the device has feature level {self.feature_level}",
                given=", ".join(map(str, asked)) or "no levels",
                field="query",
            )
        return max(supported)

    def __repr__(self) -> str:
        return (
            f"Device({self.name!r}, feature_level='{self.feature_level}', "
            f"sequence_rule='{self.sequence_rule}')"
        )


@functools.lru_cache(maxsize=_MOST_CHECKED)
def _check(desc: OperatorDesc, level: FeatureLevel) -> None:
    """Check a descriptor, once: networks have equal layers. What is refused is not remembered."""
    desc.check(level)


def _execution_flags(flags: ExecutionFlags) -> ExecutionFlags:
    try:
        return ExecutionFlags(flags)
    except (TypeError, ValueError):
        raise DataTypeError(
            "needs ExecutionFlags", given=f"{shown(flags)} ({type(flags).__name__})", field="flags"
        ) from None


def _graph_descs() -> ModuleType:
    """Import what only graphs need when there is one."""
    return importlib.import_module("indirectml.graphs.graph_descs")


def _compilation() -> ModuleType:
    """Import what makes plans of graphs likewise."""
    return importlib.import_module("indirectml.graphs.compilation")
