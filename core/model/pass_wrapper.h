// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/model.h"

namespace unroll {

/// Stands between a model and whoever runs it: Model::wrap().
class PassWrapper {
public:
    virtual ~PassWrapper() = default;
    /// In place of Model::forward(), which runs the plan itself when it is called from here.
    virtual ModelOutput pass(Model& model, const ModelInput& input, const States& states,
                             const PassContext& context) = 0;
    /// What sequences begin from where no states are given, [sequences, ...]; zeros in nodes that are not named.
    virtual States start(std::int64_t sequences) const = 0;
};

} // namespace unroll
