// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/export_work.h"

#include "core/base/sha256.h"
#include "core/export/golden.h"
#include "core/export/onnx_model.h"
#include "core/export/python_graph.h"
#include "core/format/atomic_file.h"
#include "core/format/own_mark.h"
#include "core/format/protobuf.h"
#include "core/onnx/model_file.h"
#include "core/train/describe_run.h"

#include <fmt/format.h>

namespace unroll {
namespace {

/// With the mark as the last entry of the model's metadata: the end of the file.
std::string markedOnnx(std::string model, std::string_view kind)
{
    constexpr std::uint32_t kMetadata = 14;
    const std::string blank = format::blankMark(kind);
    format::ProtobufMessage entry, end;
    end.message(kMetadata, entry.bytes(1, "unroll").bytes(2, blank));
    model += end.encoded();
    model.resize(model.size() - blank.size());
    return model + format::ownMark(kind, sha256(model));
}

onnx::ModelNotes notesOf(const ExportWork& work)
{
    onnx::ModelNotes notes{"Unroll", unrollVersion(), work.run.experiment.title, metadataOf(work.run)};
    notes.more.erase("format");
    notes.more["state"] = "zeros before the first step";
    return notes;
}

std::string shapesText(const onnx::Graph& graph)
{
    std::string text;
    const auto add = [&](const char* side, const onnx::StepPort& port) {
        std::string shape = "B";
        for (std::int64_t size : port.rest)
            shape += fmt::format(", {}", size);
        const char* const type = port.type == onnx::Type::Float   ? "float32"
                                 : port.type == onnx::Type::Int64 ? "int64"
                                                                  : "bool";
        text += fmt::format("    {:<7} {:<30} {} [{}]\n", side, port.name, type, shape);
    };
    for (const onnx::StepPort& port : graph.inputs())
        add("input", port);
    for (const onnx::StepPort& port : graph.outputs())
        add("output", port);
    return text;
}

std::string onnxReadme(const ExportWork& work, const onnx::Graph& graph, const onnx::ModelNotes& notes)
{
    const TrainedRun& run = work.run;
    const RunEnvironment& made = run.folder.environment();
    std::string text = fmt::format("{}\n\n{}\n\n", run.experiment.title, run.experiment.summary);
    text += fmt::format("model.onnx          one step of B sequences: feed next.* back as state.* to go on\n"
                        "sequence.onnx       T steps at once, time first: the same step in a Scan\n"
                        "golden.safetensors  inputs and the expected outputs, in double and single precision\n\n"
                        "ONNX IR version {}, operator set {}, standard operators, float32. States are zeros before the "
                        "first step.\n\n{}\n"
                        "In sequence.onnx every input and output that is not a state has T before B.\n\n",
                        onnx::kIrVersion, onnx::kOpset, shapesText(graph));
    text += fmt::format(
        "{} parameters after {} updates. Unroll {}, torch {}, seed {}.\nData: {}\nsha256 of the data: {}\n",
        work.report.parameters, work.report.step, made.version, made.torch, made.seed, made.data, made.dataHash);
    if (const auto alphabet = notes.more.find("alphabet"); alphabet != notes.more.end())
        text += fmt::format("Classes of the tokens in their order, as JSON: {}\n", alphabet->second);
    return text;
}

} // namespace

Result<void> writeOnnx(ExportWork& work)
{
    const TrainedRun& run = work.run;
    onnx::Graph graph;
    if (auto laid = layOutOnnxStep(run.experiment.graph, run.checked, work.weights, work.steps, graph); !laid)
        return laid;
    if (onnx::weightBytes(graph) > onnx::kMostBytes)
        return fail("the weights take more than the 2 GB that a file of ONNX can hold", work.request.out);
    const onnx::ModelNotes notes = notesOf(work);
    const auto put = [&](const char* name, const auto& write) -> Result<void> {
        const std::filesystem::path file = std::filesystem::path(work.request.out) / name;
        if (auto started = beginFile(work, file); !started)
            return started;
        return write(file);
    };
    const auto bytes = [](std::string contents) {
        return
            [contents = std::move(contents)](const auto& file) { return format::writeFileAtomically(file, contents); };
    };
    const auto golden = [&](const auto& file) { return writeGolden(run, work.registry, work.builders, file); };
    return put("model.onnx", bytes(markedOnnx(onnx::stepModel(graph, notes), own::kOnnxStep)))
        .and_then([&] {
            return put("sequence.onnx", bytes(markedOnnx(onnx::sequenceModel(graph, notes), own::kOnnxSequence)));
        })
        .and_then([&] { return put("golden.safetensors", golden); })
        .and_then([&] {
            return put("README.txt", bytes(format::markedText(onnxReadme(work, graph, notes), own::kReadme, "")));
        });
}

} // namespace unroll
