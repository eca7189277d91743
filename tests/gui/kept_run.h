// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/frames/time_line.h"
#include "core/frames/frame_store.h"
#include "core/lens/state/state.h"
#include "core/runs/frames_place.h"
#include "tests/gui/fixture.h"
#include "tests/gui/waiting.h"

#include <cmath>
#include <vector>

namespace unroll::test {

/// The scripted snapshot of lstm h at an update, as a lens answers it.
inline Figure scriptedFigure(std::int64_t update, const LensQuery& query)
{
    SignalFrame signal{"lstm", "h", SignalKind::Bounded, 40, 24, {}};
    ProbeFrame look{update, {}, {}};
    for (std::int64_t t = 0; t < signal.steps; ++t) {
        look.characters.push_back(std::string(1, static_cast<char>('a' + t % 26)));
        for (std::int64_t unit = 0; unit < signal.width; ++unit)
            signal.values.push_back(scriptedSignal(update, t, unit));
    }
    look.signalFrames = {std::move(signal)};
    look.of = "the scripted text";
    return frameOf({look}, query)->data->figure();
}

/// Eigenvalues that spread over the unit disc as training goes on.
inline Figure scriptedDisc(std::int64_t update)
{
    FigurePanel panel{.id = "state", .title = "Eigenvalues of the Jacobian"};
    panel.x = {.title = "real part", .low = -1.05, .high = 1.05};
    panel.y = {.title = "imaginary part", .low = -1.05, .high = 1.05};
    panel.square = true;
    for (const double radius : {1.0, std::pow(0.5, 1.0 / 3)})
        panel.circles.push_back({0, 0, radius, radius == 1 ? "1" : "3 steps"});
    FigureSeries points{.name = "eigenvalues", .kind = FigureSeries::Kind::Points, .x = {}, .y = {}};
    for (int i = 0; i < 24; ++i) {
        const double size = (0.2 + 0.7 * static_cast<double>(update) / 1000) * (0.4 + 0.025 * i), angle = 0.9 * i;
        points.x.push_back(size * std::cos(angle));
        points.y.push_back(size * std::sin(angle));
    }
    panel.series.push_back(std::move(points));
    Figure figure;
    figure.shows = "Eigenvalues of the Jacobian of the state of lstm at step 40 of 40 of the scripted text.";
    figure.panels.push_back(std::move(panel));
    return figure;
}

inline LensQuery keptOf(const char* lens)
{
    return {lens, "lstm", "h", {}};
}

/// What State, Unit statistics and Spectrum of lstm h showed at these updates, as a run keeps it in its folder.
inline void keepFrames(const std::string& run, const std::vector<std::int64_t>& updates)
{
    FrameStore store(framesFolder(run));
    std::filesystem::create_directories(run);
    for (const std::int64_t update : updates) {
        for (const char* lens : {"state", "unit_stats"})
            (void)store.keep(keptOf(lens),
                             {keptOf(lens), update, "r", "the scripted text", scriptedFigure(update, keptOf(lens))});
        (void)store.keep(keptOf("spectrum"),
                         {keptOf("spectrum"), update, "r", "the scripted text", scriptedDisc(update)});
    }
}

inline TrainingTime& timeOf(MainWindow& window)
{
    return *window.findChild<TrainingTime*>();
}

inline TimeLine& timeLineOf(MainWindow& window)
{
    return *window.findChild<TimeLine*>();
}

/// Shows what the run in the script's folder keeps: it has done a step, and its bar is seen.
inline bool showKept(Studio& studio, const std::vector<std::int64_t>& updates = {0, 100, 200, 300, 400, 600, 800, 1000})
{
    studio.script->runFolder = studio.folder.filePath("run").toStdString();
    keepFrames(studio.script->runFolder, updates);
    studio.window.panel<StatePanel>().showNode("lstm");
    studio.window.panel<StatePanel>().showSignal("h");
    studio.window.controller().step(studio.window.document().experiment(), SessionOptions{}, 1);
    return comes([&] { return timeLineOf(studio.window).isVisible(); });
}

} // namespace unroll::test
