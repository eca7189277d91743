// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/kept_page.h"
#include "app/studio/lenses/signal_lens_view.h"
#include "tests/gui/kept_run.h"
#include "tests/gui/states.h"
#include "tests/gui/waiting.h"

#include <QComboBox>
#include <QDialog>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>
#include <cmath>

namespace unroll::test {

namespace {

RunState stateOf(Studio& studio)
{
    return studio.window.controller().state();
}

void runFor(Studio& studio, std::int64_t steps)
{
    studio.window.canvas().setFocus();
    studio.key(Qt::Key_F5);
    (void)comes([&] { return studio.window.controller().snapshot()->step >= steps; });
    settle(studio.window);
}

void paused(Studio& studio)
{
    studio.script->stepsAPoll = 40;
    runFor(studio, 400);
    studio.key(Qt::Key_F5);
    (void)comes([&] { return stateOf(studio) == RunState::Paused; });
    studio.window.controller().sample("O", 10, {.temperature = 1});
    studio.window.controller().look();
    settle(studio.window);
}

void stopped(Studio& studio)
{
    paused(studio);
    studio.key(Qt::Key_F5, Qt::ShiftModifier);
}

void finished(Studio& studio)
{
    studio.script->stepsAPoll = 500;
    studio.window.canvas().setFocus();
    studio.key(Qt::Key_F5);
    (void)comes([&] { return stateOf(studio) == RunState::Finished; });
}

void diverged(Studio& studio)
{
    studio.script->failAt = 90;
    studio.script->fix = Fix{"Halve the learning rate", {}, {}};
    studio.window.canvas().setFocus();
    studio.key(Qt::Key_F5);
    (void)comes([&] { return stateOf(studio) == RunState::Failed; });
}

void notBuilt(Studio& studio)
{
    studio.script->failsToBuild = true;
    studio.window.canvas().setFocus();
    studio.key(Qt::Key_F5);
    (void)comes([&] { return stateOf(studio) == RunState::Failed; });
}

void changed(Studio& studio)
{
    runFor(studio, 100);
    studio.window.document().apply(edits::setParam(studio.id("lstm"), "units", std::int64_t{64}));
    studio.window.scene().select({studio.id("lstm")});
    settle(studio.window);
    studio.key(Qt::Key_F5);
}

void keptWeights(Studio& studio)
{
    studio.script->report = {{"embedding.weight", "lstm.weight_ih_l0"},
                             {"head.bias"},
                             {"old.weight"},
                             {{"head.weight", {65, 256}, {65, 128}, {}}}};
    changed(studio);
    (void)clickOn(studio.window.messages(), "Reuse Matching Weights");
    (void)comes([&] { return buttonIn(studio.window.messages(), "Details") != nullptr; });
}

void keptDetails(Studio& studio)
{
    keptWeights(studio);
    (void)clickOn(studio.window.messages(), "Details");
}

void largeNumbers(Studio& studio)
{
    (void)studio.window.document().setTraining("steps", std::int64_t{123456789});
    studio.script->stepsAPoll = 4000;
    runFor(studio, 30000);
}

void holes(Studio& studio)
{
    studio.script->missingCells = 60;
    paused(studio);
}

void marked(Studio& studio)
{
    paused(studio);
    studio.window.panel<StatePanel>().map().setFocus();
    for (int i = 0; i < 5; ++i)
        QTest::keyClick(&studio.window.panel<StatePanel>().map(), Qt::Key_Right);
}

/// Beside others, one of which diverged.
void curvesBeside(Studio& studio)
{
    paused(studio);
    std::vector<CurveOverlay> overlays;
    for (const char* name : {"gru, 2 layers", "sru", "grumml with a rather long name of its own", "lru"}) {
        CurveOverlay overlay{name, name, {}};
        const double slow = 120 + 60 * static_cast<double>(overlays.size());
        for (std::int64_t step = 1; step <= 260; ++step) {
            const double noise = 0.12 * std::sin(static_cast<double>(step * step) * 0.7);
            overlay.rows.push_back({step,
                                    step * 768,
                                    static_cast<double>(step) * 0.01,
                                    {{"train/loss", 0.9 + 3.2 * std::exp(-static_cast<double>(step) / slow) + noise}}});
        }
        if (overlays.size() == 1)
            overlay.rows.back().values["train/loss"] = std::nan("");
        if (overlays.size() != 2) // which does not say what its loss is in
            overlay.measures = {"nats/token", "character", 5000, 2000, 76800};
        overlays.push_back(overlay);
    }
    studio.window.panel<CurvesPanel>().setOverlays(overlays);
    Q_EMIT studio.window.panel<CurvesPanel>().chart().hovered(120);
}

/// Perplexities over epochs, of the runs that have both.
void curvesInOtherUnits(Studio& studio)
{
    curvesBeside(studio);
    CurvesPanel& panel = studio.window.panel<CurvesPanel>();
    panel.findChild<QComboBox*>()->setCurrentText("Perplexity");
    for (QAction* entry : panel.findChild<QToolButton*>("xAxis")->menu()->actions())
        if (entry->text() == "Epochs")
            entry->trigger();
    settle(studio.window);
}

/// Zoomed, by logarithms.
void curvesHeld(Studio& studio)
{
    curvesBeside(studio);
    Chart& chart = studio.window.panel<CurvesPanel>().chart();
    buttonNamed(studio.window.panel<CurvesPanel>(), "Logarithmic y")->click();
    Q_EMIT chart.viewAsked(chart.picture().x.between(0.1, 0.7), chart.picture().y.between(-0.1, 0.8));
}

void logAxis(Studio& studio)
{
    paused(studio);
    buttonNamed(studio.window.panel<CurvesPanel>(), "Logarithmic y")->click();
}

void watching(Studio& studio)
{
    studio.window.arrange("watch");
    paused(studio);
}

/// Lens views with a step held, a span and a unit selected.
void inspecting(Studio& studio)
{
    studio.window.arrange("inspect");
    studio.window.showPanel(studio.window.panels().dock("lens.unit_stats"));
    paused(studio);
    studio.window.cursor().hold(12);
    studio.window.cursor().setSpan(9, 21);
    studio.window.cursor().select({{}, {}, {5}});
}

/// What is seen of pages of kept frames has come from the disk, or it is said why not.
void settleKept(Studio& studio)
{
    (void)comes([&] {
        const auto pages = studio.window.findChildren<KeptPage*>();
        return std::all_of(pages.begin(), pages.end(),
                           [](const KeptPage* page) { return !page->isVisible() || !page->waits(); });
    });
    settle(studio.window);
}

/// The signal that kept runs are about.
void chooseSignal(Studio& studio, const QString& panel)
{
    if (!studio.window.panels().has(panel))
        return;
    auto* view = studio.window.panels().at(panel).widget->findChild<SignalLensView*>();
    if (view == nullptr || !view->lens().takesSignal)
        return;
    view->picker().showNode("lstm");
    view->picker().showSignal("h");
}

/// Back at an update that was kept.
void keptUpdate(Studio& studio)
{
    studio.window.arrange("inspect");
    (void)showKept(studio);
    timeOf(studio.window).goTo(400);
    (void)comes([&] {
        const HeatMapView& map = studio.window.panel<StatePanel>().map();
        return !map.isEmpty() && map.data().frame().step == 400;
    });
    settle(studio.window);
}

/// Eight updates side by side: State, and beside it the lens.
void keptStrip(Studio& studio, const char* lens)
{
    studio.window.arrange("inspect");
    (void)showKept(studio);
    if (const QString id = lensPanelId(lens, 1); studio.window.panels().has(id)) {
        studio.window.showPanel(studio.window.panels().dock(id));
        chooseSignal(studio, id);
    }
    timeOf(studio.window).setStrip(true);
    settleKept(studio);
}

/// A lens of which nothing was kept.
void keptNothing(Studio& studio)
{
    keptUpdate(studio);
    studio.window.showPanel(studio.window.panels().dock(lensPanelId("memory", 1)));
    settleKept(studio);
}

void narrowRun(Studio& studio)
{
    studio.window.resize(900, 640);
    paused(studio);
}

} // namespace

std::vector<StudioState> runStates()
{
    return {
        {"running", [](Studio& studio) { runFor(studio, 100); }},
        {"paused", paused},
        {"stopped", stopped},
        {"finished", finished},
        {"diverged", diverged},
        {"not-built", notBuilt},
        {"changed", changed},
        {"kept-weights", keptWeights},
        {"kept-details", keptDetails},
        {"large-numbers", largeNumbers},
        {"holes", holes},
        {"marked", marked},
        {"log-axis", logAxis},
        {"curves-beside", curvesBeside},
        {"curves-units", curvesInOtherUnits},
        {"curves-held", curvesHeld},
        {"watching", watching},
        {"inspecting", inspecting},
        {"kept-update", keptUpdate},
        {"kept-nothing", keptNothing},
        {"kept-strip", [](Studio& studio) { keptStrip(studio, "state"); }},
        {"kept-strip-spectrum", [](Studio& studio) { keptStrip(studio, "spectrum"); }},
        {"narrow-run", narrowRun},
    };
}

} // namespace unroll::test
