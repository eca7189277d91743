// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/area.h"

#include <QApplication>
#include <QStandardPaths>
#include <algorithm>
#include <clocale>

/// unroll_gui_test [AREA] [Qt Test's options]
int main(int argc, char** argv)
{
    // The long rounds of --all: Qt Test gives a function five minutes otherwise.
    if (qEnvironmentVariableIsSet("UNROLL_TEST_ALL") && !qEnvironmentVariableIsSet("QTEST_FUNCTION_TIMEOUT"))
        qputenv("QTEST_FUNCTION_TIMEOUT", "3600000");
    QApplication app(argc, argv);
    std::setlocale(LC_NUMERIC, "C");
    QApplication::setStyle("Fusion");
    QStandardPaths::setTestModeEnabled(true);
    using namespace unroll::test;
    const QByteArray asked = argc > 1 ? argv[1] : "";
    const bool oneArea =
        std::any_of(areas().begin(), areas().end(), [&](const Area& area) { return asked == area.name; });
    int failed = 0;
    for (const auto& [name, run] : areas())
        if (!oneArea || asked == name)
            failed += oneArea ? run(argc - 1, argv + 1) : run(argc, argv);
    return failed;
}
