// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/area.h"

#include <QApplication>
#include <QStandardPaths>
#include <clocale>
#include <vector>

namespace {

using unroll::test::Area;
using unroll::test::areas;

/// "--half 1" or "--half 2": every other area, so that two programs share them.
bool isInHalf(std::size_t index, const QByteArray& half)
{
    return index % 2 == (half == "1" ? 0u : 1u);
}

std::vector<Area> chosenAreas(const QByteArray& word, const QByteArray& next)
{
    std::vector<Area> named, half;
    for (std::size_t i = 0; i < areas().size(); ++i) {
        if (word == areas()[i].name)
            named.push_back(areas()[i]);
        if (isInHalf(i, next))
            half.push_back(areas()[i]);
    }
    if (word == "--half")
        return half;
    return named.empty() ? areas() : named;
}

} // namespace

/// unroll_gui_test [AREA | --half 1|2] [Qt Test's options]
int main(int argc, char** argv)
{
    // The long rounds of --all: Qt Test gives a function five minutes otherwise.
    if (qEnvironmentVariableIsSet("UNROLL_TEST_ALL") && !qEnvironmentVariableIsSet("QTEST_FUNCTION_TIMEOUT"))
        qputenv("QTEST_FUNCTION_TIMEOUT", "3600000");
    QApplication app(argc, argv);
    std::setlocale(LC_NUMERIC, "C");
    QApplication::setStyle("Fusion");
    QStandardPaths::setTestModeEnabled(true);
    const QByteArray word = argc > 1 ? argv[1] : "", next = argc > 2 ? argv[2] : "";
    const std::vector<Area> chosen = chosenAreas(word, next);
    const int used = word == "--half" ? 2 : chosen.size() < areas().size() ? 1 : 0;
    std::vector<char*> options(argv + used, argv + argc);
    options[0] = argv[0];
    int failed = 0;
    for (const Area& area : chosen)
        failed += area.run(static_cast<int>(options.size()), options.data());
    return failed;
}
