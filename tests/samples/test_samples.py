"""The samples against ONNX Runtime on the same weights, and as programs."""

import re

import numpy as np
import pytest
from PIL import Image
from samples import mnist, mobilenet, pictures, squeezenet, superres
from samples.weights import Weights, WeightsError

import indirectml as dml
from tests.onnx_models import Model, relative_difference, session
from tests.real_models import steps_in_python

SAMPLES = {s.__name__.rpartition(".")[2]: s for s in (mnist, squeezenet, mobilenet, superres)}

#: Both sides round every product and sum in an order of their own. In parts of the largest output.
BOUND = 2e-5


def onnx_mnist(model):
    x = model.input("x", mnist.SIZES)
    for filter_, bias, pool in (("Parameter5", "Parameter6", 2), ("Parameter87", "Parameter88", 3)):
        x = model.node("Conv", x, model.constant(filter_), auto_pad="SAME_UPPER")
        x = model.node("Relu", model.node("Add", x, model.constant(bias)))
        x = model.node("MaxPool", x, kernel_shape=[pool] * 2, strides=[pool] * 2)
    x = model.node("Reshape", x, model.constant("row", np.array([1, 256])))
    x = model.node("MatMul", x, model.constant("Parameter193", sizes=[256, 10]))
    x = model.node("Add", x, model.constant("Parameter194", sizes=[1, 10]))
    return model.node("Softmax", x, axis=-1)


def onnx_squeezenet(model):
    def conv(x, number, **attributes):
        name = f"squeezenet0_conv{number}"
        bias = model.constant(f"{name}_bias", sizes=[-1])
        filter_ = model.constant(f"{name}_weight")
        return model.node("Relu", model.node("Conv", x, filter_, bias, **attributes))

    def pool(x):
        return model.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2])

    x = pool(conv(model.input("x", squeezenet.SIZES), 0, strides=[2, 2]))
    for fire in range(8):
        x = pool(x) if fire in {2, 4} else x
        squeezed = conv(x, 3 * fire + 1)
        wide = [conv(squeezed, 3 * fire + 2), conv(squeezed, 3 * fire + 3, pads=[1, 1, 1, 1])]
        x = model.node("Concat", *wide, axis=1)
    x = model.node("GlobalAveragePool", conv(x, 25))
    return model.node("Softmax", model.node("Flatten", x), axis=-1)


def onnx_mobilenet(model):
    def conv(x, prefix, number, *, relu=True, **attributes):
        x = model.node("Conv", x, model.constant(f"{prefix}conv{number}_weight"), **attributes)
        names = [f"{prefix}batchnorm{number}_{n}" for n in ("gamma", "beta", "running_mean",
                                                            "running_var")]  # fmt: skip
        moments = [model.constant(name, sizes=[-1]) for name in names]
        x = model.node("BatchNormalization", x, *moments, epsilon=mobilenet.EPSILON)
        return model.node("Relu", x) if relu else x

    features = "mobilenetv20_features_"
    pads = {"pads": [1, 1, 1, 1]}
    x = conv(model.input("x", mobilenet.SIZES), features, 0, strides=[2, 2], **pads)
    channels = 32
    for number in range(17):
        prefix, before = f"{features}linearbottleneck{number}_", x
        wide = channels * (1 if number == 0 else 6)
        stride = 2 if number in {1, 3, 6, 13} else 1
        x = conv(x, prefix, 0)
        x = conv(x, prefix, 1, strides=[stride] * 2, group=wide, **pads)
        x = conv(x, prefix, 2, relu=False)
        after = [16, 24, 24, 32, 32, 32, 64, 64, 64, 64, 96, 96, 96, 160, 160, 160, 320][number]
        x = model.node("Add", before, x) if after == channels else x
        channels = after
    x = model.node("GlobalAveragePool", conv(x, features, 1))
    x = model.node("Conv", x, model.constant("mobilenetv20_output_pred_weight"))
    return model.node("Softmax", model.node("Flatten", x), axis=-1)


def onnx_superres(model):
    x = model.input("x", superres.SIZES)
    for number, pad in enumerate((2, 1, 1, 1), 1):
        bias = model.constant(f"conv{number}.bias", sizes=[-1])
        filter_ = model.constant(f"conv{number}.weight")
        x = model.node("Relu", model.node("Conv", x, filter_, bias, pads=[pad] * 4))
    return model.node("DepthToSpace", x, blocksize=3, mode="CRD")


def compiled(sample):
    """Return a sample's graph with random weights, its input, and the weights."""
    graph = dml.Graph(dml.Device())
    weights = Weights(graph)
    x = graph.input(sample.SIZES, name="x")
    return graph.compile([sample.network(x, weights)]), weights.arrays


def random_picture(sample):
    """Return an input of random numbers from 0 to 1."""
    return np.random.default_rng(0).random(sample.SIZES, np.float32)


@pytest.mark.parametrize("name", SAMPLES)
def test_gives_what_onnx_runtime_gives_on_the_same_weights(name):
    sample = SAMPLES[name]
    graph, arrays = compiled(sample)
    model = Model(arrays)
    output = globals()[f"onnx_{name}"](model)
    x = random_picture(sample)

    (wanted,) = session(model.proto(output)).run(None, {"x": x})
    (actual,) = graph({"x": x})

    assert steps_in_python(graph) == []
    # So that there is something to compare: classes of different chances, none of them certain.
    assert np.ptp(wanted) > 0.5 * wanted.max() > 0
    assert name == "superres" or wanted.max() < 0.9
    assert relative_difference(actual.reshape(wanted.shape), wanted) < BOUND


@pytest.mark.parametrize("name", SAMPLES)
def test_same_bits_with_one_thread_and_plain_code(name):
    graph, _ = compiled(SAMPLES[name])
    x = random_picture(SAMPLES[name])
    (wanted,) = graph({"x": x})

    dml.configure(max_threads=1)
    (one,) = graph({"x": x})
    assert one.tobytes() == wanted.tobytes()
    if name == "mnist":  # the others take plain code seconds
        dml.configure(target="portable")
        (plain,) = graph({"x": x})
        assert plain.tobytes() == wanted.tobytes()


# ---- as programs ---------------------------------------------------------------------------------


@pytest.fixture
def picture(tmp_path):
    """Make a picture of a bright bar on dark ground."""
    pixels = np.zeros((40, 40, 3), np.uint8)
    pixels[5:35, 18:22] = 255
    path = tmp_path / "bar.png"
    Image.fromarray(pixels).save(path)
    return path


@pytest.fixture
def folder(tmp_path):
    """Write the weights of mnist into files, named as in DirectML's sample."""
    _, arrays = compiled(mnist)
    made = tmp_path / "weights"
    made.mkdir()
    for name, array in arrays.items():
        np.save(made / f"{name}.npy", array)
    return made


def test_says_which_digit_and_how_long(picture, folder, capsys):
    arguments = ["--picture", str(picture), "--weights", str(folder), "--repeat", "2", "--profile"]

    assert mnist.main([*arguments, "--threads", "1"]) == 0

    said = capsys.readouterr()
    chances = [float(c) for c in re.findall(r"^ *([\d.]+) %  \d$", said.out, re.MULTILINE)]
    assert len(chances) == 5
    assert chances == sorted(chances, reverse=True)
    assert f"mnist: 6 weights, 5,994 numbers, from: {folder}" in said.err
    assert re.search(r"ran in [\d.]+ ms, median of 2", said.err)
    assert re.search(r"[\d.]+ +[\d.]+% +2  CONVOLUTION", said.err)


def test_dark_digits_are_inverted(picture, tmp_path):
    inverted = tmp_path / "inverted.png"
    with Image.open(picture) as opened:
        Image.fromarray(255 - np.asarray(opened)).save(inverted)

    both = [mnist.prepared(str(path)) for path in (picture, inverted)]

    # Scaling rounds to one of 256 steps, up here and down there.
    np.testing.assert_allclose(*both, atol=2 / 255)
    assert both[0].max() == 1


def test_labels_name_the_classes(picture, tmp_path, capsys):
    labels = tmp_path / "labels.txt"
    labels.write_text("\n".join(f"thing {k}" for k in range(1000)), encoding="utf-8")

    assert squeezenet.main(["--picture", str(picture), "--labels", str(labels)]) == 0

    assert len(re.findall(r"%  thing \d+$", capsys.readouterr().out, re.MULTILINE)) == 5


def test_writes_a_picture_of_three_times_the_size(picture, tmp_path, capsys):
    large = tmp_path / "large.png"

    assert superres.main(["--picture", str(picture), "-o", str(large)]) == 0

    with Image.open(large) as opened:
        assert opened.size == (672, 672)
    assert f"wrote {large}: 672 by 672 pixels" in capsys.readouterr().err


def test_normalized_pictures_have_the_statistics_of_training(tmp_path):
    path = tmp_path / "grey.png"
    Image.new("L", (10, 10), 128).save(path)

    x = pictures.normalized(str(path))

    assert (x.shape, x.dtype) == ((1, 3, 224, 224), np.float32)
    wanted = (np.full(3, 128 / 255) - pictures.MEAN) / pictures.DEVIATION
    np.testing.assert_allclose(x[0, :, 100, 100], wanted, rtol=1e-5)


def test_mistakes_are_sentences(folder, tmp_path, capsys):
    text = tmp_path / "text.png"
    text.write_text("no picture", encoding="utf-8")
    np.save(folder / "Parameter88.npy", np.zeros(3, np.float32))
    missing = tmp_path / "missing"
    for arguments, wanted in (
        (["--weights", str(missing)], f"{missing}/Parameter5.npy: needs weights of [8, 1, 5, 5];"),
        (["--weights", str(folder)], "Parameter88.npy: needs floats of [1, 16, 1, 1], got float32"),
        (["--picture", str(text)], f"{text}: needs a picture that Pillow reads;"),
        (["--picture", str(missing)], f"{missing}: needs a picture that Pillow reads;"),
        (["--threads", "0"], "max_threads"),
    ):
        assert mnist.main(arguments) == 2
        said = capsys.readouterr().err
        assert wanted in said
        assert said.splitlines()[-1].startswith("python -m samples.mnist: ")
    with pytest.raises(SystemExit, match="2"):
        mnist.main(["--repeat", "0"])


def test_weights_are_floats(folder):
    np.save(folder / "Parameter6.npy", np.zeros(8, np.int64))
    weights = Weights(dml.Graph(dml.Device()), folder)

    with pytest.raises(WeightsError, match=r"needs floats of \[1, 8, 1, 1\], got int64 of \[8\]"):
        weights("Parameter6", [1, 8, 1, 1])
