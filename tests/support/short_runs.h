// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"
#include "core/experiment/data_cache.h"
#include "core/session/mailbox.h"
#include "core/session/session.h"
#include "core/train/trainer.h"
#include "tests/support/looks.h"
#include "tests/support/tiny_experiment.h"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

namespace unroll::testing {

/// One that outlives what was checked with it.
inline const BlockRegistry& registry()
{
    static const auto* blocks = new BlockRegistry(allSpecs());
    return *blocks;
}

/// Data, model and trainer of an experiment, on this thread.
struct BuiltRun {
    BlockRegistry registry = allSpecs();
    std::shared_ptr<const Dataset> data;
    std::unique_ptr<Model> model;
    std::unique_ptr<Trainer> trainer;

    /// With `other` data where given; the graph is checked with its own.
    explicit BuiltRun(const Experiment& experiment, std::shared_ptr<const Dataset> other = nullptr,
                      BlockRegistry blocks = allSpecs(), const Builders& builders = allBuilders())
        : registry(std::move(blocks))
    {
        DataCache cache(allBuilders());
        const CheckedGraph checked = checkExperiment(experiment, registry, cache);
        for (const Diagnostic& diagnostic : checked.diagnostics)
            EXPECT_NE(diagnostic.severity, Severity::Error) << diagnostic.sentence;
        const CheckedNode& source = checked.nodes.at(checked.source);
        data = other ? other : cache.open(source.spec->id, source.params, experiment.folder).value();
        model = std::move(Model::build(experiment.graph, checked, registry, builders, experiment.seed).value());
        trainer = std::make_unique<Trainer>(experiment, *model, *data);
    }

    at::Tensor weight(const std::string& name) const
    {
        for (const Weight& each : model->weights())
            if (each.name == name)
                return each.tensor;
        ADD_FAILURE() << "no weight " << name;
        return {};
    }
};

inline std::vector<double> losses(const std::vector<MetricRow>& rows)
{
    std::vector<double> found;
    for (const MetricRow& row : rows)
        found.push_back(row.values.at("train/loss"));
    return found;
}

/// A session that was run to its end.
struct EndedRun {
    std::vector<MetricRow> rows;
    Snapshot last;

    explicit EndedRun(const Experiment& experiment, SessionOptions options = {},
                      std::vector<WatchedSignal> watched = {})
    {
        const auto session = startSession(experiment, allSpecs(), allBuilders(), std::move(options));
        std::vector<LensQuery> open = statesOf(watched);
        if (!open.empty())
            open.push_back(forecastQuery()); // there is one where numbers are told
        session->ask(std::move(open));
        session->run();
        EXPECT_TRUE(session->finish(240));
        rows = session->takeMetrics();
        last = *session->snapshot();
    }

    bool told(const std::string& words) const
    {
        for (const std::string& line : last.log)
            if (line.find(words) != std::string::npos)
                return true;
        return false;
    }
};

inline std::vector<double> trainAll(const Experiment& experiment, SessionOptions options = {},
                                    std::vector<WatchedSignal> watched = {})
{
    const EndedRun run(experiment, std::move(options), std::move(watched));
    EXPECT_EQ(run.last.state, RunState::Finished) << run.last.failure;
    return losses(run.rows);
}

/// False: it did not come in that time, which is long for a busy machine.
template <class Condition>
bool waitUntil(Condition condition, std::chrono::milliseconds limit = std::chrono::minutes(4))
{
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
}

/// Asks for `count` updates and waits until they are done.
inline bool stepAndWait(Session& session, std::int64_t count)
{
    const std::int64_t target = session.snapshot()->step + count;
    session.step(count);
    return waitUntil([&] {
        const auto snapshot = session.snapshot();
        return hasEnded(snapshot->state) || (snapshot->state == RunState::Paused && snapshot->step == target);
    });
}

} // namespace unroll::testing
