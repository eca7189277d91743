// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/fixture.h"

#include <QApplication>
#include <clocale>

int main(int argc, char** argv)
{
    QApplication app(argc, argv);
    std::setlocale(LC_NUMERIC, "C");
    QApplication::setStyle("Fusion");
    QStandardPaths::setTestModeEnabled(true);
    int failed = 0;
    for (const auto run : {unroll::test::runTheme, unroll::test::runCharts, unroll::test::runLenses, unroll::test::runCanvas, unroll::test::runWindow,
                           unroll::test::runTraining})
        failed += run(argc, argv);
    return failed;
}
