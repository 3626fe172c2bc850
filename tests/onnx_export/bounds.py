"""How far from IndirectML's results those of ONNX Runtime may be.

In ULP of the output's largest finite element, of its data type; of integers in steps. Operators
that are not here give the same bits, where any NaN is like any other if something is computed.
Bounds are about four times what was measured, since ONNX Runtime's own results differ from one
processor to another. With a bound, also of 0, a zero may have another sign: ONNX Runtime's Where
loses that of -0.
"""

BOUNDS: dict[str, float] = {
    # activations
    "ACTIVATION_CELU": 2,
    "ACTIVATION_ELU": 2,
    "ACTIVATION_GELU": 2,
    "ACTIVATION_HARD_SIGMOID": 2,
    "ACTIVATION_HARD_SWISH": 2,
    "ACTIVATION_LINEAR": 1,
    "ACTIVATION_LOG_SOFTMAX": 4,
    "ACTIVATION_LOG_SOFTMAX1": 4,
    "ACTIVATION_PARAMETRIC_SOFTPLUS": 4,
    "ACTIVATION_SCALED_ELU": 2,
    "ACTIVATION_SCALED_TANH": 12,
    "ACTIVATION_SIGMOID": 4,
    "ACTIVATION_SOFTMAX": 4,
    "ACTIVATION_SOFTMAX1": 4,
    "ACTIVATION_SOFTPLUS": 4,
    "ACTIVATION_SOFTSIGN": 4,
    "ACTIVATION_SWISH": 4,
    "ACTIVATION_TANH": 12,
    # attention
    "MULTIHEAD_ATTENTION": 8,
    "MULTIHEAD_ATTENTION1": 8,
    # convolution
    "CONVOLUTION": 12,
    # element_wise_binary
    "ELEMENT_WISE_MAX": 0,
    "ELEMENT_WISE_MIN": 0,
    "ELEMENT_WISE_MODULUS_FLOOR": 0,
    # element_wise_functions
    "ELEMENT_WISE_ACOS": 8,
    "ELEMENT_WISE_ACOSH": 4,
    "ELEMENT_WISE_ASIN": 6,
    "ELEMENT_WISE_ASINH": 4,
    "ELEMENT_WISE_ATAN": 6,
    "ELEMENT_WISE_ATANH": 4,
    "ELEMENT_WISE_ATAN_YX": 4,
    "ELEMENT_WISE_CONSTANT_POW": 4,
    "ELEMENT_WISE_COS": 4,
    "ELEMENT_WISE_COSH": 4,
    "ELEMENT_WISE_ERF": 2,
    "ELEMENT_WISE_EXP": 1,
    "ELEMENT_WISE_LOG": 2,
    "ELEMENT_WISE_POW": 4,
    "ELEMENT_WISE_SIN": 4,
    "ELEMENT_WISE_SINH": 2,
    "ELEMENT_WISE_TAN": 1,
    "ELEMENT_WISE_TANH": 12,
    # layouts
    "FOLD": 4,
    # matrices
    "GEMM": 12,
    # normalization
    "BATCH_NORMALIZATION": 8,
    "LOCAL_RESPONSE_NORMALIZATION": 16,
    "LP_NORMALIZATION": 1,
    "MEAN_VARIANCE_NORMALIZATION": 8,
    "MEAN_VARIANCE_NORMALIZATION1": 8,
    "MEAN_VARIANCE_NORMALIZATION2": 8,
    # pooling
    "AVERAGE_POOLING1": 4,
    "LP_POOLING1": 8,
    # recurrent
    "GRU": 150,
    "LSTM": 50,
    "RNN": 16,
    # reductions
    "REDUCE": 16,
    # resampling
    "RESAMPLE": 1,
    "RESAMPLE1": 1,
    "RESAMPLE3": 1,
    "RESAMPLE_GRAD": 1,
    "RESAMPLE_GRAD1": 1,
    "UPSAMPLE_2D": 8,
    # regions
    "ROI_ALIGN1": 32,
    "ROI_ALIGN_GRAD": 1,
    # training
    "ACTIVATION_RELU_GRAD": 0,
    "ADAM_OPTIMIZER": 8,
    "AVERAGE_POOLING_GRAD": 8,
    "BATCH_NORMALIZATION_GRAD": 1,
    "BATCH_NORMALIZATION_TRAINING": 1,
    "BATCH_NORMALIZATION_TRAINING_GRAD": 4,
    "LOCAL_RESPONSE_NORMALIZATION_GRAD": 8,
    "MAX_POOLING_GRAD": 4,
}

#: Operators of which DIFFERENCES says that NaN or infinities may differ.
WITHOUT_CORNERS = {
    "ACTIVATION_GELU", "BATCH_NORMALIZATION", "CONVOLUTION", "DYNAMIC_QUANTIZE_LINEAR",
    "ELEMENT_WISE_QUANTIZED_LINEAR_ADD", "ELEMENT_WISE_QUANTIZE_LINEAR", "GRU",
    "LOCAL_RESPONSE_NORMALIZATION", "LOCAL_RESPONSE_NORMALIZATION_GRAD", "LP_POOLING1", "LSTM",
    "MAX_POOLING2", "MAX_POOLING_GRAD", "QUANTIZE", "RNN", "ROI_ALIGN1", "ROI_ALIGN_GRAD",
    "ROI_POOLING",
    "UPSAMPLE_2D",
}  # fmt: skip

#: What a model may do otherwise; cases keep away from it.
DIFFERENCES = """\
- ACTIVATION_GELU: of -infinity Gelu makes a NaN where its formula is computed step by step; here
  the result is -0.
- QUANTIZE, ELEMENT_WISE_QUANTIZE_LINEAR and what ends with them: of a NaN, and of scales that are
  not above 0, QuantizeLinear says nothing. Where the formula is written, NaN gives the zero point.
- ROI_ALIGN, ROI_ALIGN1: of a region without width or height RoiAlign gives 0; in a region larger
  than the input it may take more samples than MaximumSamplesPerOutput; a batch that there is not is
  refused by ONNX Runtime. All that is so where RoiAlign is written, not where GatherND is.
- ROI_ALIGN, ROI_ALIGN1: what RoiAlign does not say (MAX, NEAREST_NEIGHBOR, numbers outside, other
  offsets), and ROI_ALIGN_GRAD, are written with all samples that a cell may have; more than 16
  along an axis are refused. Of ROI_ALIGN_GRAD, which of several NaN is the largest is open.
- ROI_POOLING: a batch that there is not, and coordinates that are no numbers, are undefined.
- SCATTER, SCATTER_ND: which of several updates of one element stays is open in ONNX; in ONNX
  Runtime it is the last one, as here.
- MAX_POOLING and its relatives, MAX_POOLING_GRAD, ROI_POOLING, ROI_ALIGN: whether a NaN is the
  largest is open in ONNX, and of two zeros of different signs the first is taken.
- CONVOLUTION: ONNX Runtime does not multiply padding by weights, and so makes no NaN of infinite
  ones. RNN, GRU, LSTM and DYNAMIC_QUANTIZE_LINEAR lose NaN there.
- RoiAlign, LRN and Resize make a NaN of an infinity next to an element. Where sums are FLOAT32 in
  ONNX Runtime (BATCH_NORMALIZATION, LP_POOLING) they overflow earlier.
- Results of FLOAT64 in FLOAT16 (RESAMPLE, LP_NORMALIZATION and others): ONNX Runtime rounds twice.
- RNN, GRU, LSTM: activations that ONNX's networks do not have are refused, by name.
"""
