// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/source.h"
#include "core/data/tasks/parity_task.h"

namespace unroll::nodes::parity {

Result<std::shared_ptr<const Dataset>> open(const SourceSetup& setup)
{
    return ParityTask::create({.shortest = setup.integer("shortest"),
                               .longest = setup.integer("longest"),
                               .validationShortest = setup.integer("validation_shortest"),
                               .validationLongest = setup.integer("validation_longest"),
                               .everyStep = setup.text("ask") == "every",
                               .published = setup.text("form") == "published",
                               .evaluationSequences = setup.integer("evaluation_sequences")});
}

} // namespace unroll::nodes::parity
