// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/source.h"
#include "core/data/tasks/vector_copy_task.h"

namespace unroll::nodes::vector_copy {

Result<std::shared_ptr<const Dataset>> open(const SourceSetup& setup)
{
    return VectorCopyTask::create({.bits = setup.integer("bits"),
                                   .length = setup.integer("length"),
                                   .delay = setup.integer("delay"),
                                   .evaluationSequences = setup.integer("evaluation_sequences")});
}

} // namespace unroll::nodes::vector_copy
