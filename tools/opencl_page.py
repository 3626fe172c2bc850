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

- **Kernels**: programs become OpenCL C; words and fills have kernels in
  `src/indirectml/opencl/kernels/`. Sizes are arguments, and pyopencl keeps on disk what was built.
- **What is built when**: a program for each word, its data types, and what sizes choose: one of the
  tiles, or none below four rows or columns; how many axes there are, when those that follow each
  other without a gap are one; whether neighbours lie side by side, are the same, or lie apart; places
  of 32 bits, or of 64 from 2^31 elements on; on a CPU vectors or single elements, and 16, 32 or 64
  pixels of a row. Another size that chooses the same compiles nothing. Of any sizes products have
  3 programs on a GPU and 2 on a CPU, convolutions of 3 x 3 3 and 5, softmax 4 and 3, one function or sum 2 and 1
  (`tests/opencl/test_sizes.py` counts these).
- **By NumPy forms**, on copies that go up and down, by decision: what the table below has.
  {by_numpy}{never} are made for the CPU alone: here attention is its products, programs and softmax, and
  stored weights are dequantized.
- **Recurrence** is a launch for each part of each step, over all sequences and hidden units: its
  product by chains of 256, and the cell as a program.
- **Bits**: FLOAT32 travels as integers; only what computes makes numbers of them. Comparisons,
  whole numbers, conversions, remainders and FLOAT16 are done by integers on every device, so they do
  not depend on how it rounds, or on subnormal numbers.
- **The probe**: at first use 27 operations (15 without FLOAT64; 4 more with dot products) run on 65,536 bit patterns each, and
  are compared with the CPU. The verdict is kept in the user's cache, for a device, its driver and
  these kernels; so is how fast FLOAT64 is beside FLOAT32, by which functions choose what they begin with, with the same
  bits. A fused multiplication that is wrong is done by FLOAT64, or by integers; a division or
  a root that is not rounded once, as OpenCL allows, by fma, and what that leaves open likewise; so are sums and products of FLOAT32, which are wrong where a device flushes subnormal
  numbers, or makes an fma of a product and a sum, and functions then; FLOAT64 of which any operation is wrong is taken for none. A step that
  needs another operation which is wrong runs by its NumPy form. `indirectml info --probe` tries
  4,194,304 patterns (fma of FLOAT64, whose right results are fractions, 8,192).
- **Data stays there**: constants go up once; outputs with `readback=False` are Buffers there, and
  inputs may be; `np.asarray` of one is a read-only copy. Buffers that a recorded list is bound to
  stay there too: executed again, it transfers nothing of them. The memory of the host that it is
  bound to goes up and comes down once each time, and its temporary resources are memory of the device
  alone. Memory that came back is given out again, up to a sixteenth of all that the device has. What goes up and down is counted: a profile shows it for a call, and for each step.
- **What a device needs**: OpenCL 1.2, little-endian numbers, work-groups of 64 and 16 KiB for each; one
  that lacks something is named, with what it lacks, where there is no other. Nothing else is taken:
  no sub-groups, images, generic addresses or arithmetic of `half`, and of warnings of compilers none.
  Tiles are those that its work-groups and their memory have room for, and kernels whose work-items
  share something say how many these are, so that a compiler keeps to the registers of so many.
- **Limits**: one queue and one lock for each device, so threads take turns. A process that was forked
  after the first use is refused. Memory that the device has not is refused before anything runs, what
  it has not in one piece too, with both numbers. What would take a slow device more than some tenths
  of a second is started in parts, since Windows, and some drivers of screens, end a kernel of two
  seconds; one long chain, a running sum of 10^8 elements, is no part of that. A driver that gives up
  raises DeviceLostError with its reason; a new device starts anew. A compiler that refuses a kernel is
  quoted.

### What stays on the CPU

| step | where | because |
|---|---|---|
| windows over more than three axes, or of more than 16,777,216 positions | everywhere | no operator of DirectML has the first; counts of the second are two levels of sums |
| softmax of FLOAT64, norms of order 3 and more to FLOAT64, results of another data type than what they are taken from | everywhere | no operator asks for them |
| programs of more than 60 arrays | everywhere | kernels have 1,024 bytes of parameters at least, and no more for sure |
| what needs an operation that the probe has found wrong | that device | bits |

`indirectml explain MODEL --device opencl` names the steps of a model, and how many they are.

### What is proved, and what is not

One GPU has run this, and four implementations that need none, the latter with all examples of all
operators beside the CPU device, bit by bit (`python -m tests.opencl.compare`):

| implementation | says of itself | the probe | operators |
|---|---|---|---|
| NVIDIA H200, driver 580.159 | FLOAT64, subnormals, fma, division | 27 right, of 4,194,304 patterns each | see below |
| PoCL 3.1 | FLOAT64, subnormals, fma, division | 27 right | 714 cases: 0 differ |
| Intel's runtime for CPUs, 2026.2 | FLOAT64, subnormals, dot products | 31 right | 714 cases: 0 differ |
| rusticl of Mesa 22.3, on llvmpipe | none of these | 14 right; fma wrong | 714 cases: 0 differ |
| Oclgrind 21.10 | FLOAT64, subnormals | 27 right | tiny cases: 0 differ, no race, nothing read before it is written |

rusticl is why integers of 64 bits are compared in words: it takes -1 for no less than 0.
In random graphs 99 of 100 steps have kernels (560 of 563 in 40 graphs).

**On the H200** the tests of kernels (`tests.opencl.whole`) found no other bit before anything was made
for it: 599 passed, and 32 failed for a reason of their own, as they took for granted that a device that
flushes subnormal numbers does so in products, too (it does in sums alone). With the tiles, held rows and
several elements of a work-item that are below, 637 passed, and 2 failed that named what is launched. Functions over
several elements came last, and with these, on another H200, all tests pass, and the 15 cases of the report have
the bits of the CPU and the speeds below. At first 712 of 722 passed: 16 processes, each with its contexts, had
more than the driver opens (`OUT_OF_HOST_MEMORY`), which was a traceback; it is a sentence now, and eight processes
run the tests.

What was never seen: other GPUs, the loss of one; OpenCL on Windows and macOS. The probe and the tests are
what tells there, and limits are tried with PoCL: told that it has work-groups of 64, 16 KiB for each and no FLOAT64, with all launches in
many parts, and told to flush subnormal numbers (`tests/opencl/test_limits.py`; without that `tanh`
would have had other bits there).

### On a GPU, one command

In a clone, with its driver, after `pip install -e ".[test,opencl]"`:

```sh
python -m benchmarks.gpu --device opencl    # writes gpu.md
```

It says what the device says of itself and what a long probe finds, runs the tests of all kernels on it
(`python -m tests.opencl.whole opencl`), measures its memory and its arithmetic by kernels of nothing
else, and then words and functions beside these limits, beside PyTorch where this has the same GPU, and
beside the aims: element by element, sums, softmax and layer norm 0.8 of the memory's limit, products
of FLOAT32 0.7 of PyTorch's, convolutions 0.5, products of INT8 0.6 of the arithmetic, 100 steps 1 ms of
the host. Each result is compared with the CPU device, bit by bit. `--no-tests` leaves out the tests,
which build some thousand kernels.

### On paper

What limits a word on a GPU, by the bytes that it has to move and the operations that it has to do; a
part of 1.0 is the speed of memory.

{roofline}
### Kernels

FLOAT64 is needed by sums, softmax, pooling, resampling, regions and what a program has of it, and by
what functions leave open, as the table below has it. A device without it has it by integers (`kernels/float64.cl`: sum, product, quotient,
root and what is between types, each rounded once), and so nothing stays on the CPU for want of it.
Functions have two arithmetics: each is written once (`kernels/accurate.cl`), over pairs of FLOAT64
(`kernels/pairs.cl`), for what FLOAT64 leaves open, and over integers of 128 bits with an exponent
(`kernels/exact.cl`), which decide all that FLOAT32 does not where there is no FLOAT64; rusticl runs
them so, and on PoCL both are compared with the native ones over bits of any kind.

**Functions begin with FLOAT64** where it is at least a fourth as fast as FLOAT32, as GPUs of data centres have it
(0.63 on the H200). Of a number that is off by 2^-40 of itself the last bits say whether it is surely rounded right:
those beyond FLOAT32 are not within that of half way. Two products and two more roundings had taken a third of
exp.

**They begin with pairs of FLOAT32** where a work-item is one of another GPU, and where there is no FLOAT64, if fma is right: erf,
exp, gelu, sigmoid and tanh by the tables of the native ones (`kernels/singles.cl`), then, and all others at once,
by the polynomials of FLOAT64, whose coefficients are sums of two (`kernels/polynomials.cl`; all are written from the
file of the native ones). A sum of two that is right to a margin decides where both of its ends round to the same
number, to FLOAT16 too. With a fourth of these margins 42 million arguments of most functions, and 4 of the first
five, had no wrong result; with none, up to 46 had. Open of 1,000 arguments, of a million between -8 and 8, where
nothing else is said (the five with tables alone: 1.5 to 5), and instructions of NVIDIA's PTX up to there
(`python -m tests.opencl.strides STRIDE` counts what is open or wrong, of any stride of all arguments):

{shares}
sin, cos and tan of any finite argument are among these: up to 2^20 quarters of a circle are taken away in three
parts, from there on by integers. Left to FLOAT64, or to integers, are results that are subnormal numbers or next to
them, roots and quotients of what is beyond 2^60 or below 2^-60, pow of -0, and below 0 of exponents from 2^22 on,
and atan2 of 0 or of numbers 2^60 apart. What softmax masks is 0 without it. A division that a device does not round
once takes fma where both sides are between 2^-48 and 2^48.

**Programs** are a kernel for each element, or of many elements for four, a work-group apart: what they read is asked
for at once, and functions are loops over four without a branch, whose constants are loaded once for all. Where a work-item is a thread of a CPU they are a loop over a
span of a row, and each function a loop of its own without branches: what FLOAT64 leaves open is
decided one by one behind it. With AVX-512 erf, exp, gelu, sigmoid and tanh begin with pairs of FLOAT32
there too, as one instruction reads their tables for sixteen elements (`kernels/many.cl`): in all they
take 0.6 to 0.85 of what FLOAT64 takes. The check of a bound for each element had cost three quarters of the
time, and branches of functions nine tenths.

**Rows that a work-group holds**: normalization by moments and softmax of up to 4,096 elements of a row
are read once, kept in local memory, summed by sixteen work-items as rule S16 has it, and written once.
Quotients are made by one of them: by all they took as long as the sums.

**Products and convolutions** are tiles: a work-group has 32 x 32 to 128 x 128 elements, each with
its chain and its total in registers: the largest of which there are three quarters as many as units that
run at once. What comes next is read while products are made, into a second tile. Of 128 products of a convolution
it is known at once where their taps are; each work-item reads one pixel for all of them. They are chosen
within the work-groups and the memory of these that a device has. The same kernels, compiled as CUDA
C++ by NVRTC and ptxas 12.9, take on a GPU (registers of a work-item, bytes spilled, part of a
multiprocessor's work-items that run at once; `python -m tools.opencl_registers FOLDER`; a test
compares the table with what the compilers count, where they are installed):

{registers}
**Dot products** of four integers of 8 bits, which a device says it has (`cl_khr_integer_dot_product`) and the
probe has found right, are what tiles of `contract_integer` and `convolve_integer` have where work-items are
threads of a GPU: words of four in local memory, of every sign, and zero points by sums of rows and columns
(`kernels/dots.cl`). Otherwise products are one by one. Intel's runtime alone has them here, with the same bits; it
says that they are fast, and 1024 x 1024 x 1024 took 126 ms with them in a GPU's tiles, 51 ms without, and
28 ms by vectors: so a CPU does not take them.

Where a work-item is a turn of a loop over vectors, as on PoCL, it has vectors of the device's width
instead.

### Measured on a GPU

NVIDIA H200, `python -m benchmarks.gpu --no-tests`, beside PyTorch 2.11 with CUDA 13 (FLOAT32 without TF32). *Before*
is what the kernels took that had never seen a GPU.

{on_gpu}
The limits, by kernels of nothing else: 3,308 GB/s, 59,078 Gop/s of FLOAT32, 32,278 of INT32, 32,189 of FLOAT64.
a b + a - b moves more than that, which a copy by 16 bytes for each work-item does not reach. A network of 100 steps
took 0.83 ms of the host (1.07 before).

What made the difference, in ms: products of 4096 14.3 to 37.5 TFLOP/s by reading four numbers at once from local
and global memory (`vload4` reads one after the other), with rows side by side, whole steps of a tile without a
loop, and 16 products between barriers in place of 8. Two tiles of each side in turn gained 5 to 17 % of small
products and lost 4 % of large ones. Convolutions kept what they wrote at the end in memory, as a loop of unknown
count reads registers by number; with that, and places of taps made once for 128 products, 3 x 3 took 0.19 instead of
0.51. Functions: tables in `constant` memory are read for one work-item after the other where their places differ,
so gelu, which reads eleven, took 0.56; by FLOAT64 0.22, without a second rounding 0.20, four at once 0.18. sqrt and sums of
two: 0.068 to between 0.047 and 0.063, and 0.066 to 0.050, by four elements of a work-item. Nothing gained: groups of 512 and 1,024 work-items
(5 to 40 % more), eight elements of each; sums of rows read by eight at once took twice as long.

What is left: pairs of FLOAT32 by tables on GPUs whose FLOAT64 is slow, which would have to lie in local memory (exp 0.15,
gelu 0.52 on the H200); gelu and tanh are divisions and polynomials of FLOAT64, log a division.

### Measured without one

As a check against waste, PoCL 3.1 beside the CPU device on two cores of an Intel Xeon (Emerald
Rapids, AVX-512), one run of 41 rounds, interleaved, processor time; the CPU device's time over PoCL's,
more is faster (`python -m benchmarks.devices`). The aims are 0.3 in products and 0.5 element by element, which
the medians reach.

{measured}
**Functions** where FLOAT64 alone decides, and in pairs of FLOAT32, for 65,536 elements, interleaved, the
fastest of 100 in ms: exp 0.072 and 0.048, gelu 0.236 and 0.149, sigmoid 0.115 and 0.067, tanh 0.125 and
0.102, erf 0.131 and 0.111. Loops over 256 elements at a time in place of 64 took a tenth less. Tables that
were gathered from were no faster than FLOAT64, and OpenCL's `shuffle` is a load for each element in PoCL.
**Rows and windows**: the largest of each row took 0.44 ms of softmax's 1.1, and 0.055 as a loop of
vectors; averages of 3 x 3 took 6.0 ms, and 1.6 since loops over sixteen outputs are vectors. Since whole vectors
are read where none of a window's row is padding, and sixteen results are written at once, the largest of 3 x 3 have
0.20 of the CPU device's speed where they had 0.11, and averages 0.22 where they had 0.16; 1 x 1 convolutions, whose pixels
are one row, 0.41 where they had 0.17 (loaded).
**Memory**: outputs were new memory each time, whose pages cost 0.3 ms for 4 MiB; now a device keeps a
sixteenth of its memory of what came back. **Products**: 256 between barriers, where there were 64, took
1024 from 0.28 to 0.33 of the CPU device and 512 from 0.42 to 0.46; tiles of 64 x 128 and 128 x 128 lay
between, and 32 at a time took half as long again.

What is left of the waste: a depthwise row is copied for each row of taps, and half of the time of calls below a
millisecond is Python's and the driver's.

**How they are held.** On PoCL, and in CI on Intel's runtime (`python -m tests.opencl.whole intel`), all
operators are compared with the CPU, every function with the native ones over a stride of all
arguments, the golden vectors of fills and a share of those of operators with tensors of any strides,
the four networks of `samples/`, a transformer, recurrent networks and random graphs. On PoCL every
word is compared with its NumPy form in up to four ways that it is built: for vectors, for a GPU's
work-items, and with a b + c by FLOAT64 and by integers; functions also where quotients and roots are three units of
the last place off, which OpenCL allows. Arguments whose results need a margin are wrong without it. Oclgrind runs every kernel on tiny arrays, and
finds no race and nothing that is read before it is written. Every kernel is broken on purpose, and the
probe or a comparison notices it (`tests/opencl/test_breakages.py`). Tests derive both lists from the
files of kernels, so that none can be forgotten.
"""


#: What benchmarks/gpu.py has printed on an NVIDIA H200, before and now.
ON_GPU = """| case | before, ms | now, ms | speed | part of the limit | of PyTorch's speed | aim |
|---|--:|--:|--:|--:|--:|--:|
| a b + a - b, 16,777,216 numbers | 0.066 | 0.051 | 3,982 GB/s | 1.20 of memory | 2.94 | 0.8 |
| exp | 0.175 | 0.069 | 1,939 GB/s | 0.59 of memory | 0.50 | 0.8 |
| tanh | 0.194 | 0.101 | 1,334 GB/s | 0.40 of memory | 0.35 | 0.8 |
| log | 0.150 | 0.090 | 1,496 GB/s | 0.45 of memory | 0.39 | 0.8 |
| sin | 0.175 | 0.079 | 1,693 GB/s | 0.51 of memory | 0.44 | 0.8 |
| sqrt | 0.068 | 0.063 | 2,142 GB/s | 0.65 of memory | 0.56 | 0.8 |
| gelu | 0.559 | 0.180 | 747 GB/s | 0.23 of memory | 0.20 | 0.8 |
| sums of 16,384 rows of 1,024 | 0.029 | 0.032 | 2,103 GB/s | 0.64 of memory | 0.68 | 0.8 |
| softmax of the same rows | 0.283 | 0.077 | 1,747 GB/s | 0.53 of memory | 0.49 | 0.8 |
| layer norm of the same rows | 0.125 | 0.065 | 2,067 GB/s | 0.62 of memory | 0.80 | 0.8 |
| product of 1024 x 1024, FLOAT32 | 0.162 | 0.083 | 25,908 Gop/s | 0.44 of FLOAT32 | 0.68 | 0.7 of PyTorch |
| product of 4096 x 4096, FLOAT32 | 9.63 | 3.81 | 36,035 Gop/s | 0.61 of FLOAT32 | 0.70 | 0.7 of PyTorch |
| product of 4096 x 4096, INT8 | 7.30 | 6.75 | 20,358 Gop/s | 0.63 of INT32 | | 0.6 |
| 3 x 3 convolution, 64 channels of 16 images, 56^2 | 0.508 | 0.188 | 19,664 Gop/s | 0.33 of FLOAT32 | 0.69 | 0.5 of PyTorch |
| 1 x 1 convolution, 256 channels of 16 images, 56^2 | 0.789 | 0.347 | 18,957 Gop/s | 0.32 of FLOAT32 | 0.50 | 0.5 of PyTorch |
"""

#: What benchmarks/devices.py has printed on PoCL.
MEASURED = """| case | CPU device, ms | PoCL, ms | ratio, median | lowest | highest |
|---|--:|--:|--:|--:|--:|
| products: 256 x 256 x 256 | 0.513 | 1.28 | 0.40 | 0.14 | 0.62 |
| products: 512 x 512 x 512 | 2.86 | 7.57 | 0.37 | 0.25 | 0.62 |
| products: 1024 x 1024 x 1024 | 20.5 | 45.1 | 0.44 | 0.33 | 0.61 |
| element by element, 1,048,576: a b + a - b | 0.958 | 0.8 | 1.19 | 0.77 | 2.04 |
| element by element: exp | 0.855 | 1.42 | 0.60 | 0.34 | 0.79 |
| element by element: tanh | 2.02 | 2.59 | 0.78 | 0.57 | 1.37 |
| element by element: log | 1.97 | 2.82 | 0.70 | 0.45 | 1.07 |
| element by element: gelu | 1.67 | 2.53 | 0.64 | 0.36 | 0.91 |
| convolutions: 3 x 3, 64 channels of 56 x 56 | 2.75 | 9.91 | 0.28 | 0.16 | 0.34 |
| convolutions: 1 x 1, 256 channels of 14 x 14 | 0.459 | 1.41 | 0.32 | 0.08 | 0.70 |
| convolutions: depthwise 3 x 3, 64 of 56 x 56 | 0.146 | 0.926 | 0.16 | 0.09 | 0.43 |
| convolutions: depthwise 3 x 3, strides 2 | 0.0816 | 0.784 | 0.13 | 0.07 | 0.27 |
| rows: sums of 1,000 rows of 4,096 | 1.24 | 2.28 | 0.53 | 0.28 | 0.71 |
| rows: sums of 4,096 columns of 1,000 | 1.11 | 2.9 | 0.38 | 0.22 | 0.89 |
| rows: layer norm of 512 rows of 768 | 0.376 | 0.835 | 0.45 | 0.27 | 0.58 |
| rows: softmax of 512 rows of 512 | 0.483 | 0.953 | 0.51 | 0.18 | 0.97 |
| windows: largest of 3 x 3, 64 of 56 x 56 | 0.408 | 1.45 | 0.29 | 0.20 | 0.64 |
| windows: averages of 3 x 3, 64 of 56 x 56 | 0.553 | 2.32 | 0.24 | 0.16 | 0.26 |

A network of 100 steps, each a launch, took 0.28 to 0.88 ms of the host's time (of the calling thread; the aim is
1 ms).
"""

#: Functions in pairs of FLOAT32: what these leave open, and what they take.
SHARES = """| function | open | PTX | function | open | PTX | function | open | PTX |
|---|--:|--:|---|--:|--:|---|--:|--:|
| acos, from -1 to 1 | 0.38 | 205 | cosh | 0.08 | 230 | sigmoid | 0.09 | 82 |
| acosh, from 1 | 0.09 | 404 | erf | 0.06 | 85 | sin | 0.50 | 375 |
| asin, from -1 to 1 | 0.35 | 185 | exp | 0.10 | 68 | sinh | 0.09 | 234 |
| asinh | 0.08 | 420 | expm1 | 0.22 | 183 | softplus | 0.18 | 300 |
| atan | 0.17 | 217 | gelu | 0.10 | 102 | sqrt, from 0.01 | 0.02 | 47 |
| atan2 | 0.17 | 250 | log, from 0.01 | 0.05 | 174 | tan | 0.50 | 392 |
| atanh, from -1 to 1 | 0.08 | 222 | pow, from 0.01 | 0.15 | 347 | tanh | 0.11 | 114 |
| cos | 0.53 | 373 | rsqrt, from 0.01 | 0.02 | 60 | | | |
"""

#: What tools/opencl_registers.py has printed.
REGISTERS = """| kernel | tile | local bytes | sm_86 | sm_89 | sm_90 |
|---|---|---|---|---|---|
| contract, FLOAT32 | 128 x 128, 256 work-items | 33280 | 223, 0, 17% | 223, 0, 17% | 238, 0, 12% |
| contract, FLOAT32 | 128 x 64, 256 work-items | 25088 | 123, 0, 33% | 123, 0, 33% | 130, 0, 12% |
| contract, FLOAT32 | 64 x 64, 128 work-items | 16896 | 159, 0, 25% | 159, 0, 25% | 161, 0, 19% |
| contract, FLOAT32 | 32 x 32, 256 work-items | 8704 | 47, 0, 83% | 47, 0, 83% | 50, 0, 50% |
| contract, FLOAT32 | 64 x 64, 64 work-items | 8448 | 244, 0, 17% | 244, 0, 17% | 225, 0, 12% |
| contract, FLOAT32 | 32 x 32, 64 work-items | 8704 | 122, 0, 33% | 122, 0, 33% | 126, 0, 25% |
| contract, FLOAT16 | 128 x 128, 256 work-items | 33280 | 206, 0, 17% | 206, 0, 17% | 218, 0, 12% |
| contract, FLOAT16 | 128 x 64, 256 work-items | 25088 | 124, 0, 33% | 124, 0, 33% | 126, 0, 25% |
| contract, FLOAT16 | 64 x 64, 128 work-items | 16896 | 127, 0, 33% | 127, 0, 33% | 127, 0, 25% |
| contract, FLOAT16 | 32 x 32, 256 work-items | 8704 | 47, 0, 83% | 47, 0, 83% | 48, 0, 62% |
| contract, FLOAT16 | 64 x 64, 64 work-items | 8448 | 224, 0, 17% | 224, 0, 17% | 226, 0, 12% |
| contract, FLOAT16 | 32 x 32, 64 work-items | 8704 | 96, 0, 42% | 96, 0, 42% | 96, 0, 31% |
| contract_integer | 128 x 128, 256 work-items | 33280 | 131, 0, 17% | 131, 0, 17% | 128, 0, 25% |
| contract_integer | 128 x 64, 256 work-items | 25088 | 107, 0, 33% | 107, 0, 33% | 98, 0, 25% |
| contract_integer | 64 x 64, 128 work-items | 16896 | 95, 0, 42% | 95, 0, 42% | 96, 0, 31% |
| contract_integer | 32 x 32, 256 work-items | 8704 | 38, 0, 100% | 38, 0, 100% | 40, 0, 75% |
| contract_integer | 64 x 64, 64 work-items | 8448 | 129, 0, 29% | 129, 0, 29% | 128, 0, 25% |
| contract_integer | 32 x 32, 64 work-items | 8704 | 91, 0, 42% | 91, 0, 42% | 79, 0, 38% |
| convolve, FLOAT32 | 128 x 128, 256 work-items | 36864 | 236, 0, 17% | 236, 0, 17% | 240, 0, 12% |
| convolve, FLOAT32 | 128 x 64, 256 work-items | 28672 | 180, 0, 17% | 180, 0, 17% | 188, 0, 12% |
| convolve, FLOAT32 | 64 x 64, 128 work-items | 20480 | 164, 0, 25% | 164, 0, 25% | 184, 0, 12% |
| convolve, FLOAT32 | 32 x 32, 256 work-items | 12288 | 112, 0, 33% | 112, 0, 33% | 118, 0, 25% |
| convolve, FLOAT32 | 64 x 64, 64 work-items | 12032 | 240, 0, 17% | 240, 0, 17% | 248, 0, 12% |
| convolve, FLOAT32 | 32 x 32, 64 work-items | 12288 | 144, 0, 29% | 144, 0, 29% | 162, 0, 19% |
| convolve_integer | 128 x 128, 256 work-items | 36864 | 188, 0, 17% | 188, 0, 17% | 192, 0, 12% |
| convolve_integer | 128 x 64, 256 work-items | 28672 | 128, 8, 33% | 128, 8, 33% | 128, 12, 25% |
| convolve_integer | 64 x 64, 128 work-items | 20480 | 156, 0, 25% | 156, 0, 25% | 160, 0, 19% |
| convolve_integer | 32 x 32, 256 work-items | 12288 | 112, 0, 33% | 112, 0, 33% | 120, 0, 25% |
| convolve_integer | 64 x 64, 64 work-items | 12032 | 168, 8, 25% | 168, 8, 25% | 188, 0, 16% |
| convolve_integer | 32 x 32, 64 work-items | 12288 | 126, 0, 33% | 126, 0, 33% | 126, 0, 25% |
"""

#: Words, the bytes that they move, what they compute, and what limits them on a GPU.
ROOFLINE = (
    ("programs; fills", (), "each array once", "a few per element; functions see below",
     "memory: 1.0"),
    ("functions", (), "8 per element", "47 to 420 of FLOAT32, see below; FLOAT64 for 1 in 2,000 or less",
     "memory: 1.0 up to the 140 to 330 that consumer cards have time for; else 0.4 to 0.8"),
    ("", ("sum16", "sum16_of_squares", "sum16_of_magnitudes", "mean", "l2", "moments", "product64"),
     "x once; `moments` twice", "an addition of FLOAT64 per element, in 16 lanes a row",
     "memory for many rows: 0.6 to 1.0; few long rows: the additions of a lane, one after the other"),
    ("", ("softmax", "log_softmax"), "x twice, powers twice, y once",
     "exp, and an addition of FLOAT64 per element", "memory: 0.4 to 1.0"),
    ("", ("normalize_by_moments", "normalize_by_norm"), "x three times or twice, y once",
     "4 of FLOAT64 per element", "memory: 0.4 to 1.0; consumer cards: FLOAT64"),
    ("", ("largest", "smallest", "index_of_largest", "index_of_smallest", "hardmax", "wrapped_sum",
          "wrapped_product"), "x once; `hardmax` y too", "a comparison of integers per element",
     "memory: 1.0 for many rows"),
    ("", ("contract", "convolve"), "tiles of both sides",
     "2 per term, in chains of 256 with two accumulators",
     "arithmetic of FLOAT32, no tensor cores: 0.7 of a tuned library; 3x3 filters 0.35 to 0.5"),
    ("", ("contract_integer", "convolve_integer"), "tiles of both sides", "exact in any order",
     "arithmetic of integers"),
    ("", ("contract_wide_integer",), "rows and columns, from the cache", "2 of 32 bits per term",
     "memory: no tiles"),
    ("", ("recurrence",), "weights once a step", "2 per weight and sequence",
     "launches of small steps; weights from the cache: 3 launches a step"),
    ("", ("average_pool", "window_sums", "lp_pool", "local_response"),
     "x once, from the cache for each tap; y once",
     "an addition of FLOAT64 per tap; the response a power", "consumer cards: FLOAT64; else memory"),
    ("", ("max_pool", "max_pool_with_indices"), "x once, from the cache for each tap; y once",
     "a comparison of integers per tap", "memory: 1.0 for small windows"),
    ("", ("average_pool_gradient", "max_pool_gradient", "fold"),
     "gradients from the cache for each tap; y once",
     "a division of integers per axis and tap, an addition of FLOAT64", "arithmetic of integers"),
    ("", ("unfold",), "x from the cache, y once", "divisions of integers per element", "memory"),
    ("", ("resample",), "x from the cache for each tap; between axes FLOAT64 once",
     "2 of FLOAT64 per tap", "memory; consumer cards: FLOAT64"),
    ("", ("take_nearest", "gather", "gather_elements", "gather_tuples", "known", "from_halves",
          "into_halves"), "each element once", "divisions of integers per element",
     "memory, as far as neighbours lie together"),
    ("", ("scatter_elements", "scatter_tuples"), "x, updates and indices twice",
     "an atomic maximum per update, which finds the last", "memory; many updates of one place: atomics"),
    ("", ("roi_pool", "roi_align", "roi_align_gradient_of_regions"),
     "elements from the cache for each sample; y once", "about 20 of FLOAT64 per sample",
     "FLOAT64"),
    ("", ("roi_align_gradient",), "for each element the cells that reach it",
     "about 20 of FLOAT64 per sample and element", "FLOAT64; few regions"),
    ("", ("scan",), "x and y once", "one after the other along a line",
     "few lines: the chain; many: memory"),
    ("", ("top_k",), "x once; lines of more than 16,384 once for each pass",
     "n comparisons per element of a line; n log^2 n of long ones", "arithmetic of integers"),
    ("", ("dequantize_blocks",), "x and y once", "2 per element", "memory: 1.0"),
    ("", ("integer_power",), "x, exponent and y once", "2 per bit of the exponent",
     "arithmetic of integers"),
)  # fmt: skip


def roofline() -> str:
    """Return the table of what limits words."""
    lines = ["| words | bytes | operations | limit |", "|---|---|---|---|"]
    for name, own, *cells in ROOFLINE:
        lines.append(f"| {name or _listed(own)} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def text(all_words: Iterable[str]) -> str:
    """Return the part of the page."""
    rest = sorted(set(all_words) - set(words.names()) - _NEVER)
    by_numpy = f"So do {_listed(rest)}. " if rest else ""
    return TEXT.format(
        roofline=roofline(),
        measured=MEASURED,
        on_gpu=ON_GPU,
        registers=REGISTERS,
        shares=SHARES,
        by_numpy=by_numpy,
        never=_listed(sorted(_NEVER)).replace(",", " and"),
    )


#: What passes make for the CPU.
_NEVER = {"attention", "contract_stored"}


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
