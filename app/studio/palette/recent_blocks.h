// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/recent_list.h"

namespace unroll {

/// The blocks that were placed last, by their ids.
class RecentBlocks : public RecentList {
public:
    static constexpr qsizetype kMost = 8;

    explicit RecentBlocks(QSettings& settings) : RecentList(settings, "palette/recent", kMost) {}
};

} // namespace unroll
