"""Shows that oracles would notice a mistake: `python -m tests.operators.breakages`.

Each row of the table is a small change of a definition's source. It is made in this process, for
as long as the operator's oracle runs, which has to fail. Ends with exit code 1 if one passes.
`--only TEXT` takes the operators whose name contains it.
"""

import argparse
import ast
import contextlib
import dataclasses
import functools
import importlib
import inspect
import sys

import pytest

from indirectml import operators
from indirectml.core.errors import OperatorNotImplementedError
from indirectml.descriptors.definitions import DEFINITIONS, definition, index
from indirectml.passes import lowering, tracing
from tests.operators.families import chosen_places, run_oracle

#: Families whose every operator with an oracle in a table has a row here.
FAMILIES = (
    "activations", "element_wise_binary", "element_wise_functions", "element_wise_logic",
    "element_wise_unary", "gathering", "layouts", "matrices", "movement", "random", "scans",
    "convolution", "normalization", "pooling", "quantized", "recurrent", "reductions", "resampling",
    "training",
)  # fmt: skip

#: What becomes what, by operator: in its definition, or else in a function of its module.
BREAKAGES = {
    # activations
    "ACTIVATION_CELU": ("np.where(below < 0, below, zero)", "below"),
    "ACTIVATION_ELU": ("functions.expm1(x)", "(functions.exp(x) - x.dtype.type(1))"),
    "ACTIVATION_GELU": ("gelu(x, dtype)", "gelu(x * x.dtype.type(1.01), dtype)"),
    "ACTIVATION_HARDMAX": ("x.ndim - 1", "0"),
    "ACTIVATION_HARDMAX1": ("tuple(axes)", "tuple(axes)[:1]"),
    "ACTIVATION_HARD_SIGMOID": ("y <= zero", "y < zero"),
    "ACTIVATION_HARD_SWISH": ("beta=beta", "beta=-beta"),
    "ACTIVATION_IDENTITY": ("return x", "return x + 0"),
    "ACTIVATION_LEAKY_RELU": ("x >= 0", "x > 0"),
    "ACTIVATION_LINEAR": ("+ x.dtype.type(beta)", "- x.dtype.type(beta)"),
    "ACTIVATION_LOG_SOFTMAX": ("x.ndim - 1", "0"),
    "ACTIVATION_LOG_SOFTMAX1": ("tuple(axes)", "tuple(axes)[:1]"),
    "ACTIVATION_PARAMETERIZED_RELU": ("x < 0", "slope < 0"),
    "ACTIVATION_PARAMETRIC_SOFTPLUS": ("* x.dtype.type(beta)", "/ x.dtype.type(beta)"),
    "ACTIVATION_RELU": ("x <= 0", "x < 0"),
    "ACTIVATION_SCALED_ELU": ("expm1", "exp"),
    "ACTIVATION_SCALED_TANH": ("* x.dtype.type(alpha)", "* -x.dtype.type(alpha)"),
    "ACTIVATION_SHRINK": ("wide < -threshold", "wide <= -threshold"),
    "ACTIVATION_SIGMOID": ("sigmoid(x, dtype)", "sigmoid(x * x.dtype.type(1.01), dtype)"),
    "ACTIVATION_SOFTMAX": ("x.ndim - 1", "0"),
    "ACTIVATION_SOFTMAX1": ("tuple(axes)", "tuple(axes)[:1]"),
    "ACTIVATION_SOFTPLUS": ("/ factor", "* factor"),
    "ACTIVATION_SOFTSIGN": ("np.abs(x)", "x"),
    "ACTIVATION_SWISH": ("x * functions", "functions"),
    "ACTIVATION_TANH": ("tanh(x, dtype)", "tanh(x * x.dtype.type(1.01), dtype)"),
    "ACTIVATION_THRESHOLDED_RELU": ("x > x", "x >= x"),
    # element_wise_binary
    "ELEMENT_WISE_ADD": ("np.add(a, b)", "np.add(b, -a)"),
    "ELEMENT_WISE_ADD1": ("np.add(a, b)", "np.add(b, -a)"),
    "ELEMENT_WISE_DIFFERENCE_SQUARE": ("left * left", "a * a - b * b"),
    "ELEMENT_WISE_DIVIDE": ("a - np.fmod(a, b)", "a"),
    "ELEMENT_WISE_IF": ("condition != 0", "condition == 1"),
    "ELEMENT_WISE_MAX": ("np.signbit(b)", "np.signbit(a)"),
    "ELEMENT_WISE_MEAN": ("quotient(summed, np.full_like(summed, 2))", "summed // 2"),
    "ELEMENT_WISE_MIN": ("np.signbit(a)", "np.signbit(b)"),
    "ELEMENT_WISE_MODULUS_FLOOR": ("np.copysign(left, b)", "left"),
    "ELEMENT_WISE_MODULUS_TRUNCATE": ("np.fmod(a, b)", "np.fmod(np.abs(a), b)"),
    "ELEMENT_WISE_MULTIPLY": ("np.multiply(a, b)", "np.multiply(a, np.abs(b))"),
    "ELEMENT_WISE_SUBTRACT": ("np.subtract(a, b)", "np.subtract(b, a)"),
    # element_wise_functions: arguments that are a few floats further
    **{
        f"ELEMENT_WISE_{name.upper()}": (
            f"functions.{name}(x, dtype)",
            f"functions.{name}(x * x.dtype.type(1 + 2**-20), dtype)",
        )
        for name in (
            "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "erf", "exp", "log",
            "recip", "sin", "sinh", "sqrt", "tan", "tanh",
        )
    },
    "ELEMENT_WISE_ATAN_YX": ("atan2(a, b", "atan2(b, a"),
    "ELEMENT_WISE_CONSTANT_POW": ("np.float32(exponent)", "np.float32(np.float16(exponent))"),
    "ELEMENT_WISE_POW": ("integer_power(x, exponent)", "integer_power(x, np.abs(exponent))"),
    # element_wise_logic
    "ELEMENT_WISE_BIT_AND": ("_bits(a) & _bits(b)", "_bits(a) & _bits(a)"),
    "ELEMENT_WISE_BIT_COUNT": ("_bits(x)", "_bits(x) >> 1"),
    "ELEMENT_WISE_BIT_NOT": ("~_bits(x)", "-_bits(x)"),
    "ELEMENT_WISE_BIT_OR": ("_bits(a) | _bits(b)", "_bits(a) ^ _bits(b)"),
    "ELEMENT_WISE_BIT_SHIFT_LEFT": ("(a, b)", "(a, b & b.dtype.type(8 * a.dtype.itemsize - 1))"),
    "ELEMENT_WISE_BIT_SHIFT_RIGHT": ("(a, b)", "(a, b & b.dtype.type(8 * a.dtype.itemsize - 1))"),
    "ELEMENT_WISE_BIT_XOR": ("_bits(a) ^ _bits(b)", "_bits(a) | _bits(b)"),
    "ELEMENT_WISE_IS_INFINITY": ("else -np.inf", "else np.inf"),
    "ELEMENT_WISE_IS_NAN": ("np.isnan(x)", "np.isnan(x) | np.isinf(x)"),
    "ELEMENT_WISE_LOGICAL_AND": ("(a != 0) & (b != 0)", "(a & b) != 0"),
    "ELEMENT_WISE_LOGICAL_EQUALS": ("a == b", "(a == b) | ((a != a) & (b != b))"),
    "ELEMENT_WISE_LOGICAL_GREATER_THAN": ("a > b", "a >= b"),
    "ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL": ("a >= b", "~(a < b)"),
    "ELEMENT_WISE_LOGICAL_LESS_THAN": ("a < b", "a <= b"),
    "ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL": ("a <= b", "~(a > b)"),
    "ELEMENT_WISE_LOGICAL_NOT": ("x == 0", "x <= 1"),
    "ELEMENT_WISE_LOGICAL_OR": ("(a != 0) | (b != 0)", "(a + b) == 1"),
    "ELEMENT_WISE_LOGICAL_XOR": ("(a != 0) ^ (b != 0)", "a != b"),
    # element_wise_unary
    "CAST": ("truncated_to(x, dtype)", "truncated_to(x + 1, dtype)"),
    "ELEMENT_WISE_ABS": ("np.abs(x)", "np.where(x < 0, -x, x)"),
    "ELEMENT_WISE_CEIL": ("np.ceil(x)", "-np.floor(-x) + 0"),
    "ELEMENT_WISE_CLIP": ("_limit(max", "_limit(min"),
    "ELEMENT_WISE_CLIP1": ("max.astype", "min.astype"),
    "ELEMENT_WISE_FLOOR": ("np.floor(x)", "np.trunc(x)"),
    "ELEMENT_WISE_IDENTITY": ("return x", "return -x"),
    "ELEMENT_WISE_NEGATE": ("np.negative(x)", "0 - x"),
    "ELEMENT_WISE_ROUND": (">= x.dtype.type(0.5)", "> x.dtype.type(0.5)"),
    "ELEMENT_WISE_SIGN": ("np.sign(x)", "(x > 0).astype(x.dtype) - (x < 0).astype(x.dtype)"),
    "ELEMENT_WISE_THRESHOLD": ("math.ceil(min)", "math.floor(min)"),
    # gathering
    "GATHER": ("gather(x, own, axis)", "gather(np.flip(x), own, axis)"),
    "GATHER_ELEMENTS": ("(x, indices, axis)", "(x[::-1], indices, axis)"),
    "GATHER_ND": ("(x, own,", "(x[::-1], own,"),
    "GATHER_ND1": ("(x, own,", "(x, own[..., ::-1],"),
    "ONE_HOT": ("off, on = values", "on, off = values"),
    "SCATTER": ("indices, updates, axis)", "indices, updates[::-1], axis)"),
    "SCATTER_ND": ("(inner, own, parts)", "(np.flip(inner), own, parts)"),
    # layouts
    "DEPTH_TO_SPACE": ("0, 3, 4, 1, 5, 2", "0, 3, 4, 2, 5, 1"),
    "DEPTH_TO_SPACE1": ("0, 1, 4, 2, 5, 3", "0, 1, 4, 3, 5, 2"),
    "FOLD": ("start_padding, end_padding)", "end_padding, start_padding)"),
    "PADDING": ("np.array([value])", "np.array([value]) + np.float32(0.5)"),
    "PADDING1": ("zip(start, end, strict", "zip(end, start, strict"),
    "REVERSE_SUBSEQUENCES": ("position < length", "position < length - 1"),
    "SPACE_TO_DEPTH": ("0, 3, 5, 1, 2, 4", "0, 5, 3, 1, 2, 4"),
    "SPACE_TO_DEPTH1": ("0, 1, 3, 5, 2, 4", "0, 1, 5, 3, 2, 4"),
    "UNFOLD": ("start_padding, end_padding)", "end_padding, start_padding)"),
    # matrices
    "GEMM": ("x.swapaxes(-1, -2)", "x.reshape(*x.shape[:-2], x.shape[-1], x.shape[-2])"),
    # movement
    "JOIN": ("np.concatenate(inputs", "np.concatenate(inputs[::-1]"),
    "SLICE": ("(o, o + (n - 1) * s + 1, s)", "(o, o + n, 1)"),
    "SLICE1": ("(offset, offset + size)", "(0, offset + size)"),
    "SPLIT": ("x[(builtins", "np.flip(x)[(builtins"),
    "TILE": ("np.tile(x, repeats)", "np.tile(np.flip(x), repeats)"),
    # random
    "RANDOM_GENERATOR": ("b, d = right &", "d, b = right &", "random._philox"),
    # scans
    "CUMULATIVE_PRODUCT": ("exclusive=has_exclusive_product", "exclusive=False"),
    "CUMULATIVE_SUMMATION": ("DECREASING", "INCREASING"),
    "NONZERO_COORDINATES": ("words.nonzero(x, ", "words.nonzero(x > 0, "),
    "TOP_K": ("x, axis, k, smallest=axis_direction == AxisDirection.INCREASING",
              "-x, axis, k, smallest=True"),
    "TOP_K1": ("== AxisDirection.INCREASING", "!= AxisDirection.INCREASING"),
    # convolution
    "CONVOLUTION": ("mode=found.mode", "mode='convolution'"),
    # normalization
    "BATCH_NORMALIZATION": ("(x - mean) / deviation", "(x - mean) * (1 / deviation)"),
    "LOCAL_RESPONSE_NORMALIZATION": ("(1,) if cross_channel", "(0,) if cross_channel"),
    "LP_NORMALIZATION": ("p, epsilon", "1, epsilon"),
    "MEAN_VARIANCE_NORMALIZATION": ("1 if cross_channel else 2", "2 if cross_channel else 1"),
    "MEAN_VARIANCE_NORMALIZATION1": ("use_variance=normalize_variance", "use_variance=True"),
    "MEAN_VARIANCE_NORMALIZATION2": ("use_mean=use_mean", "use_mean=True"),
    "VALUE_SCALE_2D": ("x * single(scale) +", "single(scale) * (x + 0) -"),
    # pooling
    "AVERAGE_POOLING": ("include_padding=include_padding", "include_padding=False"),
    "AVERAGE_POOLING1": ("include_padding=include_padding", "include_padding=False"),
    "LP_POOLING": ("window, p)", "window, 2)"),
    "LP_POOLING1": ("window, p)", "window, 2)"),
    "MAX_POOLING": ("max_pool(x, window)", "max_pool(x[:, ::-1], window)"),
    "MAX_POOLING1": ("indices(x, window)", "indices(x[:, ::-1], window)"),
    "MAX_POOLING2": ("start_padding, end_padding, d", "end_padding, start_padding, d"),
    "MAX_UNPOOLING": ("indices.ravel()", "indices.ravel()[::-1]"),
    # quantized
    "CONVOLUTION_INTEGER": ("x, x_zero, w", "x, None, w"),
    "DYNAMIC_QUANTIZE_LINEAR": ("found.scale, found.zero_point", "found.scale, 0"),
    "ELEMENT_WISE_DEQUANTIZE_LINEAR": ("_zero(zero_point)", "0"),
    "ELEMENT_WISE_QUANTIZED_LINEAR_ADD": ("_zero(b_zero)", "_zero(a_zero)"),
    "ELEMENT_WISE_QUANTIZE_LINEAR": ("_zero(zero_point)", "0"),
    "MATRIX_MULTIPLY_INTEGER": ("a, a_zero, b, b_zero)", "a, None, b, b_zero)"),
    "MATRIX_MULTIPLY_INTEGER_TO_FLOAT": ("result + bias", "result - bias"),
    "QUANTIZED_LINEAR_AVERAGE_POOLING": ("include_padding=include_padding", "include_padding=True"),
    "QUANTIZED_LINEAR_CONVOLUTION": ("total + bias", "total - bias"),
    "QUANTIZED_LINEAR_MATRIX_MULTIPLY": ("_rows(zero)", "0"),
    # recurrent
    "GRU": ("return r * values.states[0], z", "return values.states[0], z"),
    "LSTM": ("gate[2] = gate[2] + values.peepholes[2] * memory", "pass"),
    "RNN": ("return of_input + of_hidden", "return of_input"),
    # reductions
    "ARGMAX": ("last=axis_direction == AxisDirection.DECREASING", "last=False"),
    "ARGMIN": ("index_of_smallest", "index_of_largest"),
    "REDUCE": ("(x, tuple(axes))", "(x[..., ::-1], tuple(axes))"),
    # resampling
    "RESAMPLE": ('"half down"', '"half up"'),
    "RESAMPLE1": ('"half down"', '"half up"'),
    "RESAMPLE2": ('"up" if', '"down" if'),
    "RESAMPLE3": ("antialiased=antialiased", "antialiased=False"),
    "RESAMPLE_GRAD": ('"half down"', '"half up"'),
    "RESAMPLE_GRAD1": ('"up" if', '"down" if'),
    "UPSAMPLE_2D": ("float(scale_size.width)", "float(scale_size.height)"),
    # training
    "ACTIVATION_RELU_GRAD": ("x > 0", "x >= 0"),
    "ADAM_OPTIMIZER": ("((one - b2) * gradient) * gradient", "(one - b2) * (gradient * gradient)"),
    "AVERAGE_POOLING_GRAD": ("include_padding=include_padding", "include_padding=False"),
    "BATCH_NORMALIZATION_GRAD": ("* (scale / deviation)", "* scale / deviation"),
    "BATCH_NORMALIZATION_TRAINING": ("added is None", "True"),
    "BATCH_NORMALIZATION_TRAINING_GRAD": ("normal * averages[1]", "normal * averages[0]"),
    "ELEMENT_WISE_CLIP_GRAD": ("math.ceil(limit)", "math.floor(limit)"),
    "ELEMENT_WISE_CLIP_GRAD1": ("x >= max", "x > max"),
    "LOCAL_RESPONSE_NORMALIZATION_GRAD": ("np.flip(terms, axes)", "terms"),
    "MAX_POOLING_GRAD": ("start_padding, end_padding, d", "end_padding, start_padding, d"),
    "SLICE_GRAD": ("spread(gradient,", "spread(gradient[..., ::-1],"),
}  # fmt: skip


def oracles():
    """Return the oracles of the families."""
    found = {}
    for family in FAMILIES:
        found |= importlib.import_module(f"tests.operators.test_{family}").ORACLES
    operators_of = index()["operators"]
    return {name: oracle for name, oracle in found.items() if operators_of[name] in FAMILIES}


def broken_function(name):
    """Return the module and name of the function that a breakage is in, and that broken.

    Raises
    ------
    ValueError
        The text is not exactly once there.
    """
    old, new, *elsewhere = BREAKAGES[name]
    compute = definition(name).compute
    if elsewhere:
        return broken_word(old, new, *elsewhere)
    module = sys.modules[compute.__module__]
    own = [f for f in vars(module).values() if inspect.isfunction(f)]
    own = [f for f in own if f.__module__ == module.__name__ and f is not compute]
    for function in (compute, *own):
        source = inspect.getsource(function)
        if source.count(old) == 1:
            return module, function, changed(module, source, old, new)
    raise ValueError(f"{name}: {module.__name__} needs {old!r} exactly once in one function")


def changed(module, source, old, new):
    """Return a function with one change."""
    (tree,) = ast.parse(source.replace(old, new)).body
    tree.decorator_list = []
    made = {}
    code = compile(ast.unparse(tree), "<broken>", "exec")
    exec(code, vars(module), made)  # noqa: S102 (a function with one change)
    return made[tree.name]


def broken_word(old, new, name):
    """Return as `broken_function`, of what definitions are written in."""
    file, name = name.split(".")
    module = importlib.import_module(f"indirectml.arithmetic.{file}")
    function = getattr(module, name)
    source = inspect.getsource(inspect.unwrap(function))
    if source.count(old) != 1:
        raise ValueError(f"{name} needs {old!r} exactly once")
    return module, function, changed(module, source, old, new)


@contextlib.contextmanager
def broken(name):
    """Break an operator's definition as its row says."""
    found = definition(name)
    module, function, instead = broken_function(name)
    try:
        if function is found.compute:
            for each in found.names:
                DEFINITIONS[each] = dataclasses.replace(found, compute=instead)
        else:
            setattr(module, function.__name__, instead)
        forget()
        yield
    finally:
        setattr(module, function.__name__, function)
        DEFINITIONS.update(dict.fromkeys(found.names, found))
        forget()


def forget():
    definition.cache_clear()
    operators.compute_function.cache_clear()
    tracing.templates.clear()
    lowering.lowerings.clear()


def is_noticed(name, table):
    """Whether an oracle sees other bits at one of its places while the definition is broken."""
    with broken(name):
        for place in chosen_places(name, getattr(table[name], "field", None)):
            try:
                run_oracle(table, place)
            except (AssertionError, pytest.fail.Exception):
                return True
            except (IndexError, ValueError, OperatorNotImplementedError):  # nothing is compared
                continue
    return False


def command(text, breakages, is_noticed):
    """Run the breakages that are asked for, and return the exit code; the text is the help."""
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--only", default="", metavar="TEXT")
    only = parser.parse_args().only
    names = [name for name in breakages if only in name]
    passed = [name for name in names if not is_noticed(name)]
    for name in passed:
        print(f"nobody notices: {name}: {breakages[name]}")
    print(f"{len(names) - len(passed)} of {len(names)} breakages are noticed")
    return 1 if passed else 0


if __name__ == "__main__":
    sys.exit(command(__doc__, BREAKAGES, functools.partial(is_noticed, table=oracles())))
