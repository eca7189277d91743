// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/runs/run_comparison.h"
#include "core/runs/run_care.h"
#include "tests/gui/made_runs.h"
#include "tests/gui/states.h"
#include "tests/gui/waiting.h"

#include <QMenu>
#include <algorithm>
#include <iterator>

namespace unroll::test {

namespace {

RunsPanel& raised(Studio& studio)
{
    const QString file = studio.folder.filePath("fable.unroll");
    (void)studio.window.document().save(file);
    studio.window.panels().dock("runs").raise();
    RunsPanel& panel = studio.window.panel<RunsPanel>();
    (void)comes([&] { return panel.isVisible() && !panel.isReading(); });
    return panel;
}

/// Ten runs, in every state. The one that goes is held by the caller.
RunFolder tenRuns(const QString& place)
{
    Experiment named = testing::tinyExperiment();
    named.title = "LSTM, two layers";
    named.training.steps = 2000;
    makeRun(place, "fable-1", 2000, RunState::Finished, 1.3214, named);
    makeRun(place, "fable-2", 1200, RunState::Stopped, 1.4519, named);
    makeRun(place, "wider and slower, dropout 0.2", 640, RunState::Stopped, 1.2031, named);
    makeRun(place, "fable-4", 3, RunState::Failed, {}, named);
    makeRun(place, "fable-5", 0, RunState::Stopped, {}, named);
    {
        RunFolder lost = begunRun(place, "fable-6", 720, named);
    }
    Experiment wide = named;
    wide.training.learningRate = 2e-3;
    wide.seed = 7;
    makeRun(place, "fable-7", 2000, RunState::Finished, 1.2988, wide);
    makeRun(place, "fable-8", 90, RunState::Stopped, {}, named);
    QDir().mkpath(place + "/notes on the side");
    (void)writeRunNote((place + "/fable-7").toStdString(), "units 256: better, twice the time");
    (void)writeRunNote((place + "/fable-1").toStdString(), "the one to beat");
    return begunRun(place, "fable-9", 350, named);
}

/// The list of them, and which is selected.
std::function<void(Studio&)> listed(const char* selected, std::function<void(Studio&)> then = {})
{
    return [selected, then](Studio& studio) {
        const QString place = studio.folder.filePath("runs");
        const RunFolder going = tenRuns(place);
        RunsPanel& panel = raised(studio);
        (void)comes([&] { return panel.model().rowCount() == 10; });
        panel.view().select(panel.model().rowOf(place + '/' + selected));
        if (then)
            then(studio);
    };
}

void overlaid(Studio& studio)
{
    RunsPanel& panel = studio.window.panel<RunsPanel>();
    const char* const names[] = {"/fable-1", "/fable-7", "/wider and slower, dropout 0.2"};
    for (const char* name : names)
        panel.view().toggleOverlay(panel.model().rowOf(panel.place() + name));
    studio.key(Qt::Key_F10);
    const CurvesPanel& curves = studio.window.panel<CurvesPanel>();
    const auto drawn = [&](const char* name) { return curves.overlayColor(panel.place() + name).has_value(); };
    (void)comes([&] { return !curves.isEmpty() && std::all_of(std::begin(names), std::end(names), drawn); });
    settle(studio.window);
}

void thin(Studio& studio)
{
    studio.window.actions().lesson->setChecked(false); // its words have a state of their own
    studio.window.resize(1000, 700);
    studio.window.arrange("watch");
    studio.window.panels().dock("runs").raise();
    settle(studio.window);
}

void renaming(Studio& studio)
{
    studio.window.panel<RunsPanel>().actions().rename->trigger();
}

void filteredAway(Studio& studio)
{
    studio.window.panel<RunsPanel>().filterField().setText("transformer");
}

void reopened(Studio& studio)
{
    studio.window.arrange("watch");
    studio.window.panels().dock("runs").raise();
    studio.window.panel<RunsPanel>().actions().reopen->trigger();
    const auto isRead = [&] {
        return !studio.window.panel<CurvesPanel>().isEmpty() || !studio.window.messages().shownText().isEmpty();
    };
    (void)comes([&] { return studio.window.controller().isRecord(); });
    (void)comes(isRead);
    settle(studio.window);
}

void notOpened(Studio& studio)
{
    studio.script->notOpened = "data/verses.txt: the file is not there";
    reopened(studio);
}

void offeredMore(Studio& studio)
{
    studio.window.panel<RunsPanel>().actions().goOn->trigger();
    (void)comes([&] { return !studio.window.messages().shownText().isEmpty(); });
}

void compared(Studio& studio)
{
    RunsPanel& panel = studio.window.panel<RunsPanel>();
    const int other = panel.model().rowOf(panel.place() + "/fable-1");
    panel.view().selectionModel()->select(panel.view().filter().mapFromSource(panel.model().index(other, 0)),
                                          QItemSelectionModel::Select | QItemSelectionModel::Rows);
    panel.actions().compare->trigger();
    (void)comes([&] { return studio.window.findChild<RunComparison*>() != nullptr; });
    settle(studio.window);
}

/// Of two experiments, with the columns that are not there by themselves.
void withColumns(Studio& studio)
{
    RunsPanel& panel = studio.window.panel<RunsPanel>();
    Experiment other = testing::tinyExperiment();
    other.title = "GRU, one layer";
    makeRun(panel.place(), "other-1", 500, RunState::Finished, 1.7, other);
    panel.refresh();
    (void)comes([&] { return panel.model().rowCount() == 11; });
    QMenu menu;
    panel.view().fillColumnsMenu(menu);
    for (QAction* entry : menu.actions())
        if (entry->isCheckable() && !entry->isChecked())
            entry->trigger();
    panel.bar().experiments().setCurrentIndex(2);
    settle(studio.window);
}

} // namespace

std::vector<StudioState> runListStates()
{
    return {{"runs-none", [](Studio& studio) { raised(studio); }},
            {"runs-ten", listed("fable-7")},
            {"runs-failed", listed("fable-4")},
            {"runs-overlaid", listed("fable-7", overlaid)},
            {"runs-thin", listed("fable-6", thin)},
            {"runs-compared", listed("fable-7", compared)},
            {"runs-columns", listed("fable-7", withColumns)},
            {"runs-renaming", listed("fable-2", renaming)},
            {"runs-filtered", listed("fable-2", filteredAway)},
            {"runs-reopened", listed("fable-7", reopened)},
            {"runs-not-opened", listed("fable-7", notOpened)},
            {"runs-train-on", listed("fable-7", offeredMore)}};
}

} // namespace unroll::test
