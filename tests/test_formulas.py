"""Formulas of definitions as mathematics: what is written, what is left alone, nothing lost."""

import re

import pytest
from tools.formulas import sentence, with_mathematics
from tools.generate import families

from indirectml.descriptors.definitions import DEFINITIONS

#: Each reading of a sentence, and what it becomes.
WRITTEN = {
    "Output = A * B.": r"\mathrm{Output} = A \cdot B",
    "Output = (A + B) / 2.": r"\mathrm{Output} = \frac{A + B}{2}",
    "Output = A - B * floor(A / B).": (
        r"\mathrm{Output} = A - B \cdot \left\lfloor \frac{A}{B} \right\rfloor"
    ),
    "Output = |Input|.": r"\mathrm{Output} = \left|\mathrm{Input}\right|",
    "Output = 1 / sqrt(2).": r"\mathrm{Output} = \frac{1}{\sqrt{2}}",
    "Output = recip(A + 1).": r"\mathrm{Output} = \frac{1}{A + 1}",
    "Output = A - (B - 1).": r"\mathrm{Output} = A - (B - 1)",
    "Output = (A + 1) ^ Exponent.": r"\mathrm{Output} = (A + 1)^{\mathrm{Exponent}}",
    "Output = max(0, erf(A / 2)).": (
        r"\mathrm{Output} = \max\left(0, \operatorname{erf}\left(\frac{A}{2}\right)\right)"
    ),
    "Output = Input * Filter.": r"\mathrm{Output} = \mathrm{Input} \ast \mathrm{Filter}",
    "Output[i] = Input[i + 1].": r"\mathrm{Output}[i] = \mathrm{Input}[i + 1]",
    "Output = f(the norm along the axis, A).": (
        r"\mathrm{Output} = f(\text{the norm along the axis}, A)"
    ),
    "Output = Input, or A * Input below zero.": (
        r"\mathrm{Output} = \begin{cases} A \cdot \mathrm{Input} & \mathrm{Input} < 0 \\"
        r" \mathrm{Input} & \text{elsewhere} \end{cases}"
    ),
    "Output = 1 where A is less than or equal to B, 0 elsewhere.": (
        r"\mathrm{Output} = \begin{cases} 1 & \text{where } A \le B \\"
        r" 0 & \text{elsewhere} \end{cases}"
    ),
    "Output = A where the condition is not zero, B elsewhere.": (
        r"\mathrm{Output} = \begin{cases} A & \text{where the condition is not zero} \\"
        r" B & \text{elsewhere} \end{cases}"
    ),
    "Output = exp(t) / sum(exp(t)), with t = A - max(A).": (
        r"\mathrm{Output} = \frac{\exp(t)}{\sum \exp(t)}, \quad t = A - \max(A)"
    ),
    "Output[i] = Input at the coordinate (i + 0.5) / Scale - 0.5.": (
        r"\mathrm{Output}[i] = \mathrm{Input}\;\text{at the coordinate}\;"
        r"\frac{i + 0.5}{\mathrm{Scale}} - 0.5"
    ),
}

#: What is no formula, or not one alone, stays as it is.
LEFT = [
    "Output = the larger of A and B.",
    "Output = -1, 0 or 1, with the sign of Input.",
    "Output = A ^ B, bit by bit, whatever the data type.",
    "Output = A shifted left by B bits.",
    "Output = Input as a whole number.",
    "Output = as ACTIVATION_SOFTMAX1, along the last axis.",
    "Output = the largest whole number that is not above Input * Scale + Bias.",
    "Output = Value on a span of diagonals, Input elsewhere, or zeros if there is none.",
    "Outputs = the parts of the input along an axis.",
    "Output = A + (B.",
    "Output = A +.",
]


@pytest.mark.parametrize(("text", "formula"), WRITTEN.items(), ids=str)
def test_sentences_become_mathematics(text, formula):
    assert sentence(text) == f"```math\n{formula}\n```"


@pytest.mark.parametrize("text", LEFT)
def test_what_is_no_formula_stays_as_it_is(text):
    assert sentence(text) == text


def test_prose_behind_a_formula_follows_it():
    assert sentence("Output = A B, for each pair\nof matrices.") == (
        "```math\n\\mathrm{Output} = A\\,B\n```\n\nfor each pair of matrices."
    )


def test_a_block_of_formulas_is_aligned_and_other_blocks_stay():
    text = (
        "Output = A.\n\nWith:\n\n    H' = (1 - z) * h\n    z = X W^T          with Some\n\n"
        "More.\n\n    float32 [1] -> [2]"
    )

    assert with_mathematics(text) == (
        "```math\n\\mathrm{Output} = A\n```\n\nWith:\n\n```math\n\\begin{aligned}\n"
        "H' &= (1 - z) \\cdot h \\\\\nz &= X\\,W^{\\mathsf{T}} \\quad\\text{with Some}\n"
        "\\end{aligned}\n```\n\nMore.\n\n    float32 [1] -> [2]"
    )


#: Names and numbers: functions that TeX writes otherwise, and words around conditions, left out.
OPERAND = re.compile(r"\b(?:[A-Z]\w*|[a-z]|\d[\d.]*)\b")
COMMAND = re.compile(r"\\mathsf\{T\}|\\[a-z]+")


def test_no_operand_of_any_definition_is_lost_or_made_up():
    families()
    made = {name: d.text.split("\n\n")[0] for name, d in DEFINITIONS.items()}
    written = {name: sentence(text) for name, text in made.items() if sentence(text) != text}

    assert len(written) > 100
    for name, shown in written.items():
        left = OPERAND.findall(made[name].replace("^T", "").replace("recip(", "1("))
        right = OPERAND.findall(COMMAND.sub(" ", shown.replace("```math", "")))
        # "below zero" of an activation names its input and a number, and a word is a mark.
        extra = {"Input", "0"} if "\\begin{cases}" in shown else set()
        assert set(left) - set(right) == set(), name
        assert set(right) - set(left) <= extra, name
