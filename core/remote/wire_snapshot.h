// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/message.h"
#include "core/base/result.h"
#include "core/session/snapshot.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace unroll {

/// Makes messages of snapshots, for one viewer. What is large and was in the snapshot before (frames of lenses, kept
/// weights, reports of weights) is named by its number alone.
class SnapshotSender {
public:
    Message message(const Snapshot& snapshot);

private:
    std::map<std::shared_ptr<const void>, std::int64_t> m_sent; ///< of the newest snapshot: none dies and is mistaken
    std::int64_t m_last = 0;
};

/// The snapshots again, in the order in which they were sent.
class SnapshotReceiver {
public:
    Result<std::shared_ptr<const Snapshot>> snapshot(const Message& message);

private:
    /// Of the newest snapshot, by the member that they came in (each has one type) and their number.
    using Known = std::map<std::pair<std::string, std::int64_t>, std::shared_ptr<const void>>;

    Known m_known;
};

} // namespace unroll
