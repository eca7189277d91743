// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/scripted_run.h"

#include "core/session/mailbox.h"
#include "core/session/run_record.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace unroll::test {

namespace {

constexpr std::int64_t kProbeSteps = 40;
constexpr std::int64_t kProbeWidth = 24;

class ScriptedRun : public Session {
public:
    ScriptedRun(std::shared_ptr<Script> script, const Experiment& experiment, const SessionOptions& options)
        : m_script(std::move(script)), m_steps(experiment.training.steps)
    {
        m_script->started.push_back(experiment);
        m_script->options.push_back(options);
        if (options.ended)
            showRecord(*options.ended);
        else
            beginAnew(options);
        publish();
    }

    ~ScriptedRun() override
    {
        if (!m_isRecord) // which goes on a thread of its own
            m_script->commands.push_back("end");
    }

    void run() override
    {
        revive(m_now.step < m_steps);
        tell("run", RunState::Running);
    }
    void pause() override
    {
        tell("pause", RunState::Paused);
        freshen();
        publish();
    }
    void stop() override
    {
        m_stopping = !hasEnded(m_now.state);
        tell("stop", m_script->slowToStop ? m_now.state : RunState::Stopped);
        m_now.canGoOn = m_now.state == RunState::Stopped;
        freshen();
        publish();
    }
    void checkpoint() override
    {
        m_script->commands.push_back("checkpoint");
        m_now.checkpointed = m_now.step;
        publish();
    }
    void step(std::int64_t count) override
    {
        revive(true);
        tell("step", m_now.state);
        if (hasEnded(m_now.state))
            return;
        m_now.steps = m_steps = std::max(m_steps, m_now.step + count);
        advance(count);
        publish();
    }
    void setLearningRate(double peak) override { m_script->learningRates.push_back(peak); }
    void ask(std::vector<LensQuery> open) override
    {
        m_script->commands.push_back("ask");
        m_script->open = m_open = std::move(open);
        m_script->watched = needsOf(m_open).watched;
        if (m_isRecord)
            return openRecord();
        makeProbe(); // as a run looks when it is told what at
        publish();
    }
    void setReading(const ReadingRequest& reading) override
    {
        m_script->commands.push_back("reading");
        m_script->reading = reading;
        makeProbe(); // as a run does
        publish();
    }
    void look() override
    {
        m_script->commands.push_back("look");
        makeProbe();
        publish();
    }
    void sample(const std::string& prompt, std::int64_t, const SamplingRule&, std::uint64_t) override
    {
        m_script->commands.push_back("sample");
        m_now.samples.push_back({m_now.step, prompt + "nce upon a <time>"});
        publish();
    }

    void keepWeights() override
    {
        m_script->commands.push_back("keepWeights");
        m_now.notKept = m_script->notKept;
        if (m_now.notKept.empty())
            m_now.keptWeights = std::make_shared<const KeptWeights>(KeptWeights{"scripted", {}});
        publish();
    }

    void folderMoved(const std::string& folder) override
    {
        m_script->commands.push_back("folderMoved");
        m_now.runFolder = folder;
        publish();
    }

    std::vector<MetricRow> takeMetrics() override
    {
        if (m_stopping && m_script->slowToStop && m_script->released)
            m_now.state = RunState::Stopped; // for good
        if (m_now.state == RunState::Running)
            advance(m_script->stepsAPoll);
        publish();
        return std::exchange(m_rows, {});
    }
    std::shared_ptr<const Snapshot> snapshot() const override { return m_published; }
    bool finish(double) override { return hasEnded(m_now.state); } ///< nobody else moves it on

private:
    void beginAnew(const SessionOptions& options)
    {
        if (options.keptWeights)
            m_now.initialWeights = std::make_shared<const WeightReport>(m_script->report);
        m_now.steps = m_steps;
        m_now.entropyFloor = 0.8;
        m_now.entropyExpected = 0.812;
        m_now.measures = m_script->measures;
        m_now.state = RunState::Paused;
        if (m_script->failsToBuild) {
            m_now.state = RunState::Failed;
            m_now.failure = "The data cannot be read.";
        } else {
            m_now.device = "scripted";
            m_now.runFolder = m_script->runFolder;
            m_now.log = m_script->log;
            if (const auto record = readRunRecord(options.runFolder); options.resume && record) {
                m_now.step = record->snapshot.checkpointed;
                m_now.runFolder = options.runFolder;
                m_now.samples = record->snapshot.samples;
            }
            if (m_now.step == m_steps) {
                m_now.state = RunState::Finished;
                m_now.canGoOn = true;
            }
        }
    }

    void showRecord(const Snapshot& record)
    {
        m_now = record;
        m_isRecord = true;
    }

    void tell(const char* command, RunState state)
    {
        m_script->commands.push_back(command);
        if (!hasEnded(m_now.state))
            m_now.state = state;
        publish();
    }

    void advance(std::int64_t count)
    {
        for (; count > 0 && m_now.step < m_steps; --count) {
            ++m_now.step;
            MetricRow row{m_now.step, m_now.step * 768, static_cast<double>(m_now.step) * 0.01, {}};
            const bool fails = m_now.step == m_script->failAt;
            row.values["train/loss"] = fails ? std::numeric_limits<double>::quiet_NaN()
                                             : 0.8 + 3.4 * std::exp(-static_cast<double>(m_now.step) / 150);
            if (m_now.step % 50 == 0)
                row.values["val/loss"] = row.values["train/loss"] + 0.05;
            m_rows.push_back(row);
            if (fails)
                return fail();
        }
        if (m_now.step == m_planned) {
            m_now.state = RunState::Finished;
            m_now.canGoOn = true;
        }
        m_now.tokensPerSecond = 12345;
        m_now.secondsLeft = 200;
        if (m_now.state != RunState::Running || !m_script->looksRarely)
            makeProbe();
    }

    /// What ended it is over.
    void revive(bool isMore)
    {
        if (!hasEnded(m_now.state) || !m_now.canGoOn || !isMore)
            return;
        m_now.state = RunState::Paused;
        m_now.canGoOn = false;
    }
    void freshen()
    {
        if (m_now.frames.empty() || m_now.frames.front()->step != m_now.step)
            makeProbe();
    }

    void fail()
    {
        m_now.state = RunState::Failed;
        m_now.failure = "The loss is not a number at step " + std::to_string(m_now.step) + ".";
        makeProbe();
        for (const auto& [id, node] : m_script->started.back().graph.nodes)
            if (node->block == "embedding")
                m_now.problems.push_back({.node = id,
                                          .nodeName = node->name,
                                          .code = "not-a-number",
                                          .sentence = node->name + " gave NaN first.",
                                          .fix = m_script->fix});
    }

    void makeProbe()
    {
        if (m_open.empty())
            return;
        if (m_script->answers) {
            m_now.frames = m_script->answers(m_open);
            return;
        }
        const LensNeeds needs = needsOf(m_open);
        ProbeFrame frame{m_now.step, {}, {}};
        for (std::int64_t t = 0; t < kProbeSteps; ++t)
            frame.characters.push_back(std::string(1, static_cast<char>('a' + t % 26)));
        for (const WatchedSignal& watched : needs.watched) {
            SignalFrame signal{watched.node, watched.signal, SignalKind::Bounded, kProbeSteps, kProbeWidth, {}};
            for (std::int64_t t = 0; t < kProbeSteps; ++t)
                for (std::int64_t unit = 0; unit < kProbeWidth; ++unit)
                    signal.values.push_back(scriptedSignal(m_now.step, t, unit));
            for (std::int64_t i = 0; i < m_script->missingCells; ++i)
                signal.values[static_cast<std::size_t>(i)] = std::numeric_limits<float>::quiet_NaN();
            frame.signalFrames.push_back(std::move(signal));
        }
        if (readsNumbers())
            tellNumbers(frame);
        if (!needs.forecasts)
            frame.forecasts.clear();
        if (needs.answers)
            answer(frame);
        m_now.frames = framesOf({frame}, m_open);
        touch(std::move(frame));
    }

    /// Under whatever edits, all signals are half as large.
    void touch(ProbeFrame frame)
    {
        for (SignalFrame& signal : frame.signalFrames)
            for (float& value : signal.values)
                value /= 2;
        for (std::size_t i = 0; i < m_open.size(); ++i)
            if (!m_open[i].edit.empty())
                m_now.frames[i] = framesOf({frame}, {m_open[i]}).front();
    }

    /// Each character with what comes after it: likely, but at every eighth step.
    void answer(ProbeFrame& frame) const
    {
        frame.lossUnit = "nats/token";
        frame.of = "the scripted text";
        for (std::size_t t = 0; t < static_cast<std::size_t>(kProbeSteps); ++t) {
            StepAnswer answer;
            const bool last = t + 1 == static_cast<std::size_t>(kProbeSteps);
            if (!frame.characters.empty() && !last) {
                answer.came = frame.characters[t + 1];
                answer.probability = scriptedProbability(static_cast<std::int64_t>(t));
                answer.loss = -std::log(answer.probability);
                answer.asked = 1;
                answer.likeliest = {{"#", 1 - answer.probability}, {answer.came, answer.probability}};
                if (answer.probability > 0.5)
                    std::swap(answer.likeliest[0], answer.likeliest[1]);
            } else {
                answer.probability = std::numeric_limits<double>::quiet_NaN();
                answer.loss = frame.characters.empty() ? 0.25 : std::numeric_limits<double>::quiet_NaN();
                answer.asked = frame.characters.empty() ? 2 : 0;
            }
            frame.answers.push_back(std::move(answer));
        }
    }

    bool readsNumbers() const
    {
        const auto& nodes = m_script->started.back().graph.nodes;
        return std::any_of(nodes.begin(), nodes.end(), [](const auto& node) { return node.second->block == "series"; });
    }

    /// Two columns that are told ever better.
    void tellNumbers(ProbeFrame& frame) const
    {
        frame.characters.clear();
        for (const char* column : {"height", "temperature outside the northern wall"}) {
            Forecast forecast{column, {}, {}};
            for (std::int64_t t = 0; t < kProbeSteps; ++t) {
                forecast.right.push_back(10 + 4 * scriptedSignal(0, t, 0));
                forecast.told.push_back(10 + 4 * scriptedSignal(0, t, 0) * static_cast<float>(m_now.step) /
                                                 static_cast<float>(m_steps));
            }
            frame.forecasts.push_back(std::move(forecast));
        }
    }

    /// The snapshot that a run from the disk owes those who watch it.
    void openRecord()
    {
        m_now.notOpened = m_script->notOpened;
        if (m_now.notOpened.empty())
            makeProbe();
        publish();
    }
    void publish() { m_published = std::make_shared<const Snapshot>(m_now); }

    std::shared_ptr<Script> m_script;
    std::int64_t m_steps, m_planned = m_steps;
    Snapshot m_now;
    std::shared_ptr<const Snapshot> m_published;
    std::vector<MetricRow> m_rows;
    std::vector<LensQuery> m_open;
    bool m_stopping = false;
    bool m_isRecord = false;
};

} // namespace

bool Script::wasTold(const std::string& command) const
{
    return std::find(commands.begin(), commands.end(), command) != commands.end();
}

StartRun scriptedRuns(std::shared_ptr<Script> script)
{
    return [script](const Experiment& experiment, const SessionOptions& options) {
        return std::make_unique<ScriptedRun>(script, experiment, options);
    };
}

double scriptedProbability(std::int64_t time)
{
    return time % 8 == 0 ? 0.001 : 0.75;
}

float scriptedSignal(std::int64_t step, std::int64_t time, std::int64_t unit)
{
    return static_cast<float>(
        std::sin(0.3 * static_cast<double>(time) + 0.7 * static_cast<double>(unit) + 0.01 * static_cast<double>(step)));
}

} // namespace unroll::test
