// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/export_format.h"

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

} // namespace

const std::vector<ExportFormatInfo>& exportFormats()
{
    static const std::vector<ExportFormatInfo> formats{
        {ExportFormat::Python,
         "python",
         "Python model",
         "The network as readable PyTorch with its weights, and golden values for verification.",
         "Any Python with torch 2; it can be trained further.",
         "",
         {"weights.safetensors", "golden.safetensors", "README.txt", "model.py"},
         kLoadPython},
        {ExportFormat::Safetensors,
         "safetensors",
         "Safetensors",
         "The weights under their names, as they are.",
         "The safetensors package for PyTorch, JAX, NumPy and Rust; unroll-cli train --init.",
         ".safetensors",
         {},
         kLoadSafetensors},
        {ExportFormat::Npz,
         "npz",
         "NumPy arrays",
         "The weights under their names; bf16, which NumPy lacks, becomes float32.",
         "NumPy and compatible libraries.",
         ".npz",
         {},
         kLoadNpz}};
    return formats;
}

const ExportFormatInfo& exportFormat(ExportFormat format)
{
    return *std::find_if(exportFormats().begin(), exportFormats().end(),
                         [&](const ExportFormatInfo& info) { return info.format == format; });
}

const ExportFormatInfo* findExportFormat(const std::string& id)
{
    for (const ExportFormatInfo& info : exportFormats())
        if (info.id == id)
            return &info;
    return nullptr;
}

std::vector<std::string> exportedFiles(ExportFormat format, const std::string& out)
{
    const ExportFormatInfo& info = exportFormat(format);
    if (!info.suffix.empty())
        return {out};
    std::vector<std::string> files;
    for (const std::string& name : info.files)
        files.push_back((std::filesystem::path(out) / name).string());
    return files;
}

std::string loadingSnippet(ExportFormat format, const std::string& out)
{
    return fmt::format(fmt::runtime(exportFormat(format).loading), pythonString(out));
}

} // namespace unroll
