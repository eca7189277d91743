// SPDX-License-Identifier: GPL-3.0-or-later
// Data that are numbers.
#include "core/experiment/gallery.h"
#include "tests/gui/states.h"
#include "tests/gui/waiting.h"

#include <QFile>
#include <cmath>

namespace unroll::test {

namespace {

void openWaves(Studio& studio)
{
    studio.window.arrange("edit");
    const auto waves = findExperiment("waves-lstm");
    if (!waves || !studio.window.files().open(QString::fromStdString(waves->string())))
        return;
    (void)comes([&] { return studio.window.document().checked()->source != 0; });
    studio.window.scene().select({studio.id("series")});
    settle(studio.window);
}

/// Columns of many kinds: dates, a long name, one that never changes, one with holes.
void readTable(Studio& studio, const QByteArray& cell)
{
    QByteArray text("date,temperature outside the northern wall (degrees Celsius),pressure,constant,load\n");
    for (int row = 0; row < 1800; ++row)
        text += "2024-01-01," + QByteArray::number(12 + 9 * std::sin(row / 80.0) + std::sin(row * 1.7), 'f', 2) + ',' +
                (row % 600 > 540 ? QByteArray() : QByteArray::number(1013 + 8 * std::cos(row / 33.0), 'f', 1)) + ",7," +
                (row == 700 ? cell : QByteArray::number(row * row % 97)) + '\n';
    QFile file(studio.folder.filePath("weather.csv"));
    if (file.open(QFile::WriteOnly))
        file.write(text);
    file.close();
    openWaves(studio);
    studio.window.document().apply(edits::setParam(studio.id("series"), "file", file.fileName().toStdString()));
    studio.window.document().apply(
        edits::setParam(studio.id("series"), "target_columns", std::string("load, pressure")));
    const auto isRead = [&] {
        const auto data = studio.window.document().data(studio.id("series"));
        return data != nullptr && data->given == studio.graph().find(studio.id("series"))->params;
    };
    (void)comes(isRead);
    settle(studio.window);
}

void forecast(Studio& studio)
{
    openWaves(studio);
    studio.window.arrange("train");
    studio.window.panels().dock("samples").raise();
    studio.window.controller().step(studio.window.document().experiment(), {}, 900);
    (void)comes([&] { return studio.window.controller().snapshot()->step >= 900; });
    settle(studio.window);
}

} // namespace

std::vector<StudioState> tableStates()
{
    return {{"table", openWaves},
            {"table-forecast", forecast},
            {"table-columns", [](Studio& studio) { readTable(studio, "5"); }},
            {"table-wrong", [](Studio& studio) { readTable(studio, "five"); }}};
}

} // namespace unroll::test
