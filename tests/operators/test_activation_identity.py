"""ACTIVATION_IDENTITY: every bit stays."""

import numpy as np

import indirectml as dml
from tests.operators.oracle import SIZES, assert_bits_equal, cases, check, tensor, through_graph

DESC = dml.ActivationIdentityOperatorDesc


@cases("ACTIVATION_IDENTITY")
def test_keeps_every_bit(data_type, rank, layout):
    sizes = SIZES[:rank]
    desc = DESC(tensor(data_type, sizes, layout), tensor(data_type, sizes))

    check(desc, lambda x: x)


def test_through_a_graph():
    x = np.array([-np.inf, -0.0, 0.0, 1], np.float32)

    (actual,) = through_graph(dml.activation_identity, x)

    assert_bits_equal(actual=actual, expected=x)
