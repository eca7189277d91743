// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/area.h"
#include "tests/gui/look.h"
#include "tests/gui/states.h"

#include <QScopeGuard>
#include <algorithm>

namespace unroll::test {

namespace {

constexpr const char* largeText = "1.5";
constexpr QSize smallWindow(1024, 720); ///< what a small notebook leaves of its screen

QStringList withHeading(const QString& heading, const QStringList& faults)
{
    QStringList lines;
    for (const QString& fault : faults)
        lines << heading + ": " + fault;
    return lines;
}

QStringList placeFaults(const QWidget& shown)
{
    return textFaults(shown) + outsideFaults(shown) + overlapFaults(shown) + gridFaults(shown);
}

/// One line of the log a fault: a message of the test has no room for many.
bool isClean(const QStringList& faults)
{
    for (const QString& fault : faults)
        qWarning("%s", qPrintable(fault));
    return faults.isEmpty();
}

const StudioState& stateNamed(const QString& name)
{
    static const std::vector<StudioState> all = studioStates();
    return *std::find_if(all.begin(), all.end(), [&](const StudioState& state) { return name == state.name; });
}

/// One of so many states, all of them with UNROLL_TEST_ALL=1.
void addStates(int every)
{
    const bool all = qEnvironmentVariableIsSet("UNROLL_TEST_ALL");
    QTest::addColumn<QString>("name");
    int place = 0;
    for (const StudioState& state : studioStates())
        if (place++ % every == 0 || all)
            QTest::newRow(state.name) << QString::fromLatin1(state.name);
}

/// What was asked for has happened and been laid out, as far as it holds still.
void comeTo(const StudioState& state, Studio& studio)
{
    state.reach(studio);
    if (state.passes)
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    else
        settle();
}

} // namespace

/// Walks the list of states.
class LookTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void asItComes_data() { addStates(2); }
    void asItComes()
    {
        QFETCH(QString, name);
        const StudioState& state = stateNamed(name);
        Studio studio;
        comeTo(state, studio);
        QWidget& shown = shownIn(studio);
        QStringList faults = placeFaults(shown) + nameFaults(shown) + withHeading("light", contrastFaults(shown));
        if (!state.passes) {
            faults += focusFaults(shown);
            studio.appearance.setChoice(ThemeChoice::Dark);
            settle(0);
            faults += withHeading("dark", contrastFaults(shown));
        }
        QVERIFY(isClean(faults));
    }

    void withLargeText_data() { addStates(5); }
    void withLargeText()
    {
        QFETCH(QString, name);
        const StudioState& state = stateNamed(name);
        const auto normal = qScopeGuard([] { qunsetenv("UNROLL_TEXT_SCALE"); });
        qputenv("UNROLL_TEXT_SCALE", largeText);
        Studio studio;
        comeTo(state, studio);
        QStringList faults = placeFaults(shownIn(studio));
        if (!state.passes) {
            studio.window.resize(smallWindow);
            settle(50);
            faults += withHeading("small window", placeFaults(shownIn(studio)));
        }
        QVERIFY(isClean(faults));
    }
};

static const AreaOf<LookTest> area("look");

} // namespace unroll::test

#include "look_test.moc"
