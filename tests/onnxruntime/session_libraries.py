"""Libraries that build on sessions, run on one kind of session in a process of its own; a program.

``python -m tests.onnxruntime.session_libraries magika ours`` prints what the library makes of data
that is always the same, as JSON; ``theirs`` instead of ``ours`` takes ONNX Runtime itself.
"""

import json
import sys
from importlib import import_module
from importlib.resources import files
from unittest.mock import MagicMock

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import indirectml.onnxruntime

#: What each library has to have beside it.
NEEDS = {
    "magika": ("magika", "onnxruntime"),
    "silero_vad": ("silero_vad", "onnxruntime"),
    "rapidocr": ("rapidocr_onnxruntime", "onnxruntime", "cv2", "shapely", "pyclipper", "yaml"),
}


def magika():
    """Tell what kinds of files some bytes are."""
    kinds = [
        b"def f(x):\n    return x + 1\n\nprint(f(2))\n" * 20,
        b"<html><body><p>Hello</p></body></html>" * 10,
        b'{"a": [1, 2, 3], "b": null}' * 20,
    ]
    made = import_module("magika").Magika()
    found = [made.identify_bytes(data) for data in kinds]
    return [str(each.output.label) for each in found], [float(each.score) for each in found]


def silero_vad():
    """Find where somebody speaks, in noise with a hum in its middle."""
    # The package imports torch for other classes; the one for sessions needs none of it.
    sys.modules |= {"torch": MagicMock(), "torchaudio": MagicMock()}
    module = import_module("silero_vad.sequence_vad")
    seconds = np.arange(32000) / 16000
    phase = 2 * np.pi * (140 * seconds + np.sin(6 * np.pi * seconds))
    hum = sum(np.sin(phase * k) / k for k in range(1, 20)) * (1 + np.sin(8 * np.pi * seconds))
    sound = np.random.default_rng(1).standard_normal(32000) * 0.01
    sound[8000:24000] += 0.1 * hum[8000:24000]
    sound = sound.astype(np.float32)
    model = module.SileroVADSequence(str(files("silero_vad") / "data/silero_vad_16k_sequence.onnx"))
    return module.get_speech_timestamps_sequence(sound, model), model.audio_forward(sound).tolist()


def rapidocr():
    """Read two lines out of a picture."""
    picture = Image.new("RGB", (320, 96), "white")
    for y, line in ((8, "IndirectML"), (50, "Hello 2026")):
        font = ImageFont.load_default(28)
        ImageDraw.Draw(picture).text((12, y), line, fill="black", font=font)
    found, _ = import_module("rapidocr_onnxruntime").RapidOCR()(np.asarray(picture))
    return [[box, text] for box, text, _ in found], [float(score) for _, _, score in found]


if __name__ == "__main__":
    if sys.argv[2] == "ours":
        indirectml.onnxruntime.stand_in()
    made, numbers = globals()[sys.argv[1]]()
    sys.stdout.write(json.dumps([sys.modules["onnxruntime"].__name__, made, numbers]) + "\n")
