// SPDX-License-Identifier: GPL-3.0-or-later
// Every lens with what it has to say of a network that was trained for a while, for real.
#include "app/studio/lenses/lens_view.h"
#include "app/studio/lenses/state/state_panel.h"
#include "core/lens/lens.h"
#include "core/model/builders.h"
#include "tests/gui/states.h"
#include "tests/gui/waiting.h"

#include <algorithm>
#include <cmath>
#include <deque>

namespace unroll::test {

namespace {

/// A run of the default experiment, shortened, at rest; its answers, each given once.
class RealAnswers {
public:
    explicit RealAnswers(Studio& studio) : m_experiment(studio.window.document().experiment())
    {
        m_experiment.training.steps = 60;
        m_experiment.training.batch = 4;
        m_experiment.training.warmup = 0;
        m_experiment.training.evaluateEvery = m_experiment.training.sampleEvery = 0;
        m_experiment.training.evaluateWhole = false;
        m_experiment.training.threads = 1;
        m_run = sessionRuns(m_blocks, allBuilders())(m_experiment, {});
        m_run->setReading({.length = 64});
        m_run->run();
        await([](const Snapshot& now) { return hasEnded(now.state); });
    }

    std::vector<std::shared_ptr<const LensFrame>> to(const std::vector<LensQuery>& open)
    {
        std::vector<std::shared_ptr<const LensFrame>> frames;
        for (const LensQuery& query : open)
            frames.push_back(answer(query));
        std::erase(frames, nullptr);
        return frames;
    }

private:
    std::shared_ptr<const LensFrame> answer(const LensQuery& query)
    {
        for (const auto& frame : m_known)
            if (frame->query == query)
                return frame;
        m_run->ask({query});
        await([&](const Snapshot& now) { return now.frameOf(query) != nullptr; });
        const auto frame = m_run->snapshot()->frameOf(query);
        if (frame)
            m_known.push_back(frame);
        return frame;
    }

    void await(const std::function<bool(const Snapshot&)>& condition)
    {
        (void)comesWithoutEvents(kPatience, [&] { return condition(*m_run->snapshot()); });
    }

    BlockRegistry m_blocks = allSpecs();
    Experiment m_experiment;
    std::unique_ptr<Session> m_run;
    std::deque<std::shared_ptr<const LensFrame>> m_known;
};

void answerForReal(Studio& studio)
{
    static RealAnswers answers(studio); // all states are on the default experiment
    studio.script->answers = [](const std::vector<LensQuery>& open) { return answers.to(open); };
    studio.key(Qt::Key_F10);
    settle(studio.window);
}

/// In front, with a step held.
void showLens(Studio& studio, const std::string& lens)
{
    studio.window.arrange("inspect");
    studio.window.showPanel(studio.window.panels().dock(lens == "state" ? QString("state") : lensPanelId(lens, 1)));
    answerForReal(studio);
    studio.window.cursor().hold(12);
    settle(studio.window, 75); // the settings follow the cursor
}

/// A memory of two heads, sums of outer products that fade, a matrix each: of lstm_2, which has none.
ProbeFrame memoryFrame()
{
    constexpr std::int64_t kSteps = 64, kHeads = 2, kKeys = 12, kValues = 16;
    SignalFrame signal{.node = "lstm_2", .signal = "c", .look = SignalKind::Matrix, .steps = kSteps};
    signal.width = kHeads * kKeys * kValues;
    signal.rows = kKeys;
    signal.columns = kValues;
    signal.axes = {.matrix = "head", .row = "key", .column = "value"};
    std::vector<float> memory(static_cast<std::size_t>(signal.width));
    for (std::int64_t step = 0; step < kSteps; ++step) {
        for (std::size_t i = 0; i < memory.size(); ++i) {
            const auto value = static_cast<double>(i % kValues), key = static_cast<double>(i / kValues % kKeys);
            const auto time = static_cast<double>(step) + 20 * static_cast<double>(i / (kKeys * kValues));
            memory[i] = static_cast<float>(0.9 * memory[i] + std::sin(1.3 * time + key) * std::cos(0.7 * time - value));
        }
        signal.values.insert(signal.values.end(), memory.begin(), memory.end());
    }
    return {.step = 60, .characters = std::vector<std::string>(kSteps, "x"), .signalFrames = {std::move(signal)}};
}

void showMatrices(Studio& studio)
{
    showLens(studio, "state");
    studio.script->answers = [](const std::vector<LensQuery>& open) { return framesOf({memoryFrame()}, open); };
    studio.key(Qt::Key_F10);
    settle(studio.window, 75);
    studio.window.panel<StatePanel>().takeChoices({{"drawing", static_cast<int>(StateDrawing::Matrix)}});
}

void norms(Studio& studio)
{
    studio.window.arrange("edit");
    studio.window.actions().wireNorms->trigger();
    answerForReal(studio);
    studio.window.cursor().hold(12);
}

} // namespace

std::vector<StudioState> lensStates()
{
    std::vector<StudioState> states;
    for (const LensViewEntry& entry : lensViews())
        states.push_back(
            {"lens-" + QByteArray::fromStdString(entry.id), [id = entry.id](Studio& studio) { showLens(studio, id); }});
    states.push_back({"lens-span", [](Studio& studio) {
                          showLens(studio, "state");
                          studio.window.cursor().setSpan(9, 30);
                      }});
    states.push_back({"lens-narrow", [](Studio& studio) {
                          studio.window.resize(1000, 680);
                          showLens(studio, "answers");
                      }});
    states.push_back({"canvas-norms", norms});
    return states;
}

std::vector<StudioState> fieldStates()
{
    return {{"help-family", [](Studio& studio) { studio.window.actions().family->trigger(); }},
            {"lens-state-matrices", showMatrices}};
}

} // namespace unroll::test
