"""What all operator descriptors share: names made by rule, conversion, checks, and the plan.

A descriptor is a frozen dataclass in `operators/`. Its class name and its fields are DirectML's in
Python's spelling, and everything else (operator name, field names in JSON, conversion of values,
checks against the catalogue) follows by rule.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

from indirectml.catalogue import FieldFacts, TensorSupport, operator_facts
from indirectml.catalogue.feature_levels import FeatureLevel, as_feature_level, tensor_support
from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DataTypeError, DescriptorError, DirectMLError, LayoutError
from indirectml.core.overlap import find_overlap
from indirectml.core.tensors import TensorDesc, TensorFlags
from indirectml.descriptors.fields import converted_field
from indirectml.plans import ComputeStep, CopyStep, FillStep, Plan, PlanOptions, Ranges, View

#: Words that DirectML writes in capitals.
_ACRONYMS = {"roi"}


def camel_case(name: str) -> str:
    """Return DirectML's spelling of a field: "value_start" becomes "ValueStart"."""
    return "".join(p.upper() if p in _ACRONYMS else p.capitalize() for p in name.split("_"))


def snake_case(name: str) -> str:
    """Return Python's spelling of a field; `camel_case` is the way back.

    Examples
    --------
    >>> snake_case("ScaleBias"), snake_case("ATensor"), snake_case("ROITensor")
    ('scale_bias', 'a_tensor', 'roi_tensor')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


class OperatorDesc:
    """The base of all operator descriptors: frozen dataclasses with DirectML's fields.

    Fields that hold the length of an array are left out: arrays are tuples, which know theirs.
    """

    #: DirectML's name without its prefix, such as "FILL_VALUE_CONSTANT".
    operator_name: ClassVar[str]

    #: Whether something is computed: then FLOAT16 is computed in FLOAT32, results are rounded once,
    #: and NaNs are all alike. Operators that move elements say no, and keep every bit.
    is_arithmetic: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.operator_name = snake_case(cls.__name__.removesuffix("OperatorDesc")).upper()

    def __post_init__(self) -> None:
        """Convert every field by its type in the catalogue."""
        scalar_type: TensorDataType | None = None
        for name, facts in self._fields():
            try:
                value = converted_field(facts, getattr(self, name), scalar_type)
            except DirectMLError as error:
                raise error.within(name).within(self.operator_name) from None
            if facts.type == "TENSOR_DATA_TYPE":
                scalar_type = value
            object.__setattr__(self, name, value)

    @classmethod
    @functools.cache
    def _fields(cls) -> tuple[tuple[str, FieldFacts], ...]:
        """Return the fields' names in Python and their facts, in the order of declaration."""
        facts = {snake_case(f.name): f for f in operator_facts(cls.operator_name).fields}
        fields = dataclasses.fields(cls)  # type: ignore[arg-type]
        return tuple((field.name, facts[field.name]) for field in fields)

    @classmethod
    def output_fields(cls) -> tuple[str, ...]:
        """Return the names of the fields that describe outputs, in order."""
        facts = operator_facts(cls.operator_name)
        return tuple(snake_case(f.name) for f in facts.fields if f.kind == "output_tensor")

    def tensors(self, kind: str) -> list[tuple[str, TensorDesc | None]]:
        """Return the names and tensors of one kind, in the order in which they are bound.

        Parameters
        ----------
        kind : {"input_tensor", "output_tensor"}
            What is asked for.

        Returns
        -------
        list of (str, TensorDesc or None)
            Elements of an array have names such as "input_tensors[1]"; optional tensors that are
            left out are None.
        """
        found: list[tuple[str, TensorDesc | None]] = []
        for name, facts in self._fields():
            if facts.kind != kind:
                continue
            value = getattr(self, name)
            if facts.array:
                found += [(f"{name}[{k}]", tensor) for k, tensor in enumerate(value)]
            else:
                found.append((name, value))
        return found

    def check(self, level: FeatureLevel) -> None:
        """Check everything that holds for a device of a feature level.

        Raises
        ------
        DescriptorError, DataTypeError, LayoutError
            A field is refused; the message names operator and field. The first of `mistakes`.
        """
        for error in self.mistakes(level):
            raise error

    def mistakes(self, level: FeatureLevel) -> list[DirectMLError]:
        """Return everything that a device of a feature level refuses; `check` raises the first."""
        try:
            support = tensor_support(self.operator_name, level, self.function_name())
        except DirectMLError as error:
            return [error.within(self.operator_name)]
        # What a mistake was found in is not compared with anything else.
        found = {mistake.field: mistake for mistake in self._tensor_mistakes(support, level)}
        for place, other, mistake in self._unequal_tensors():
            if place not in found and other not in found:
                found[place] = mistake
        mistakes = [*found.values(), *self._fusion_mistakes(level)]
        if not any(field and field.endswith(".sizes") for field in found):
            mistakes += self._field_mistakes()
        return [mistake.within(self.operator_name) for mistake in mistakes]

    def _tensor_mistakes(
        self, support: dict[str, TensorSupport], level: FeatureLevel
    ) -> Iterator[DirectMLError]:
        """Yield what is wrong with single tensors."""
        for name, facts in self._fields():
            for place, tensor in self._tensors_of(name, facts):
                for error in _support_mistakes(tensor, support[facts.name], level):
                    yield error.within(place)
                if facts.kind == "output_tensor":
                    for error in _output_mistakes(tensor):
                        yield error.within(place)

    def _unequal_tensors(self) -> Iterator[tuple[str, str, DirectMLError]]:
        """Yield two fields of tensors that have to be equal and are not, and what to say then."""
        all_facts = {facts.name: (name, facts) for name, facts in self._fields()}
        for properties, fields in operator_facts(self.operator_name).same:
            tensors = [pair for f in fields for pair in self._tensors_of(*all_facts[f])]
            for place, tensor in tensors[1:]:
                for what in properties:
                    noun, field, read = _PROPERTIES[what]
                    first_place, first = tensors[0]
                    if read(first) != read(tensor):
                        error = DescriptorError(
                            f"needs the {noun} of {first_place}, {read(first)}",
                            given=f"{read(tensor)}",
                            field=f"{place}.{field}",
                        )
                        yield f"{place}.{field}", f"{first_place}.{field}", error

    def _tensors_of(self, name: str, facts: FieldFacts) -> Iterator[tuple[str, TensorDesc]]:
        if facts.type == "TENSOR_DESC":
            yield from (
                (place, tensor)
                for place, tensor in self.tensors(facts.kind)
                if tensor is not None and place.partition("[")[0] == name
            )

    def _fusion_mistakes(self, level: FeatureLevel) -> Iterator[DirectMLError]:
        for name, facts in self._fields():
            fused = getattr(self, name) if facts.type == "OPERATOR_DESC" else None
            if fused is None:
                continue
            activation = fused.activation.name
            fusion = operator_facts(activation).fusion
            if fusion is None or self.operator_name not in (fusion.by or (self.operator_name,)):
                yield DescriptorError(
                    f"needs an activation that may be fused into {self.operator_name}",
                    given=activation,
                    hint="apply it to the output",
                    field=name,
                )
            elif as_feature_level(fusion.since) > level:
                yield DescriptorError(
                    f"{activation} is fused into {self.operator_name} from feature level "
                    f"{fusion.since}",
                    given=f"a device of level {level}",
                    field=name,
                )

    def _field_mistakes(self) -> Iterator[DirectMLError]:
        try:
            yield from self.check_fields() or ()
        except DirectMLError as error:
            yield error

    def function_name(self) -> str | None:
        """Return which function this is, for an operator that is several; operators override it."""
        return None

    def check_fields(self) -> Iterable[DirectMLError] | None:
        """Check what this operator requires of its fields together; operators override it.

        A mistake is raised where nothing can be checked after it, and yielded where more can be.
        """

    def plan(self, options: PlanOptions) -> Plan:
        """Return what the operator compiles to on its own."""
        inputs = tuple(tensor for _, tensor in self.tensors("input_tensor"))
        outputs = tuple(tensor for _, tensor in self.tensors("output_tensor"))
        persistent = Ranges(len(inputs) + len(outputs) + 1)
        read = [None if t is None else View(k, t) for k, t in enumerate(inputs)]
        copies = []
        for k, view in enumerate(read):
            if view is not None and view.tensor.flags & TensorFlags.OWNED_BY_DML:
                kept = read[k] = persistent.add(view.tensor)
                copies.append(CopyStep(view, kept))
        written = [
            None if t is None else View(k, t) for k, t in enumerate(outputs, start=len(inputs))
        ]
        step = self.step(tuple(read), tuple(written), options)
        return Plan(inputs, outputs, (step,), tuple(copies), 0, persistent.size)

    def step(
        self,
        inputs: tuple[View | None, ...],
        outputs: tuple[View | None, ...],
        options: PlanOptions,  # noqa: ARG002 (fills need the rule)
    ) -> FillStep | ComputeStep:
        """Return the step of a plan that does this operator's work on views.

        Views stand in the order of the tensors, with None for optional ones that are left out.
        """
        return ComputeStep(self.operator_name, self, inputs, outputs, self.is_arithmetic)


#: The properties that tensors may have in common: noun, field, and how it is read.
_PROPERTIES: dict[str, tuple[str, str, Callable[[TensorDesc], Any]]] = {
    "DataType": ("data type", "data_type", lambda tensor: tensor.data_type.name),
    "DimensionCount": ("dimension count", "sizes", lambda tensor: len(tensor.sizes_tuple)),
    "Sizes": ("sizes", "sizes", lambda tensor: tensor.sizes),
}


def _support_mistakes(
    tensor: TensorDesc, support: TensorSupport, level: FeatureLevel
) -> Iterator[DirectMLError]:
    low, high = support.minimum_dimension_count, support.maximum_dimension_count
    count = len(tensor.sizes)
    if not low <= count <= high:
        allowed = f"{low}" if low == high else f"{low} to {high}"
        yield DescriptorError(
            f"needs {allowed} dimensions at feature level {level}",
            given=f"{count} {tensor.sizes}",
            field="sizes",
        )
    if support.data_types is not None and tensor.data_type not in support.data_types:
        names = ", ".join(t.name for t in support.data_types)
        yield DataTypeError(
            f"needs one of {names} at feature level {level}",
            given=tensor.data_type.name,
            field="data_type",
        )


def _output_mistakes(tensor: TensorDesc) -> Iterator[DirectMLError]:
    if tensor.flags & TensorFlags.OWNED_BY_DML:
        yield DescriptorError(
            "needs TensorFlags.NONE, since only inputs may be owned by DirectML",
            given="OWNED_BY_DML",
            field="flags",
        )
    try:
        pair = None if tensor.strides is None else find_overlap(tensor.sizes, tensor.strides)
    except LayoutError as error:
        yield error.within("strides")
        return
    if pair is not None:
        yield LayoutError(
            "needs strides under which no two elements of an output share memory",
            given=f"{tensor.strides} for sizes {tensor.sizes}, where {pair[0]} and {pair[1]} do",
            field="strides",
        )


def caught(check: Callable[..., None], *arguments: Any) -> Iterator[DirectMLError]:
    """Yield what a check raises."""
    try:
        check(*arguments)
    except DirectMLError as error:
        yield error


def check_value_data_type(
    value_data_type: TensorDataType,
    tensor: TensorDesc,
    *,
    field: str = "value_data_type",
    of: str = "output",
) -> None:
    """Check that scalars of an operator have the data type of its tensor.

    Raises
    ------
    DescriptorError
        They differ.
    """
    if value_data_type is not tensor.data_type:
        raise DescriptorError(
            f"needs the data type of the {of} tensor, {tensor.data_type.name}",
            given=value_data_type.name,
            field=field,
        )


def check_axis(axis: int, tensor: TensorDesc, field: str = "axis") -> None:
    """Check that an axis is one of a tensor's dimensions.

    Raises
    ------
    DescriptorError
        It is not.
    """
    if axis >= len(tensor.sizes_tuple):
        raise DescriptorError(
            f"needs one of the {len(tensor.sizes_tuple)} dimensions, counted from 0",
            given=f"{axis}",
            field=field,
        )
