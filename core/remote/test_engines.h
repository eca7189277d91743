// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/builders.h"
#include "core/remote/engine.h"
#include "core/remote/engine_socket.h"
#include "core/remote/remote_session.h"
#include "tests/support/short_runs.h"

#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace unroll::testing {

/// Engines on threads of this process, and the pipes to them: the first connection begins a run, later ones meet the
/// engine at its door.
class EngineThreads {
public:
    EngineThreads() { ::setenv("UNROLL_SOCKETS", (m_folder / "doors").c_str(), 1); }
    ~EngineThreads()
    {
        m_interrupted = true;
        m_threads.clear();
        ::unsetenv("UNROLL_SOCKETS");
    }
    EngineThreads(const EngineThreads&) = delete;
    EngineThreads& operator=(const EngineThreads&) = delete;

    /// `run`: where later connections look for the engine.
    RemotePlace place(const std::string& run = {})
    {
        RemotePlace place;
        place.name = "the other thread";
        place.sameDisk = true;
        place.leavesRunning = false;
        place.retrySeconds = 0.02;
        place.connect = [this, run]() -> Result<RemotePipe> {
            if (m_threads.empty())
                return begin();
            if (m_refuses)
                return fail("the network is down");
            auto met = meetEngine(run);
            if (!met)
                return tl::unexpected(met.error());
            ++m_met;
            return RemotePipe{nullptr, std::move(*met)};
        };
        return place;
    }
    /// The first connection breaks.
    void cut() const { ::shutdown(m_cutting, SHUT_RDWR); }
    void refuse(bool connections) { m_refuses = connections; }
    int met() const { return m_met; }

private:
    Result<RemotePipe> begin()
    {
        const auto files = pipePair();
        EXPECT_TRUE(files);
        m_cutting = files->first;
        m_threads.emplace_back([this, theirs = files->second] {
            const Builders builders = allBuilders();
            serveEngine(std::make_unique<Channel>(theirs, theirs),
                        {registry(), builders, [this] { return m_interrupted.load(); }});
        });
        return RemotePipe{nullptr, std::make_unique<Channel>(files->first, files->first)};
    }

    TestFolder m_folder;
    std::atomic<bool> m_interrupted = false, m_refuses = false;
    std::atomic<int> m_met = 0;
    int m_cutting = -1;
    std::vector<std::jthread> m_threads;
};

/// What training computes of its rows, without times.
inline std::vector<MetricRow> untimed(std::vector<MetricRow> rows)
{
    for (MetricRow& row : rows) {
        row.seconds = 0;
        std::erase_if(row.values, [](const auto& value) { return value.first.starts_with("perf/"); });
    }
    return rows;
}

} // namespace unroll::testing
