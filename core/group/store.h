// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/group/place.h"

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace unroll {

using StorePointer = c10::intrusive_ptr<c10d::Store>;

/// The store in memory of threads that meet as ranks.
class Meeting {
public:
    explicit Meeting(StorePointer store) : m_store(std::move(store)) {}
    const StorePointer& store() const { return m_store; }

private:
    StorePointer m_store;
};

/// Opens the store of a place, and waits there until all ranks have come.
Result<StorePointer> openStore(const RankPlace& place);

/// Who is still there after a call has failed, and what those that left have said.
struct Survey {
    bool answered = false;                                     ///< by the store
    std::vector<std::pair<std::int64_t, std::string>> reasons; ///< of ranks that left
    std::vector<std::int64_t> silent;                          ///< ranks that neither left nor came here
};

/// Tells the others at the store that this rank is there, and looks for up to two seconds who else is. A store that
/// hangs holds it up no longer.
Survey surveyRanks(const StorePointer& store, const RankPlace& place);

/// Leaves a reason at the store. Who serves the store stays until the others have read it, two seconds at most.
void leaveReason(const StorePointer& store, const RankPlace& place, const std::string& reason);

/// The first line of what torch or gloo say, without places in their sources.
std::string plainText(const std::string& words);

} // namespace unroll
