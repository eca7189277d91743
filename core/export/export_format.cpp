// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/export_format.h"

#include "core/export/export_work.h"
#include "core/export/python_names.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace unroll {
namespace {

const char* const kLoadPython = R"py(import sys

sys.path.insert(0, {})
from model import example, load

model = load()
# Time first. Pass the states in again to continue.
loss, prediction, states = model(example())
print(prediction.shape)
)py";

const char* const kLoadSafetensors = R"py(from safetensors.torch import load_file  # pip install safetensors

weights = load_file({})
for name, weight in weights.items():
    print(name, tuple(weight.shape))
)py";

const char* const kLoadNpz = R"py(import numpy

weights = numpy.load({})
for name in weights.files:
    print(name, weights[name].shape)
)py";

const char* const kLoadTorch = R"py(import torch

weights = torch.load({}, weights_only=True)
for name, weight in weights.items():
    print(name, tuple(weight.shape))
)py";

const char* const kLoadOnnx = R"py(import os

import numpy
import onnxruntime  # pip install onnxruntime

session = onnxruntime.InferenceSession(os.path.join({}, "sequence.onnx"))
# Zeros of 12 steps of 2 sequences; the states begin as zeros. Outputs next.* go in again as state.* to continue.
sizes, types = {{"T": 12, "B": 2}}, {{"tensor(int64)": "int64", "tensor(float)": "float32", "tensor(bool)": "bool"}}
given = {{each.name: numpy.zeros([sizes.get(n, n) for n in each.shape], types[each.type]) for each in session.get_inputs()}}
for each, value in zip(session.get_outputs(), session.run(None, given)):
    print(each.name, value.shape)
)py";

} // namespace

const std::vector<ExportFormat>& exportFormats()
{
    static const std::vector<ExportFormat> formats{
        {"python",
         "Python model",
         "The network as readable PyTorch with its weights, and golden values for verification.",
         "Any Python with torch 2; it can be trained further.",
         "",
         {{"weights.safetensors", own::kModelWeights},
          {kConfusionFile, own::kConfusion, false},
          {"golden.safetensors", own::kGolden},
          {"README.txt", own::kReadme},
          {"model.py", own::kModel}},
         kLoadPython,
         "python {}/model.py --verify",
         &writePythonModel},
        {"safetensors",
         "Safetensors",
         "The weights under their names, as they are.",
         "The safetensors package for PyTorch, JAX, NumPy and Rust; unroll-cli train --init.",
         ".safetensors",
         {},
         kLoadSafetensors,
         "",
         &writeSafetensorsFile},
        {"npz",
         "NumPy arrays",
         "The weights under their names; bf16, which NumPy lacks, becomes float32.",
         "NumPy and compatible libraries.",
         ".npz",
         {},
         kLoadNpz,
         "",
         &writeNpzFile},
        {"pt",
         "PyTorch state_dict",
         "The weights under their names in model.py, as a dict of tensors.",
         "torch.load(..., weights_only=True) and load_state_dict.",
         ".pt",
         {},
         kLoadTorch,
         "",
         &writeStateDict},
        {"onnx",
         "ONNX",
         "One step of the network as standard operators, and the same over a whole sequence, with golden values.",
         "onnxruntime and whatever else reads ONNX 1.12 (operator set 17); Netron shows it.",
         "",
         {{"model.onnx", own::kOnnxStep},
          {"sequence.onnx", own::kOnnxSequence},
          {"golden.safetensors", own::kGolden},
          {"README.txt", own::kReadme}},
         kLoadOnnx,
         "",
         &writeOnnx}};
    return formats;
}

const ExportFormat* findExportFormat(const std::string& id)
{
    const auto found = std::find_if(exportFormats().begin(), exportFormats().end(),
                                    [&](const ExportFormat& each) { return each.id == id; });
    return found == exportFormats().end() ? nullptr : &*found;
}

std::vector<std::string> exportedFiles(const ExportFormat& format, const std::string& out)
{
    if (!format.isFolder())
        return {out};
    std::vector<std::string> files;
    for (const ExportedFile& file : format.files)
        if (file.always)
            files.push_back((std::filesystem::path(out) / file.name).string());
    return files;
}

std::string loadingSnippet(const ExportFormat& format, const std::string& out)
{
    return fmt::format(fmt::runtime(format.loading), pythonString(out));
}

} // namespace unroll
