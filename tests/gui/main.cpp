// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/area.h"

#include <QApplication>
#include <QStandardPaths>
#include <clocale>
#include <vector>

namespace {

using unroll::test::Area;
using unroll::test::areas;

/// "--share 2/3": every third area from the second on, so that three programs share them.
bool isInShare(std::size_t index, const QByteArray& share)
{
    const QList<QByteArray> words = share.split('/');
    const unsigned count = words.size() == 2 ? words[1].toUInt() : 0;
    return count > 0 && index % count + 1 == words[0].toUInt();
}

std::vector<Area> chosenAreas(const QByteArray& word, const QByteArray& next)
{
    std::vector<Area> named, shared;
    for (std::size_t i = 0; i < areas().size(); ++i) {
        if (word == areas()[i].name)
            named.push_back(areas()[i]);
        if (isInShare(i, next))
            shared.push_back(areas()[i]);
    }
    if (word == "--share")
        return shared;
    return named.empty() ? areas() : named;
}

} // namespace

/// unroll_gui_test [AREA | --share PART/PARTS] [Qt Test's options]
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
    const int used = word == "--share" ? 2 : chosen.size() < areas().size() ? 1 : 0;
    std::vector<char*> options(argv + used, argv + argc);
    options[0] = argv[0];
    // The crash handler of Qt Test prints a message and every thread's stack for a signal too, without end where
    // printing is what fails.
    char noCrashHandler[] = "-nocrashhandler";
    options.insert(options.begin() + 1, noCrashHandler);
    int failed = 0;
    for (const Area& area : chosen)
        failed += area.run(static_cast<int>(options.size()), options.data());
    return failed;
}
