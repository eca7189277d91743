// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/export_work.h"

#include "core/format/npz.h"
#include "core/format/torch_file.h"

namespace unroll {

Result<void> writeSafetensorsFile(ExportWork& work)
{
    if (auto started = beginFile(work, work.request.out); !started)
        return started;
    return format::writeSafetensors(work.request.out, viewsOf(work.weights), metadataOf(work.run),
                                    format::systemCalls(), own::kWeights);
}

Result<void> writeNpzFile(ExportWork& work)
{
    if (auto started = beginFile(work, work.request.out); !started)
        return started;
    auto written = format::writeNpz(work.request.out, viewsOf(work.weights), format::systemCalls(), own::kWeights);
    if (!written)
        return tl::unexpected(written.error());
    work.report.notes = written->widened;
    return {};
}

/// Under the names of model.py, so that its Model.load_state_dict takes them.
Result<void> writeStateDict(ExportWork& work)
{
    std::map<std::string, std::string> metadata;
    renameWeights(work, metadata);
    if (auto started = beginFile(work, work.request.out); !started)
        return started;
    return format::writeTorchFile(work.request.out, viewsOf(work.weights), format::systemCalls(), own::kWeights);
}

} // namespace unroll
