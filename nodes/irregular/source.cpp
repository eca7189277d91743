// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/source.h"
#include "core/data/tasks/irregular_task.h"

namespace unroll::nodes::irregular {

Result<std::shared_ptr<const Dataset>> open(const SourceSetup& setup)
{
    return IrregularTask::create({.length = setup.integer("length"),
                                  .unevenness = setup.real("unevenness"),
                                  .evaluationSequences = setup.integer("evaluation_sequences")});
}

} // namespace unroll::nodes::irregular
