// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/source.h"
#include "core/data/tasks/recall_task.h"

namespace unroll::nodes::recall {

Result<std::shared_ptr<const Dataset>> open(const SourceSetup& setup)
{
    return RecallTask::create({.vocabulary = setup.integer("vocabulary"),
                               .pairs = setup.integer("pairs"),
                               .length = setup.integer("length"),
                               .evaluationSequences = setup.integer("evaluation_sequences")});
}

} // namespace unroll::nodes::recall
