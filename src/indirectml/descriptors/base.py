"""What all operator descriptors share: conversion of fields, checks, and the plan.

A descriptor class is made of an operator's definition and of the catalogue. Its fields are
DirectML's in Python's spelling, and everything else (field names in JSON, conversion of values,
checks against the catalogue) follows by rule.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

from indirectml.catalogue import FieldFacts, TensorSupport, operator_facts
from indirectml.catalogue.feature_levels import FeatureLevel, as_feature_level, tensor_support
from indirectml.catalogue.fused_activations import FusedActivation
from indirectml.core.data_types import TensorDataType
from indirectml.core.errors import DataTypeError, DescriptorError, DirectMLError, LayoutError
from indirectml.core.overlap import find_overlap
from indirectml.core.tensors import TensorDesc, TensorFlags
from indirectml.descriptors.definitions import (
    NEUTRAL,
    Definition,
    definition,
    fields_of,
    keyword_parameters,
    number_fields,
)
from indirectml.descriptors.fields import converted_field
from indirectml.plans import CopyStep, Draft, Node, Plan, PlanOptions, View
from indirectml.ranges import Ranges


class OperatorDesc:
    """The base of all operator descriptors: frozen dataclasses with DirectML's fields.

    Fields that hold the length of an array are left out: arrays are tuples, which know theirs.
    """

    #: DirectML's name without its prefix, such as "FILL_VALUE_CONSTANT".
    operator_name: ClassVar[str]

    #: What the operator computes. Older versions share it.
    definition: ClassVar[Definition]

    if TYPE_CHECKING:

        def __init__(self, *args: Any, **kwargs: Any) -> None: ...

    def __post_init__(self) -> None:
        """Convert every field by its type in the catalogue."""
        scalar_type: TensorDataType | None = None
        for name, facts in self._fields():
            given = getattr(self, name)
            if given.__class__ is TensorDesc and facts.type == "TENSOR_DESC" and not facts.array:
                continue
            try:
                value = converted_field(facts, given, scalar_type)
            except DirectMLError as error:
                if name in {"axis", "axes"} and isinstance(error, DescriptorError):
                    error.hint = self._axis_hint()
                raise error.within(name).within(self.operator_name) from None
            if facts.type == "TENSOR_DATA_TYPE":
                scalar_type = value
            object.__setattr__(self, name, value)
        for name, default in self.definition.defaults.items():
            if default == () == getattr(self, name, None) and name in NEUTRAL:
                spatial = len(self.tensors("input_tensor")[0][1].sizes_tuple) - 2  # type: ignore[union-attr]
                object.__setattr__(self, name, (NEUTRAL[name],) * spatial)

    def _axis_hint(self) -> str | None:
        """Return which axes there are; None if no tensor says."""
        counts = [
            len(tensor.sizes_tuple)
            for kind in ("input_tensor", "output_tensor")
            for _, tensor in self.tensors(kind)
            if tensor is not None
        ]
        return f"there are {counts[0]} dimensions, counted from 0" if counts else None

    @classmethod
    @functools.cache
    def _fields(cls) -> tuple[tuple[str, FieldFacts], ...]:
        """Return the fields' names in Python and their facts, in DirectML's order."""
        return fields_of(cls.operator_name)

    @classmethod
    @functools.cache
    def _fields_of(cls, kind: str) -> tuple[tuple[str, bool], ...]:
        """Return the names of the fields of one kind, and whether they are arrays."""
        return tuple((name, facts.array) for name, facts in cls._fields() if facts.kind == kind)

    @classmethod
    @functools.cache
    def _fields_by_name(cls) -> dict[str, tuple[str, FieldFacts]]:
        """Return the same by DirectML's names."""
        return {facts.name: (name, facts) for name, facts in cls._fields()}

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
        for name, is_array in self._fields_of(kind):
            value = getattr(self, name)
            if is_array:
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
            support = tensor_support(self.operator_name, level, self._variant())
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
        all_facts = self._fields_by_name()
        for properties, fields in operator_facts(self.operator_name).same:
            tensors = [pair for f in fields for pair in self._tensors_of(*all_facts[f])]
            every = [(t.data_type, t.sizes_tuple) for _, t in tensors]
            if not every or every.count(every[0]) == len(every):
                continue
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
        if facts.type != "TENSOR_DESC":
            return
        value = getattr(self, name)
        if facts.array:
            yield from ((f"{name}[{k}]", t) for k, t in enumerate(value) if t is not None)
        elif value is not None:
            yield name, value

    def _fusion_mistakes(self, level: FeatureLevel) -> Iterator[DirectMLError]:
        for name, facts in self._fields():
            if facts.type != "OPERATOR_DESC":
                continue
            value = getattr(self, name)
            fused = enumerate(value) if facts.array else [(None, value)]
            for number, activation in fused:
                if activation is not None:
                    place = name if number is None else f"{name}[{number}]"
                    for mistake in self._activation_mistakes(activation, level):
                        yield mistake.within(place)

    def _activation_mistakes(
        self, fused: FusedActivation, level: FeatureLevel
    ) -> Iterator[DirectMLError]:
        name = fused.activation.name
        fusion = operator_facts(name).fusion
        if fusion is None or self.operator_name not in (fusion.by or (self.operator_name,)):
            yield DescriptorError(
                f"needs an activation that may be fused into {self.operator_name}",
                given=name,
                hint="apply it to the output",
            )
            return
        if as_feature_level(fusion.since) > level:
            yield DescriptorError(
                f"{name} is fused into {self.operator_name} from feature level {fusion.since}",
                given=f"a device of level {level}",
            )
        attributes = [f for f in fields_of(name) if f[1].kind == "attribute"]
        unsaid = [
            field for field, facts in attributes if facts.type != "FLOAT" and not facts.optional
        ]
        if unsaid:
            yield DescriptorError(
                f"needs an activation whose fields are numbers; {name} has {', '.join(unsaid)}",
                hint="apply it to the output",
            )
            return
        try:
            check = definition(name).check
            if check is not None:
                # The activation by itself, in place on the output.
                output = next(t for _, t in self.tensors("output_tensor") if t is not None)
                numbers = zip(number_fields(name), (fused.param_1, fused.param_2), strict=False)
                fields = {"input_tensor": output, "output_tensor": output, **dict(numbers)}
                yield from check(SimpleNamespace(**fields)) or ()
        except DirectMLError as error:
            yield error

    def _variant(self) -> str | None:
        """Return the name under which the catalogue has the data types of this function, if any."""
        several = operator_facts(self.operator_name).support_by_function
        return self.function.name if several else None  # type: ignore[attr-defined]

    def _field_mistakes(self) -> Iterator[DirectMLError]:
        try:
            for first, other, count, given in self._unequal_arrays():
                yield DescriptorError(
                    f"needs as many as {first}, {count}", given=f"{given}", field=other
                )
                return
            check = self.definition.check
            if check is not None:
                is_right = True
                for mistake in check(self) or ():
                    is_right = False
                    yield mistake
                if not is_right:
                    return  # sizes may not follow from wrong fields: strides of 0
            yield from self._size_mistakes()
        except DirectMLError as error:
            yield error

    def _unequal_arrays(self) -> Iterator[tuple[str, str, int, int]]:
        """Yield arrays whose lengths one field counts, and that differ."""
        groups: dict[str, list[str]] = {}
        for name, facts in self._fields():
            if facts.array and facts.count_field is not None:
                groups.setdefault(facts.count_field, []).append(name)
        for names in groups.values():
            for first, other in pairwise(names):
                lengths = len(getattr(self, first)), len(getattr(self, other))
                if lengths[0] != lengths[1]:
                    yield (first, other, *lengths)

    def _size_mistakes(self) -> Iterator[DirectMLError]:
        """Yield outputs whose sizes are not those that follow from inputs and fields."""
        rule = self.definition.sizes
        if rule is None:
            return
        for (place, tensor), expected in zip(
            self.tensors("output_tensor"), self.output_sizes(), strict=False
        ):
            if tensor is not None and expected is not None and tensor.sizes != list(expected):
                why = (rule.__doc__ or "").strip().splitlines()[0].rstrip(".")
                yield DescriptorError(
                    f"needs {list(expected)}: {why[0].lower()}{why[1:]}",
                    given=f"{tensor.sizes}",
                    field=f"{place}.sizes",
                )

    def output_sizes(self) -> tuple[Any, ...]:
        """Return the sizes of the outputs as they follow from inputs and fields.

        Returns
        -------
        tuple
            One per output of the operator, in the order of its structure.
        """
        shapes = [None if t is None else t.sizes_tuple for _, t in self.tensors("input_tensor")]
        found = inferred_sizes(self.definition, shapes, lambda name: getattr(self, name))
        names = [name for name, facts in self._fields() if facts.kind == "output_tensor"]
        by_name = dict(zip(self.definition.output_names, found, strict=False))
        return tuple(by_name.get(name) for name in names)

    def draft(self, options: PlanOptions) -> Draft:
        """Return the operator as a plan of its own, in terms of itself."""
        inputs = tuple(tensor for _, tensor in self.tensors("input_tensor"))
        outputs = tuple(tensor for _, tensor in self.tensors("output_tensor"))
        persistent = Ranges(len(inputs) + len(outputs) + 1)
        read = [None if t is None else View.of(k, t) for k, t in enumerate(inputs)]
        copies = []
        for k, view in enumerate(read):
            tensor = inputs[k]
            if view is not None and tensor is not None and tensor.flags & TensorFlags.OWNED_BY_DML:
                kept = read[k] = persistent.add(tensor)
                copies.append(CopyStep(view, kept))
        written = [
            None if t is None else View.of(k, t) for k, t in enumerate(outputs, start=len(inputs))
        ]
        node = Node(self, self.operator_name, tuple(read), tuple(written))
        plan = Plan(inputs, outputs, (), tuple(copies), 0, persistent.size)
        return Draft(plan, (node,), options)

    @property
    def packed(self) -> OperatorDesc:
        """The same operator on tensors without strides."""

        def without_strides(tensor: Any) -> Any:
            if isinstance(tensor, tuple):
                return tuple(map(without_strides, tensor))
            if tensor is None or tensor.strides_tuple is None or tensor.is_in_halves:
                return tensor
            return TensorDesc(tensor.data_type, tensor.sizes_tuple, flags=tensor.flags)

        tensors = (name for name, facts in self._fields() if facts.type == "TENSOR_DESC")
        given = {name: getattr(self, name) for name in tensors}
        packed = {name: without_strides(tensor) for name, tensor in given.items()}
        if packed == given:
            return self
        return self.with_fields(packed)

    def with_fields(self, given: Mapping[str, Any]) -> OperatorDesc:
        """Return the same operator with some fields replaced."""
        return type(self)(**{name: getattr(self, name) for name, _ in self._fields()} | dict(given))

    @property
    def is_arithmetic(self) -> bool:
        """Whether something is computed, or elements are moved and keep every bit.

        What is computed is computed in FLOAT32 for FLOAT16, rounded once, and NaNs are all alike.
        """
        keeps = self.definition.keeps_bits
        return not (keeps(self) if callable(keeps) else keeps)

    @property
    def moved_outputs(self) -> frozenset[int]:
        """The numbers of the outputs whose elements are moved, whatever is computed for others."""
        moved = self.definition.moved
        names = [name for name, _ in self.tensors("output_tensor")] if moved else ()
        return frozenset(number for number, name in enumerate(names) if name in moved)


def inferred_sizes(
    definition: Definition, shapes: list[Any], value: Callable[[str], Any]
) -> tuple[Any, ...]:
    """Return the sizes of an operator's outputs by its definition, one per output.

    Parameters
    ----------
    definition : Definition
        With or without a rule for sizes; without one they are those of the first input.
    shapes : list of tuple of int, or None
        Of the inputs; a tuple of such tuples for an array of tensors counts as many.
    value : callable
        From the name of a field to its value.
    """
    rule = definition.sizes
    if rule is None:
        return (shapes[0],) * len(definition.output_names)
    fields = {}
    for name, default in keyword_parameters(rule).items():
        try:
            fields[name] = value(name)
        except (AttributeError, KeyError):
            # An older version has no such field.
            fields[name] = default
    found = rule(*shapes, **fields)
    is_one = not found or isinstance(found[0], int)
    return (found,) * len(definition.output_names) if is_one else found


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
