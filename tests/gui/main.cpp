// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/fixture.h"

#include <QApplication>
#include <QStandardPaths>
#include <algorithm>
#include <clocale>

/// unroll_gui_test [AREA] [Qt Test's options]
int main(int argc, char** argv)
{
    QApplication app(argc, argv);
    std::setlocale(LC_NUMERIC, "C");
    QApplication::setStyle("Fusion");
    QStandardPaths::setTestModeEnabled(true);
    using namespace unroll::test;
    const std::pair<const char*, int (*)(int, char**)> areas[] = {
        {"theme", runTheme},
        {"charts", runCharts},
        {"lenses", runLenses},
        {"heatMap", runHeatMap},
        {"canvas", runCanvas},
        {"editing", runEditing},
        {"groups", runGroups},
        {"window", runWindow},
        {"inspector", runInspector},
        {"inspectorForm", runInspectorForm},
        {"training", runTraining},
        {"views", runViews},
        {"wiring", runWiring},
        {"build", runBuild},
        {"blockSearch", runBlockSearch},
        {"palette", runPalette},
        {"files", runFiles},
        {"autosave", runAutosave},
        {"drops", runDrops},
        {"export", runExport},
        {"keepWeights", runKeepWeights},
        {"keptForReal", runKeptForReal},
    };
    const QByteArray asked = argc > 1 ? argv[1] : "";
    const bool oneArea =
        std::any_of(std::begin(areas), std::end(areas), [&](const auto& area) { return asked == area.first; });
    int failed = 0;
    for (const auto& [name, run] : areas)
        if (!oneArea || asked == name)
            failed += oneArea ? run(argc - 1, argv + 1) : run(argc, argv);
    return failed;
}
