"""Gathering and scattering element by element, with indices inside, negative and out of range."""

import itertools

import numpy as np
import pytest

import indirectml as dml
from indirectml.operators import descriptor_class
from tests.operators.families import Trial, of_field, places, run_oracle
from tests.operators.oracle import refused, supported

ORACLES = {}


def index_type(place, number=0):
    """Return a data type of indices, another one at each place."""
    data_types = list(supported(place.name, "IndicesTensor")[0])
    return data_types[(place.seed + number) % len(data_types)]


def index_numbers(data_type, size):
    """Return indices: all inside, as many from the end, and some beyond, up to the limits."""
    limits = np.iinfo(data_type.dtype)
    inside = [*range(size)] * 3
    beyond = [size, size + 3, limits.max, limits.max // 2 + 1]
    negative = [*range(-size, 0), -size - 1, limits.min, limits.min + 1] if limits.min else []
    return np.array(inside + beyond + negative, data_type.dtype)


def position(index, size):
    """Return where an index lies along an axis, or a position outside."""
    index = int(index)
    return index + size if index < 0 else index


def clamped(index, size):
    return min(max(position(index, size), 0), size - 1)


def leading_ones(sizes, rank):
    return (1,) * (rank - len(sizes)) + tuple(sizes)


def gathered(place):
    """Yield one trial for each count of index dimensions that the rank has room for."""
    for number, own in enumerate([(), (7,), (2, 3), (2, 1, 3)]):
        extra = max(len(own) - 1, 0)
        if len(own) > place.rank or extra >= place.rank:
            continue
        sizes = (1,) * extra + place.sizes[extra:]
        for axis in {extra, place.rank - 1, (extra + place.rank) // 2}:
            before, behind = sizes[extra:axis], sizes[axis + 1 :]
            data_type = index_type(place, number)

            def apply(x, indices, own=own, before=before, behind=behind, axis=axis, extra=extra):
                x, indices = x.reshape(x.shape[extra:]), indices.reshape(own)
                result = np.empty(before + own + behind, x.dtype)
                for a in np.ndindex(*before):
                    for i in np.ndindex(*own):
                        at = clamped(indices[i], x.shape[axis - extra])
                        for b in np.ndindex(*behind):
                            result[a + i + b] = x[(*a, at, *b)]
                return result.reshape(leading_ones(result.shape, place.rank))

            desc = place.desc(
                input_tensor=place.tensor(sizes),
                indices_tensor=place.tensor(leading_ones(own, place.rank), data_type),
                output_tensor=place.output(leading_ones(before + own + behind, place.rank)),
                axis=axis,
                index_dimensions=len(own),
            )
            yield Trial(desc, apply, [None, index_numbers(data_type, sizes[axis])])


ORACLES["GATHER"] = gathered


def axes_and_indices(place):
    """Yield an axis, the sizes of indices, which are smaller elsewhere, and their data type."""
    for number, axis in enumerate({0, place.rank // 2, place.rank - 1}):
        sizes = [4 if k == axis else max(size - number, 1) for k, size in enumerate(place.sizes)]
        yield axis, sizes, index_type(place, number)


def gathered_elements(place):
    for axis, sizes, data_type in axes_and_indices(place):

        def apply(x, indices, axis=axis):
            result = np.empty(indices.shape, x.dtype)
            for at in np.ndindex(*indices.shape):
                source = list(at)
                source[axis] = clamped(indices[at], x.shape[axis])
                result[at] = x[tuple(source)]
            return result

        desc = place.desc(
            input_tensor=place.tensor(),
            indices_tensor=place.tensor(sizes, data_type),
            output_tensor=place.output(sizes),
            axis=axis,
        )
        yield Trial(desc, apply, [None, index_numbers(data_type, place.sizes[axis])])


ORACLES["GATHER_ELEMENTS"] = gathered_elements


def scattered_elements(place):
    """Yield trials; the last update in row-major order stays, what lies outside is left out."""
    for axis, sizes, data_type in axes_and_indices(place):

        def apply(x, indices, updates, axis=axis):
            result = x.copy()
            for at in np.ndindex(*indices.shape):
                target = list(at)
                target[axis] = position(indices[at], x.shape[axis])
                if 0 <= target[axis] < x.shape[axis]:
                    result[tuple(target)] = updates[at]
            return result

        desc = place.desc(
            input_tensor=place.tensor(),
            indices_tensor=place.tensor(sizes, data_type),
            updates_tensor=place.tensor(sizes),
            output_tensor=place.output(),
            axis=axis,
        )
        yield Trial(desc, apply, [None, index_numbers(data_type, place.sizes[axis]), None])


ORACLES["SCATTER"] = scattered_elements


def tuples(place):
    """Yield sizes of inputs and of tuples of coordinates, and how many dimensions are a batch."""
    rank = place.rank
    inputs = [(5,), (3, 4), (2, 3, 4), (2, 3, 1, 4)]
    for x, count in itertools.product(inputs, (1, 2, 3)):
        for batch in (0, 1) if place.name == "GATHER_ND1" else (0,):
            own = (*x[:batch], 5, count) if (len(x) + count) % 2 else (*x[:batch], count)
            needed = len(own) - 1 + len(x) - batch - count
            fits = max(len(x), len(own), needed) <= rank and count <= len(x) - batch
            if fits and batch < min(len(x), len(own)):
                yield x, own, batch


def parts(x, indices, batch):
    """Yield where each tuple stands, the positions that it names, and the sizes there."""
    count = indices.shape[-1]
    sizes = x.shape[batch : batch + count]
    for at in np.ndindex(*indices.shape[:-1]):
        yield at, [int(i) for i in indices[at]], sizes


def gathered_parts(place):
    for x_sizes, own, batch in tuples(place):
        data_type = index_type(place, len(own))
        count = own[-1]
        output = leading_ones((*own[:-1], *x_sizes[batch + count :]), place.rank)

        def apply(x, indices, x_sizes=x_sizes, own=own, batch=batch, output=output):
            x, indices = x.reshape(x_sizes), indices.reshape(own)
            found = []
            for at, coordinates, sizes in parts(x, indices, batch):
                pairs = zip(coordinates, sizes, strict=True)
                found.append(x[at[:batch]][tuple(clamped(i, n) for i, n in pairs)])
            return np.array(found, x.dtype).reshape(output)

        fields = {"batch_dimension_count": batch} if place.name == "GATHER_ND1" else {}
        desc = place.desc(
            input_tensor=place.tensor(leading_ones(x_sizes, place.rank)),
            indices_tensor=place.tensor(leading_ones(own, place.rank), data_type),
            output_tensor=place.output(output),
            input_dimension_count=len(x_sizes),
            indices_dimension_count=len(own),
            **fields,
        )
        yield Trial(desc, apply, [None, index_numbers(data_type, max(x_sizes))])


ORACLES["GATHER_ND"] = ORACLES["GATHER_ND1"] = gathered_parts


def scattered_parts(place):
    for x_sizes, own, _ in tuples(place):
        data_type = index_type(place, len(own))
        updates = (*own[:-1], *x_sizes[own[-1] :])

        def apply(x, indices, new, x_sizes=x_sizes, own=own, updates=updates):
            result, new = x.reshape(x_sizes).copy(), new.reshape(updates)
            for at, coordinates, sizes in parts(result, indices.reshape(own), 0):
                pairs = list(zip(coordinates, sizes, strict=True))
                target = tuple(position(i, n) for i, n in pairs)
                if all(0 <= i < n for i, n in zip(target, sizes, strict=True)):
                    result[target] = new[at]
            return result.reshape(x.shape)

        desc = place.desc(
            input_tensor=place.tensor(leading_ones(x_sizes, place.rank)),
            indices_tensor=place.tensor(leading_ones(own, place.rank), data_type),
            updates_tensor=place.tensor(leading_ones(updates, place.rank)),
            output_tensor=place.output(leading_ones(x_sizes, place.rank)),
            input_dimension_count=len(x_sizes),
            indices_dimension_count=len(own),
        )
        yield Trial(desc, apply, [None, index_numbers(data_type, max(x_sizes)), None])


ORACLES["SCATTER_ND"] = scattered_parts


@of_field("OutputTensor")
def one_hot(place):
    for number, axis in enumerate({0, place.rank // 2, place.rank - 1}):
        output = [4 if k == axis else size for k, size in enumerate(place.sizes)]
        sizes = [1 if k == axis else size for k, size in enumerate(output)]
        data_type = index_type(place, number)

        def apply(indices, values, axis=axis, output=output):
            off, on = values.ravel()[:2]
            result = np.empty(output, values.dtype)
            for at in np.ndindex(*output):
                source = tuple(0 if k == axis else i for k, i in enumerate(at))
                is_hot = position(indices[source], output[axis]) == at[axis]
                result[at] = on if is_hot else off
            return result

        desc = place.desc(
            indices_tensor=place.tensor(sizes, data_type),
            values_tensor=place.output([1] * (place.rank - 1) + [3]),
            output_tensor=place.output(output),
            axis=axis,
        )
        yield Trial(desc, apply, [index_numbers(data_type, 4), None])


ORACLES["ONE_HOT"] = one_hot


@places(ORACLES)
def test_equals_its_oracle(place):
    run_oracle(ORACLES, place)


def tensors(*sizes, data_types=(np.float32, np.int32, np.float32, np.float32)):
    return [dml.TensorDesc(t, s) for t, s in zip(data_types, sizes, strict=False)]


COUNTS = {"input_dimension_count": 1, "indices_dimension_count": 1}
LEADING = [
    pytest.param("GATHER", tensors([2, 3], [4, 1], [2, 1]), {"axis": 1, "index_dimensions": 1},
                 "indices_tensor", [4, 1], id="indices of gather"),
    pytest.param("GATHER_ND", tensors([2, 3], [1, 1], [1, 1]), COUNTS, "input_tensor", [2, 3],
                 id="input of gather_nd"),
    pytest.param("GATHER_ND1", tensors([1, 3], [4, 1], [1, 1]), COUNTS, "indices_tensor", [4, 1],
                 id="indices of gather_nd1"),
    pytest.param("SCATTER_ND", tensors([2, 3], [1, 1], [1, 1], [2, 3]), COUNTS, "input_tensor",
                 [2, 3], id="input of scatter_nd"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given", "fields", "field", "sizes"), LEADING)
def test_refuses_leading_dimensions_that_do_not_count_and_have_elements(
    name, given, fields, field, sizes
):
    refused(
        dml.DescriptorError,
        f"{name}.{field}.sizes: needs the size 1 in 1 dimensions in front of the last 1, "
        f"got {sizes}",
        lambda: descriptor_class(name)(*given, **fields),
    )
