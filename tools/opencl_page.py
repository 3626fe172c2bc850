"""What the page of devices says of OpenCL: what is proved, on paper, or unseen."""

from __future__ import annotations

from collections.abc import Iterable

from indirectml.opencl import words

TEXT = """
## OpenCL

`Device("opencl")` is the first OpenCL device of a machine, GPUs before others; `Device("opencl:1")`
the second. `pip install 'indirectml[opencl]'` brings pyopencl; the driver of a GPU brings OpenCL.
`indirectml info` lists the devices, `--device opencl` is for every command that runs something, and
`indirectml explain MODEL --device opencl` tells which steps run there, as it does of an operator's
example.

- **Kernels**: programs become OpenCL C, a kernel for each program, whatever the sizes; words and
  fills have kernels in `src/indirectml/opencl/kernels/`. They are built once per word and data
  types; pyopencl keeps them on disk.
- **By NumPy forms**, on copies that go up and down, by decision: what no operator of DirectML asks
  for, or hardly one (windows over more than three axes or of more than 16,777,216 positions, softmax
  of FLOAT64, norms of order 3 and more to FLOAT64, programs of more than 60 arrays, results that are
  of another data type than what they are taken from); functions, softmax, pooling, resampling and regions, which need FLOAT64, on a device without it;
  and what needs an operation that a device has wrong. {by_numpy}{never} are made for the
  CPU alone: here attention is its products, programs and softmax, and stored weights are dequantized.
- **Recurrence** is a launch for each part of each step, over all sequences and hidden units: its
  product by chains of 256, and the cell as a program.
- **Bits**: FLOAT32 travels as integers; only what computes makes numbers of them. Comparisons,
  whole numbers, conversions, remainders and FLOAT16 are done by integers on every device, so they do
  not depend on how it rounds, or on subnormal numbers.
- **The probe**: at first use 27 operations (15 without FLOAT64) run on 65,536 bit patterns each, and
  are compared with the CPU. The verdict is kept in the user's cache, for a device, its driver and
  these kernels. A fused multiplication or a division that is wrong is done by FLOAT64, or by
  integers; a step that needs another operation which is wrong runs by its NumPy form. `indirectml
  info --probe` tries 4,194,304 patterns.
- **Data stays there**: constants go up once; outputs with `readback=False` are Buffers there, and
  inputs may be; `np.asarray` of one is a read-only copy. Buffers that a recorded list is bound to
  stay there too: executed again, it transfers nothing of them. The memory of the host that it is
  bound to goes up and comes down once each time, and its temporary resources are memory of the device
  alone. What goes up and down is counted: a profile shows it for a call, and for each step.
- **Limits**: one queue and one lock for each device, so threads take turns. A process that was forked
  after the first use is refused. Memory that the device has not is refused before anything runs. A
  driver that gives up raises DeviceLostError with its reason; a new device starts anew.

### What is proved, and what is not

No GPU has run this yet. What is known is known of four implementations that need none, with all
examples of all operators beside the CPU device, bit by bit (`python -m tests.opencl.compare`):

| implementation | says of itself | the probe | operators |
|---|---|---|---|
| PoCL 3.1 | FLOAT64, subnormals, fma, division | 27 right | 714 cases: 0 differ |
| Intel's runtime for CPUs, 2026.2 | FLOAT64, subnormals | 27 right | 714 cases: 0 differ |
| rusticl of Mesa 22.3, on llvmpipe | none of these | 14 right; fma wrong | 714 cases: 0 differ |
| Oclgrind 21.10 | FLOAT64, subnormals | 27 right | tiny cases: 0 differ, no race, nothing read before it is written |

rusticl is why integers of 64 bits are compared in words: it takes -1 for no less than 0.
In random graphs 99 of 100 steps have kernels (560 of 563 in 40 graphs).

What was never seen: a GPU's compiler, its work-groups that really run side by side, its memory, its
loss; OpenCL on Windows and macOS. The probe and the tests are what tells there.

### On paper

What limits a word on a GPU, by the bytes that it has to move and the operations that it has to do; a
part of 1.0 is the speed of memory.

| word | bytes | operations | limit |
|---|---|---|---|
| program | each array once | a few per element | memory: 1.0 |
| exp, sigmoid and others in FLOAT32 first | 8 per element | about 20; FLOAT64 for 1 in 2000 | memory: 1.0 |
| functions that need FLOAT64 | 8 per element | 20 to 60 of FLOAT64 | arithmetic: 1/32 or 1/64 on consumer cards |
| sums, softmax, normalization | once or twice | an addition of FLOAT64 per element, in 16 lanes a row | memory for many rows: 0.4 to 1.0; few long rows: the additions of a lane, one after the other |
| products, convolutions | tiles of both sides | 2 per term, in chains of 256 with two accumulators | arithmetic of FLOAT32, no tensor cores: 0.7 of a tuned library; 3x3 filters 0.35 to 0.5, without Winograd |
| products of 8-bit integers | tiles of both sides | exact in any order | arithmetic of integers |
| gathers, scatters, fills | each element once | integers | memory, as far as neighbours lie together |

On a device of the host's processor, as a check against waste: a b + a - b over 4 million elements took
2.9 ms on PoCL and 3.3 ms on the CPU device, and 100 small steps 0.6 ms, on a loaded machine with two
cores.

### Kernels

FLOAT64 is needed by functions (but exp, sigmoid and tanh are decided in pairs of FLOAT32 for 995
and more of 1,000 arguments), softmax, pooling, resampling and regions; on a device without it they
run by their NumPy forms. Sums, means, norms, moments and normalization have it by integers there
(`kernels/float64.cl`: sum, product, quotient, root and what is between types, each rounded once);
rusticl runs them so, and on PoCL they are compared over bits of any kind.

**Products and convolutions** are tiles: a work-group has 32 x 32 to 128 x 128 elements, each with
its chain and its total in registers. The same kernels, compiled as CUDA C++ by NVRTC and ptxas
12.9 for work-groups of 256, take on a GPU (registers of a work-item, bytes spilled, part of a
multiprocessor's work-items that run at once; `python -m tools.opencl_registers FOLDER`):

| kernel | tile | local bytes | sm_86 | sm_89 | sm_90 |
|---|---|---|---|---|---|
| contract, FLOAT32 | 128 x 128 | 8704 | 172, 0, 17% | 172, 0, 17% | 174, 0, 12% |
| contract, FLOAT32 | 64 x 64 | 8448 | 68, 0, 50% | 68, 0, 50% | 64, 24, 50% |
| contract, FLOAT32 | 32 x 32 | 4224 | 48, 0, 83% | 48, 0, 83% | 58, 0, 50% |
| contract, FLOAT16 | 128 x 128 | 8704 | 164, 0, 17% | 164, 0, 17% | 164, 0, 12% |
| contract, FLOAT16 | 64 x 64 | 8448 | 64, 0, 67% | 64, 0, 67% | 64, 0, 50% |
| contract, FLOAT16 | 32 x 32 | 4224 | 40, 0, 100% | 40, 0, 100% | 40, 0, 75% |
| contract_integer | 128 x 128 | 8704 | 102, 0, 33% | 102, 0, 33% | 98, 0, 25% |
| contract_integer | 64 x 64 | 8448 | 55, 0, 67% | 55, 0, 67% | 48, 0, 62% |
| contract_integer | 32 x 32 | 4224 | 40, 0, 100% | 40, 0, 100% | 32, 0, 100% |
| convolve, FLOAT32 | 128 x 128 | 10464 | 210, 0, 17% | 210, 0, 17% | 208, 0, 12% |
| convolve, FLOAT32 | 64 x 64 | 9664 | 114, 0, 33% | 114, 0, 33% | 120, 0, 25% |
| convolve, FLOAT32 | 32 x 32 | 5056 | 73, 0, 50% | 73, 0, 50% | 74, 0, 38% |
| convolve_integer | 128 x 128 | 10464 | 128, 0, 33% | 128, 0, 33% | 128, 8, 25% |
| convolve_integer | 64 x 64 | 9664 | 80, 0, 50% | 80, 0, 50% | 80, 0, 38% |
| convolve_integer | 32 x 32 | 5056 | 74, 0, 50% | 74, 0, 50% | 74, 0, 38% |

Nothing of this ran on a GPU yet. Where a work-item is a turn of a loop over vectors, as on PoCL, it
has vectors of the device's width instead. On PoCL 3.1 with AVX-512, beside the CPU device, one run,
interleaved, nine turns on a busy machine, processor time, so that neither waits for others: the
CPU device's over ours, median, is 0.38 of a product of 256 x 256 x 256, 0.37 of 512, 0.39 of 1,024,
0.27 of a 3 x 3 convolution of 64 channels of 56 x 56, 0.24 of a 1 x 1 of 256 channels of 14 x 14,
0.5 of sums of rows and 0.3 of columns. Later, on a machine as busy: 0.9 of sums of 1,000 rows of
4,096 and 0.07 of their columns, whose elements are far apart for a work-item; 1.6 of layer
normalization of 512 rows of 768, 0.26 of softmax of 512 of 512, 0.09 of the largest of 3 x 3 windows and 0.06 of their
averages, 0.05 of depthwise 3 x 3 filters over 64 channels of 56 x 56, and 0.09 with strides of 2.
These three are far from their aims: a work-item has a vector of a row, whose places are counted anew
for each tap.

**How they are held.** On PoCL every function is compared with the native ones over a stride of all
arguments, and every word with its NumPy form in up to four ways that it is built: for vectors, for
a GPU's work-items, and with a b + c by FLOAT64 and by integers. The golden vectors of fills, a share
of those of operators with tensors of any strides, the four networks of `samples/`, a transformer,
recurrent networks and random graphs run there as well. Oclgrind finds no race and nothing that is
read before it is written. Kernels are broken on purpose, each in a place of its own, and the probe or
a comparison notices it (`tests/opencl/test_breakages.py`).
"""


def text(all_words: Iterable[str]) -> str:
    """Return the part of the page."""
    rest = sorted(set(all_words) - set(words.names()) - _NEVER)
    by_numpy = f"So do {_listed(rest)}. " if rest else ""
    return TEXT.format(by_numpy=by_numpy, never=_listed(sorted(_NEVER)).replace(",", " and"))


#: What passes make for the CPU.
_NEVER = {"attention", "contract_stored"}


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
