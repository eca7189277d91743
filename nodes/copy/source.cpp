// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/source.h"
#include "core/data/tasks/copy_task.h"

namespace unroll::nodes::copy {

Result<std::shared_ptr<const Dataset>> open(const SourceSetup& setup)
{
    return CopyTask::create({.symbols = setup.integer("symbols"),
                             .length = setup.integer("length"),
                             .delay = setup.integer("delay"),
                             .evaluationSequences = setup.integer("evaluation_sequences"),
                             .selective = setup.boolean("selective")});
}

} // namespace unroll::nodes::copy
