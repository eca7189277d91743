// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/data_summary.h"
#include "core/base/mutex.h"
#include "core/experiment/data_cache.h"
#include "core/experiment/experiment.h"

#include <QObject>
#include <condition_variable>
#include <memory>
#include <optional>
#include <thread>

namespace unroll {

/// Checks experiments on a thread of its own, since the first check of a new text reads and counts the whole file, and
/// sums up their data there. Only the newest request is answered: one that was overtaken is dropped, before its turn or
/// after. Registry and data must outlive it.
class Checker : public QObject {
    Q_OBJECT
public:
    Checker(const BlockRegistry& registry, DataCache& data, QObject* parent = nullptr);
    ~Checker() override; ///< waits for the current check

    void request(Experiment experiment);

Q_SIGNALS:
    /// The answer to the newest request; on the thread of this object.
    void checked(std::shared_ptr<const unroll::CheckedGraph> result, const unroll::DataSummaries& data);

private:
    void work(const std::stop_token& stop);
    bool isNewest(std::uint64_t request);

    const BlockRegistry& m_registry;
    DataCache& m_data;
    DataReader m_reader; ///< of m_thread alone
    Mutex m_mutex;
    std::condition_variable_any m_wake;
    std::optional<Experiment> m_pending UNROLL_GUARDED_BY(m_mutex);
    std::uint64_t m_requested UNROLL_GUARDED_BY(m_mutex) = 0; ///< number of the newest request
    std::jthread m_thread;                                    ///< last member: joined before the others go
};

} // namespace unroll
