// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/export/export_command.h"
#include "app/studio/export/export_dialog.h"
#include "core/session/session.h"
#include "tests/gui/states.h"
#include "tests/gui/waiting.h"
#include "tests/support/tiny_experiment.h"

#include <QDir>
#include <QLineEdit>

namespace unroll::test {

namespace {

/// A run that has ended, made once for the whole program.
const QString& runFolder()
{
    static const QTemporaryDir place;
    static const QString run = [] {
        const QString folder = place.filePath("tiny-1");
        Experiment tiny = testing::tinyExperiment();
        tiny.training.steps = 4;
        tiny.training.checkpointEvery = 2;
        tiny.training.threads = 1;
        const BlockRegistry registry(allSpecs());
        const auto session = startSession(tiny, registry, allBuilders(), {.runFolder = folder.toStdString()});
        session->run();
        (void)session->finish(60);
        return folder;
    }();
    return run;
}

ExportDialog& openDialog(Studio& studio, const QString& run)
{
    studio.window.findChild<ExportCommand*>()->showDialog(run);
    auto& dialog = *studio.window.findChild<ExportDialog*>();
    (void)QTest::qWaitForWindowExposed(&dialog);
    return dialog;
}

/// The form on a run, with a folder to write to.
ExportDialog& form(Studio& studio)
{
    ExportDialog& dialog = openDialog(studio, runFolder());
    dialog.form().findChild<QLineEdit*>()->setText(studio.folder.filePath("exported"));
    return dialog;
}

void press(ExportDialog& dialog, const QString& label)
{
    for (auto* button : dialog.findChildren<QPushButton*>())
        if (button->isVisible() && QString(button->text()).remove('&') == label)
            return button->click();
}

void done(Studio& studio)
{
    ExportDialog& dialog = form(studio);
    press(dialog, "Export");
    (void)comes([&] { return dialog.isDone(); });
}

void askedToOverwrite(Studio& studio)
{
    done(studio);
    auto& dialog = *studio.window.findChild<ExportDialog*>();
    press(dialog, "Back");
    press(dialog, "Export");
}

} // namespace

std::vector<StudioState> exportStates()
{
    return {
        {"export-empty", [](Studio& studio) { openDialog(studio, {}); }},
        {"export-form", [](Studio& studio) { form(studio); }},
        {"export-running", [](Studio& studio) { press(form(studio), "Export"); }, true},
        {"export-overwrite", askedToOverwrite},
        {"export-done", done},
    };
}

} // namespace unroll::test
