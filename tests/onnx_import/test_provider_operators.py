"""Operators that ONNX Runtime's DirectML provider, its optimizer and genai's builder write.

Each is read, and has a test that compares it with ONNX Runtime's kernels, or with NumPy where there
are none (test_contributed.py, test_second_opinions.py); the table names it.
"""

import ast
import functools
import re
from pathlib import Path

import pytest

import indirectml as dml
from indirectml.onnx_import import nodes
from tests.onnx_import.test_second_opinions import node_model

_FUSED = "test_what_the_provider_fuses_is_the_operator_and_an_activation"

ORACLES = {
    "com.microsoft": {
        "Attention": "test_attention",
        "BiasAdd": "test_sums_gates_and_groups",
        "BiasGelu": "test_gelu_and_its_relatives",
        "BiasSplitGelu": "test_sums_gates_and_groups",
        "ConvTransposeWithDynamicPads": "test_transposed_convolutions_with_paddings_as_input",
        "DequantizeLinear": "test_numbers_to_integers_and_back",
        "DynamicQuantizeLSTM": "test_recurrent_networks_with_quantized_weights",
        "DynamicQuantizeMatMul": "test_products_of_integers_in_floats",
        "EmbedLayerNormalization": "test_embeddings",
        "FastGelu": "test_gelu_and_its_relatives",
        "FusedConv": "test_convolutions_with_an_activation",
        "FusedGemm": "test_products_with_an_activation",
        "FusedMatMul": "test_scaled_products",
        "FusedMatMulActivation": "test_products_with_an_activation",
        "Gelu": "test_gelu_and_its_relatives",
        "GroupNorm": "test_sums_gates_and_groups",
        "GroupQueryAttention": "test_attention_of_grouped_heads",
        "MatMulIntegerToFloat": "test_products_of_integers_in_floats",
        "MatMulNBits": "test_products_with_weights_of_few_bits",
        "MultiHeadAttention": "test_attention",
        "NhwcConv": "test_channels_may_come_last",
        "NhwcMaxPool": "test_channels_may_come_last",
        "QAttention": "test_attention_of_integers",
        "QGemm": "test_products_of_quantized_matrices",
        "QLinearAdd": "test_sums_of_quantized_tensors",
        "QLinearAveragePool": "test_averages_of_integers",
        "QLinearConcat": "test_products_and_joins_of_integers",
        "QLinearGlobalAveragePool": "test_averages_of_integers",
        "QLinearLeakyRelu": "test_functions_of_integers",
        "QLinearMul": "test_products_and_joins_of_integers",
        "QLinearSigmoid": "test_functions_of_integers",
        "QLinearSoftmax": "test_functions_of_integers",
        "QuantizeLinear": "test_numbers_to_integers_and_back",
        "QuickGelu": "test_gelu_and_its_relatives",
        "RotaryEmbedding": "test_rotary_embeddings",
        "SimplifiedLayerNormalization": "test_normalization_by_roots",
        "SkipLayerNormalization": "test_normalized_sums",
        "SkipSimplifiedLayerNormalization": "test_normalization_by_roots",
    },
    "": {"SimplifiedLayerNormalization": "test_normalization_by_roots"},
    "com.microsoft.dml": {
        f"DmlFused{operator}": _FUSED
        for operator in (
            "Add", "BatchNormalization", "Conv", "ConvTranspose", "Gemm", "InstanceNormalization",
            "MatMul", "MeanVarianceNormalization", "Sum",
        )
    },
}  # fmt: skip

ALL = [(domain, name) for domain, names in ORACLES.items() for name in names]


@functools.cache
def said_in_tests():
    """Return what is said in quotes in each test, its parameters included, by its name."""
    found = {}
    for file in ("test_contributed.py", "test_second_opinions.py"):
        tree = ast.parse(Path(__file__).with_name(file).read_text(encoding="utf-8"))
        for each in tree.body:
            if isinstance(each, ast.FunctionDef):
                constants = (
                    part.value for part in ast.walk(each) if isinstance(part, ast.Constant)
                )
                found.setdefault(each.name, set()).update(
                    c for c in constants if isinstance(c, str)
                )
    return found


@pytest.mark.parametrize(("domain", "name"), ALL)
def test_is_read_and_has_an_oracle(domain, name):
    assert nodes.find_handler(domain, name, 1) is not None

    said = said_in_tests()[ORACLES[domain][name]]
    assert name.removeprefix("DmlFused") in said or name in said


@pytest.mark.parametrize(("domain", "name"), ALL)
def test_a_node_without_inputs_is_refused_by_what_it_needs(domain, name):
    """Which no operator is that has no form here."""
    given, _ = node_model(name, [], domain=domain)

    with pytest.raises(dml.OnnxModelError) as caught:
        dml.load_onnx(given)

    assert re.search(
        rf"{name}\): (inputs\[0\].*: is required|needs an activation)", str(caught.value)
    )
