"""`FusedActivation`: an activation that another operator applies to its own result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indirectml.catalogue.operator_types import operator_types
from indirectml.core.records import record

if TYPE_CHECKING:
    from indirectml.catalogue.operator_types import OperatorType


@record()
class FusedActivation:
    """An activation that an operator applies to its result before that is rounded and written.

    Parameters
    ----------
    activation : OperatorType
        Such as ACTIVATION_RELU; INVALID for none.
    param_1, param_2 : float
        Its FLOAT fields, in DirectML's order; what it has no field for is ignored.

    Notes
    -----
    The activation is computed on the operator's FLOAT32 result, and FLOAT16 is rounded once, after
    it. So it is not always the same as the operator and then the activation, which round twice.

    References
    ----------
    DirectML: "Using fused operators to improve performance".

    Examples
    --------
    >>> FusedActivation.leaky_relu(alpha=0.5).param_1
    0.5
    >>> graph = Graph(Device())
    >>> x = graph.constant(np.array([-2, 3], np.float32))
    >>> graph.compile([add(x, x, fused_activation=FusedActivation.relu())])()
    [array([0., 6.], dtype=float32)]
    """

    activation: OperatorType
    param_1: float = 0
    param_2: float = 0

    @staticmethod
    def none() -> FusedActivation:
        """Return no activation."""
        return FusedActivation(operator_types()["INVALID"])

    @staticmethod
    def elu(alpha: float = 1) -> FusedActivation:
        """Return ELU."""
        return _activation("ELU", alpha)

    @staticmethod
    def hard_sigmoid(alpha: float = 0.2, beta: float = 0.5) -> FusedActivation:
        """Return the hard sigmoid."""
        return _activation("HARD_SIGMOID", alpha, beta)

    @staticmethod
    def identity() -> FusedActivation:
        """Return the identity."""
        return _activation("IDENTITY")

    @staticmethod
    def leaky_relu(alpha: float = 0.01) -> FusedActivation:
        """Return the leaky ReLU."""
        return _activation("LEAKY_RELU", alpha)

    @staticmethod
    def linear(alpha: float, beta: float) -> FusedActivation:
        """Return the linear function."""
        return _activation("LINEAR", alpha, beta)

    @staticmethod
    def parametric_softplus(alpha: float, beta: float) -> FusedActivation:
        """Return the parametric softplus."""
        return _activation("PARAMETRIC_SOFTPLUS", alpha, beta)

    @staticmethod
    def relu() -> FusedActivation:
        """Return ReLU."""
        return _activation("RELU")

    @staticmethod
    def scaled_elu(
        alpha: float = 1.6732631921768188, gamma: float = 1.0507010221481323
    ) -> FusedActivation:
        """Return the scaled ELU."""
        return _activation("SCALED_ELU", alpha, gamma)

    @staticmethod
    def scaled_tanh(alpha: float = 1, beta: float = 0.5) -> FusedActivation:
        """Return the scaled hyperbolic tangent."""
        return _activation("SCALED_TANH", alpha, beta)

    @staticmethod
    def sigmoid() -> FusedActivation:
        """Return the sigmoid."""
        return _activation("SIGMOID")

    @staticmethod
    def softplus(steepness: float = 1) -> FusedActivation:
        """Return the softplus."""
        return _activation("SOFTPLUS", steepness)

    @staticmethod
    def softsign() -> FusedActivation:
        """Return the softsign."""
        return _activation("SOFTSIGN")

    @staticmethod
    def tanh() -> FusedActivation:
        """Return the hyperbolic tangent."""
        return _activation("TANH")

    @staticmethod
    def thresholded_relu(alpha: float = 1) -> FusedActivation:
        """Return the thresholded ReLU."""
        return _activation("THRESHOLDED_RELU", alpha)

    @staticmethod
    def shrink(bias: float = 0, threshold: float = 0.5) -> FusedActivation:
        """Return the shrink function."""
        return _activation("SHRINK", bias, threshold)

    @staticmethod
    def celu(alpha: float = 1) -> FusedActivation:
        """Return CELU."""
        return _activation("CELU", alpha)

    @staticmethod
    def gelu() -> FusedActivation:
        """Return GELU."""
        return _activation("GELU")


def _activation(name: str, *parameters: float) -> FusedActivation:
    return FusedActivation(operator_types()[f"ACTIVATION_{name}"], *parameters)
