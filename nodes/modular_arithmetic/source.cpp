// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/source.h"
#include "core/data/tasks/modular_arithmetic_task.h"

namespace unroll::nodes::modular_arithmetic {

Result<std::shared_ptr<const Dataset>> open(const SourceSetup& setup)
{
    return ModularArithmeticTask::create({.modulus = setup.integer("modulus"),
                                          .products = setup.text("operators") == "all",
                                          .shortest = setup.integer("shortest"),
                                          .longest = setup.integer("longest"),
                                          .validationShortest = setup.integer("validation_shortest"),
                                          .validationLongest = setup.integer("validation_longest"),
                                          .everyNumber = setup.text("ask") == "every",
                                          .evaluationSequences = setup.integer("evaluation_sequences"),
                                          .brackets = setup.boolean("brackets"),
                                          .depth = setup.integer("depth")});
}

} // namespace unroll::nodes::modular_arithmetic
