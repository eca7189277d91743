// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/export_format.h"

#include "core/export/export_work.h"
#include "core/export/python_names.h"
#include "core/export/python_parts.h"

#include <algorithm>
#include <filesystem>

namespace unroll {
namespace {

/// Stands for the place of an export in the files of core/export/python/loading/.
constexpr std::string_view kPlace = "\"exported\"";

/// Without licence line and docstring.
std::string withoutHead(std::string_view file)
{
    constexpr std::string_view kEnd = "\"\"\"\n\n"; // of the docstring
    const std::size_t end = file.find(kEnd);
    return std::string(file.substr(end == std::string_view::npos ? 0 : end + kEnd.size()));
}

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
         py::load_python,
         "python {}/model.py --verify",
         &writePythonModel},
        {"safetensors",
         "Safetensors",
         "The weights under their names, as they are.",
         "The safetensors package for PyTorch, JAX, NumPy and Rust; unroll-cli train --init.",
         ".safetensors",
         {},
         py::load_safetensors,
         "",
         &writeSafetensorsFile},
        {"npz",
         "NumPy arrays",
         "The weights under their names; bf16, which NumPy lacks, becomes float32.",
         "NumPy and compatible libraries.",
         ".npz",
         {},
         py::load_npz,
         "",
         &writeNpzFile},
        {"pt",
         "PyTorch state_dict",
         "The weights under their names in model.py, as a dict of tensors.",
         "torch.load(..., weights_only=True) and load_state_dict.",
         ".pt",
         {},
         py::load_torch,
         "",
         &writeStateDict},
        {"pt2",
         "PyTorch program",
         "One step of the network as a program of torch.export, its weights included.",
         "torch.export.load, AOTInductor and ExecuTorch. A Python with torch writes it.",
         ".pt2",
         {},
         py::load_step,
         "",
         &writeStepProgram},
        {"onnx",
         "ONNX",
         "One step of the network as standard operators, and the same over a whole sequence, with golden values.",
         "onnxruntime and whatever else reads ONNX 1.12 (operator set 17); Netron shows it.",
         "",
         {{"model.onnx", own::kOnnxStep},
          {"sequence.onnx", own::kOnnxSequence},
          {"golden.safetensors", own::kGolden},
          {"README.txt", own::kReadme}},
         py::load_onnx,
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
    std::string text = withoutHead(format.loading);
    const std::string place = pythonString(out);
    for (std::size_t at = text.find(kPlace); at != std::string::npos; at = text.find(kPlace, at + place.size()))
        text.replace(at, kPlace.size(), place);
    return text;
}

} // namespace unroll
