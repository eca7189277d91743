// SPDX-License-Identifier: GPL-3.0-or-later
// From an edit in the panel Touch to the painted effect, while the run rests.
#include "app/studio/lenses/figure_lens_view.h"
#include "app/studio/window/lens_panel.h"
#include "core/experiment/gallery.h"
#include "tests/bench/studio/bench.h"

#include <QWidget>
#include <fmt/format.h>

namespace unroll::bench {

namespace {

constexpr double kBound = 200;

void touchOf(const char* name)
{
    Bench bench;
    const auto file = findExperiment(name);
    if (!file)
        return;
    Experiment experiment = loadExperiment(file->string()).value();
    bench.window.document().replace(experiment, QString::fromStdString(file->string()));
    bench.waitUntilChecked();
    RunController& run = bench.window.controller();
    const auto& panel = bench.window.panels().at("lens.touch");
    panel.dock->setFloating(true);
    panel.dock->resize(700, 600);
    panel.dock->show();
    auto* const view = qobject_cast<FigureLensView*>(&static_cast<LensPanel*>(panel.widget)->view());
    if (view == nullptr)
        return;
    run.step(experiment, {}, 20);
    waitFor([&] { return run.state() == RunState::Paused && !view->isEmpty(); }, 120000);
    std::vector<double> times;
    for (int i = 0; i < 24; ++i) {
        const auto before = view->view().figure();
        const double began = seconds(CLOCK_MONOTONIC);
        view->set("edit", fmt::format("{}.{}[3] = 0.{}", experiment.watchNode, experiment.watchSignal, i + 1));
        waitFor([&] { return view->view().figure() != before; }, 60000);
        view->view().repaint();
        if (i >= 4) // the first ones warm up
            times.push_back(1000 * (seconds(CLOCK_MONOTONIC) - began));
    }
    report(fmt::format("{}: an edit until its effect is painted", name), times, kBound);
}

void touch()
{
    for (const char* name : {"fable", "char-lstm", "char-mru", "char-sru"})
        touchOf(name);
}

const PartEntry part({"touch", "from an edit of the network to its painted effect", touch, false});

} // namespace

} // namespace unroll::bench
