// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/last_update.h"
#include "core/model/model.h"

#include <cstdint>
#include <optional>

namespace unroll {

/// The weights before the newest update, where a lens shows what it changed. Copies are written anew each time: blocks
/// of memory that come and go with every update cost more than what is copied.
class UpdateKeeping {
public:
    /// Before update `step`.
    void keep(const Model& model, std::int64_t step);
    void release() { m_update.reset(); }
    /// nullptr: the weights before that update were not kept.
    const LastUpdate* of(std::int64_t step) const;

private:
    std::optional<LastUpdate> m_update;
};

} // namespace unroll
