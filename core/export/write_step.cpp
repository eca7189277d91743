// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/export_work.h"

#include "core/data/zip_archive.h"
#include "core/export/python_graph.h"
#include "core/export/run_python.h"
#include "core/export/single_step.h"
#include "core/format/atomic_file.h"
#include "core/format/zip_writer.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <stdlib.h>
#include <string_view>
#include <vector>

namespace unroll {
namespace {

namespace fs = std::filesystem;

/// Prints the states of the step in their order, "lstm 0, lstm 1".
constexpr const char* kProgram = "import sys\n"
                                 "sys.path.insert(0, sys.argv[1])\n"
                                 "import model\n"
                                 "names = model.save_step(sys.argv[2], sys.argv[1])\n"
                                 "print(', '.join(f'{node} {part}' for node, part in names), end='')\n";

/// A folder of its own among temporary files, removed at the end.
class StepFolder {
public:
    StepFolder()
    {
        std::error_code error;
        m_path = (fs::temp_directory_path(error) / "unroll-step-XXXXXX").string();
        m_error = mkdtemp(m_path.data()) == nullptr ? errno : 0;
    }
    ~StepFolder()
    {
        std::error_code error;
        if (m_error == 0)
            fs::remove_all(m_path, error);
    }
    StepFolder(const StepFolder&) = delete;
    StepFolder& operator=(const StepFolder&) = delete;

    fs::path path() const { return m_path; }
    int error() const { return m_error; }

private:
    std::string m_path;
    int m_error = 0;
};

/// The entries of the archive that torch.export wrote, in one of ours, which has our mark. One entry is in memory at a
/// time.
Result<void> takeOver(const fs::path& archive, const fs::path& out)
{
    const auto theirs = ZipArchive::open(archive);
    if (!theirs)
        return fail("torch.export wrote an archive that " + theirs.error().message);
    auto file = format::AtomicFile::create(out);
    if (!file)
        return tl::unexpected(file.error());
    format::ZipWriter zip(*file);
    zip.markAs(own::kWeights);
    const std::vector<std::string> names = theirs->names();
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::string bytes;
        auto taken = theirs->entry(i)->read([&](std::string_view piece) -> Result<void> {
            bytes += piece;
            return {};
        });
        if (taken)
            taken = zip.add(names[i], {bytes});
        if (!taken)
            return taken;
    }
    return zip.finish().and_then([&] { return file->commit(); });
}

Result<void> writeModelTo(const fs::path& folder, ExportWork& work)
{
    ExportRequest request = work.request;
    request.out = folder.string();
    request.beforeFile = {};
    ExportWork model{request, work.run, std::move(work.weights), work.registry, work.builders, work.steps, {}};
    model.report.step = work.report.step;
    auto written = writePythonModel(model);
    work.report.notes = std::move(model.report.notes);
    return written;
}

} // namespace

Result<void> writeStepProgram(ExportWork& work)
{
    const TrainedRun& run = work.run;
    if (const std::string why = noSingleStep(run.experiment.graph, run.checked); !why.empty())
        return fail(why + ", and a program of torch.export is of one step");
    if (modelPorts(run.checked).perSequence)
        return fail("the model has one target for a whole sequence, so that a step has none");
    const StepFolder folder;
    if (folder.error() != 0)
        return fail(fmt::format("a temporary folder cannot be made: {}", std::strerror(folder.error())),
                    folder.path().string());
    if (auto started = beginFile(work, work.request.out); !started)
        return started;
    const fs::path step = folder.path() / "step.pt2";
    return writeModelTo(folder.path() / "model", work)
        .and_then([&] {
            return runPython(kProgram, {folder.path() / "model", step}, folder.path(), work.request.stop);
        })
        .and_then([&](const std::string& states) {
            work.report.notes.push_back(
                states.empty() ? "the step takes the input [B] or [B, features] alone: the model has no state"
                               : fmt::format("the step takes the input and the states {}, which begin as zeros, and "
                                             "gives the prediction and them; B is 1 to 1024",
                                             states));
            return takeOver(step, work.request.out);
        });
}

} // namespace unroll
