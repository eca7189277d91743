// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/copy_task.h"
#include "core/model/builders.h"

namespace unroll::nodes::copy {

Result<std::shared_ptr<const Dataset>> open(const SourceSetup& setup)
{
    const auto number = [&](const char* name) { return std::get<std::int64_t>(setup.params.at(name)); };
    return CopyTask::create({.symbols = number("symbols"),
                             .length = number("length"),
                             .delay = number("delay"),
                             .evaluationSequences = number("evaluation_sequences")});
}

} // namespace unroll::nodes::copy
