// SPDX-License-Identifier: GPL-3.0-or-later
// What model.py has where each sequence has one label.
#include "core/export/python_text.h"

namespace unroll {

const char* const kPythonEncodeCharacters = R"py(def encode(text):
    """Classes of a text, int64 [T]. Characters that the alphabet lacks raise a ValueError."""
    index = {character: i for i, character in enumerate(ALPHABET)}
    unknown = [character for character in text if character not in index]
    if unknown:
        raise ValueError(f"the model has not learned {unknown[0]!r}")
    return torch.tensor([index[character] for character in text], dtype=torch.int64)
)py";

const char* const kPythonEncodeBytes = R"py(def encode(text):
    """Classes of a text, int64 [T]: its bytes in UTF-8."""
    return torch.tensor(list(text.encode()), dtype=torch.int64)
)py";

const char* const kPythonLabelText = R"py(def label(model, text):
    """The chance of each label of a text, the likeliest first."""
    with torch.no_grad():
        _, logits, _ = model(encode(text).unsqueeze(1))
    chances = logits.reshape(-1, len(LABELS))[-1].softmax(0)
    return sorted(zip(LABELS, chances.tolist()), key=lambda entry: -entry[1])
)py";

const char* const kPythonLabelSeries = R"py(def normalise(numbers, columns):
    """Numbers [..., columns] as the model reads them."""
    shift, scale = torch.tensor([column[1:] for column in columns], dtype=torch.float64).T
    return ((numbers - shift) / scale).float()


def label(model, series):
    """The chance of each label of a series [T, columns] in the columns' own units, the likeliest first."""
    with torch.no_grad():
        _, logits, _ = model(normalise(series.double(), INPUTS).unsqueeze(1))
    chances = logits.reshape(-1, len(LABELS))[-1].softmax(0)
    return sorted(zip(LABELS, chances.tolist()), key=lambda entry: -entry[1])


def read_series(path):
    """A step a line, its columns with commas or blanks between: [T, columns]."""
    with open(path, encoding="utf-8-sig") as file:
        steps = [[float(number) for number in line.replace(",", " ").split()] for line in file if line.strip()]
    if not steps or any(len(step) != len(INPUTS) for step in steps):
        raise ValueError(f"{path}: expected {len(INPUTS)} numbers on each line: {', '.join(name for name, _, _ in INPUTS)}")
    return torch.tensor(steps, dtype=torch.float64)
)py";

} // namespace unroll
