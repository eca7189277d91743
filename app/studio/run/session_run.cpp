// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/run/training_run.h"

namespace unroll {

namespace {

class SessionRun : public TrainingRun {
public:
    SessionRun(const Experiment& experiment, const BlockRegistry& registry, const Builders& builders,
               const SessionOptions& options)
        : m_session(experiment, registry, builders, options)
    {}

    void run() override { m_session.run(); }
    void pause() override { m_session.pause(); }
    void step(std::int64_t count) override { m_session.step(count); }
    void stop() override { m_session.stop(); }
    void checkpoint() override { m_session.checkpoint(); }
    void setLearningRate(double peak) override { m_session.setLearningRate(peak); }
    void watch(std::vector<WatchedSignal> watched) override { m_session.watch(std::move(watched)); }
    void setProbeText(const std::string& text) override { m_session.setProbeText(text); }
    void look() override { m_session.look(); }
    void sample(const std::string& prompt, std::int64_t tokens, double temperature, std::uint64_t seed) override
    {
        m_session.sample(prompt, tokens, temperature, seed);
    }
    void keepWeights() override { m_session.keepWeights(); }
    void folderMoved(const std::string& folder) override { m_session.folderMoved(folder); }
    std::vector<MetricRow> takeMetrics() override { return m_session.takeMetrics(); }
    std::shared_ptr<const Snapshot> snapshot() const override { return m_session.snapshot(); }

private:
    Session m_session;
};

} // namespace

StartRun sessionRuns(const BlockRegistry& registry, const Builders& builders)
{
    return [&registry, builders](const Experiment& experiment, const SessionOptions& options) {
        return std::make_unique<SessionRun>(experiment, registry, builders, options);
    };
}

} // namespace unroll
