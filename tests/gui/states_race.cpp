// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/race/race_panel.h"
#include "app/studio/window/race_commands.h"
#include "tests/gui/made_race.h"
#include "tests/gui/parts.h"
#include "tests/gui/states.h"
#include "tests/gui/waiting.h"

namespace unroll::test {

namespace {

RaceDialog& raceDialog(Studio& studio)
{
    studio.window.scene().select({studio.id("lstm")});
    RaceDialog& dialog = *studio.window.race().showDialog();
    partNamed<QLineEdit>(dialog, "raceFolder").setText("/home/ada/races/fable-lstm"); // the same in every picture
    (void)QTest::qWaitForWindowExposed(&dialog);
    (void)comes([&] { return isSolved(dialog); });
    settle(dialog);
    return dialog;
}

int rowOfBlock(RaceDialog& dialog, const std::string& id)
{
    for (int row = 0; row < dialog.lanes().rowCount(); ++row)
        if (dialog.lanes().specAt(row).id == id)
            return row;
    return 0;
}

void chosenCells(Studio& studio)
{
    RaceDialog& dialog = raceDialog(studio);
    for (const char* block : {"gru", "mru", "sru"})
        dialog.lanes().tick(rowOfBlock(dialog, block), true);
    partNamed<NumberField>(dialog, "raceSeeds").setNumber(std::int64_t{3});
    Q_EMIT dialog.form().edited(); // as after typing
    settle(dialog);
}

/// A whole group: with another cell, and one block in its place.
void chosenGroup(Studio& studio)
{
    studio.window.document().apply(edits::makeGroup({studio.id("lstm"), studio.id("lstm_2")}, "body"));
    studio.window.scene().select({studio.id("body")});
    RaceDialog& dialog = *studio.window.race().showDialog();
    partNamed<QLineEdit>(dialog, "raceFolder").setText("/home/ada/races/fable-body");
    (void)QTest::qWaitForWindowExposed(&dialog);
    (void)comes([&] { return isSolved(dialog); });
    for (int row = 0; row < dialog.lanes().rowCount(); ++row)
        if (dialog.lanes().wishAt(row) == "group:lstm=gru:lstm_2=gru")
            dialog.lanes().tick(row, true);
    settle(dialog);
}

/// A block that no width makes as large.
void refusedCell(Studio& studio)
{
    RaceDialog& dialog = raceDialog(studio);
    partNamed<QComboBox>(dialog, "raceMatch").setCurrentIndex(2); // state values
    (void)comes([&] { return isSolved(dialog); });
    for (int row = 0; row < dialog.lanes().rowCount(); ++row)
        if (const auto& fit = dialog.lanes().fitAt(row); fit && !fit->fault.isEmpty()) {
            dialog.lanes().tick(row, true);
            dialog.view().setCurrentIndex(dialog.view().model()->index(row, 0));
            break;
        }
    settle(dialog);
}

std::function<void(Studio&)> shownRace(const std::vector<std::int64_t>& reached, const char* layout = "train",
                                       std::function<void(RacePanel&)> then = {})
{
    return [reached, layout, then](Studio& studio) {
        const QString folder = studio.folder.filePath("races/cells");
        makeRace(folder, madeLanes(), {1, 2, 3}, reached);
        studio.window.arrange(layout);
        studio.window.race().open(folder);
        RacePanel& panel = studio.window.panel<RacePanel>();
        (void)comes([&] { return panel.results() != nullptr; });
        if (then)
            then(panel);
        settle(studio.window);
    };
}

void expanded(RacePanel& panel)
{
    panel.table().expand(panel.table().model()->index(0, 0));
    panel.table().setFocus();
}

void missingRace(Studio& studio)
{
    studio.window.race().open("/home/ada/races/gone");
    (void)comes([&] { return studio.window.panel<RacePanel>().shownText().contains("race.json"); });
    settle(studio.window);
}

} // namespace

std::vector<StudioState> raceStates()
{
    const std::vector<std::int64_t> whole(12, 100);
    return {{"race-dialog", chosenCells},
            {"race-dialog-group", chosenGroup},
            {"race-dialog-refused", refusedCell},
            {"race-done", shownRace(whole)},
            {"race-seeds", shownRace(whole, "watch", expanded)},
            {"race-half", shownRace({100, 100, 100, 100, 100, 60})},
            {"race-missing", missingRace}};
}

} // namespace unroll::test
