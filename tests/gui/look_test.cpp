// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/area.h"
#include "tests/gui/look.h"
#include "tests/gui/look_parts.h"
#include "tests/gui/states.h"

#include <QProcess>
#include <QScopeGuard>
#include <QTemporaryFile>
#include <algorithm>

namespace unroll::test {

namespace {

constexpr const char* kLargeText = "1.5";
constexpr int kStatesSharper = 8;       ///< how many are drawn at another scale, of all
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
    return *std::find_if(all.begin(), all.end(),
                         [&](const StudioState& state) { return name == QString::fromLatin1(state.name); });
}

/// One of so many states, all of them with UNROLL_TEST_ALL=1.
void addStates(int every)
{
    const bool all = qEnvironmentVariableIsSet("UNROLL_TEST_ALL");
    QTest::addColumn<QString>("name");
    int place = 0;
    for (const StudioState& state : studioStates())
        if (place++ % every == 0 || all)
            QTest::newRow(state.name.constData()) << QString::fromLatin1(state.name);
}

/// Walks states on a screen of another scale, which Qt takes at its start: in another process. Empty: all is well; else
/// what it said.
QByteArray faultsAtScale(const QString& scale)
{
    const std::vector<StudioState> states = studioStates();
    const bool all = qEnvironmentVariableIsSet("UNROLL_TEST_ALL");
    QStringList words{"look", "-maxwarnings", "0"};
    for (std::size_t i = 0; i < states.size(); i += all ? 1 : states.size() / kStatesSharper)
        words << QStringLiteral("asItComes:") + QString::fromLatin1(states[i].name);
    // A sharper screen has more pixels: dialogs keep within it.
    QTemporaryFile screen;
    if (!screen.open() || screen.write(R"({"screens": [{"name": "sharp", "x": 0, "y": 0, "width": 2880, "height": 1800,
                                           "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}]})") <= 0)
        return "no place for a screen's description";
    screen.close();
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_SCALE_FACTOR", scale);
    environment.insert("QT_QPA_PLATFORM", "offscreen:configfile=" + screen.fileName());
    environment.insert("UNROLL_TEST_ALL", "1"); // it knows all of them
    QProcess walk;
    walk.setProcessEnvironment(environment);
    walk.setProcessChannelMode(QProcess::MergedChannels);
    walk.start(QCoreApplication::applicationFilePath(), words);
    walk.waitForFinished(-1);
    const bool ended = walk.error() == QProcess::UnknownError && walk.exitStatus() == QProcess::NormalExit;
    return ended && walk.exitCode() == 0 ? QByteArray() : walk.readAll() + walk.errorString().toUtf8();
}

/// What was asked for has happened and been laid out, as far as it holds still.
void comeTo(const StudioState& state, Studio& studio)
{
    state.reach(studio);
    if (state.passes)
        for (int depth = 0; depth < 4; ++depth) // a layout asks that around it
            QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    else
        settle(studio.window);
}

} // namespace

/// Walks the list of states.
class LookTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void asItComes_data() { addStates(5); }
    void asItComes()
    {
        QFETCH(QString, name);
        const StudioState& state = stateNamed(name);
        Studio studio;
        comeTo(state, studio);
        QWidget& shown = shownIn(studio);
        QStringList faults =
            placeFaults(shown) + nameFaults(shown) + inkFaults(shown) + withHeading("light", contrastFaults(shown));
        if (!state.passes) {
            faults += focusFaults(shown);
            studio.appearance.setChoice(ThemeChoice::Dark);
            QCoreApplication::processEvents();
            faults += withHeading("dark", contrastFaults(shown));
        }
        QVERIFY(isClean(faults));
    }

    /// A width that fits in whole pixels may not in five quarters of them.
    void sharper_data()
    {
        QTest::addColumn<QString>("scale");
        QTest::newRow("1.25") << "1.25";
        if (qEnvironmentVariableIsSet("UNROLL_TEST_ALL"))
            QTest::newRow("2") << "2";
    }
    void sharper()
    {
        QFETCH(QString, scale);
        const QByteArray faults = faultsAtScale(scale);
        if (!faults.isEmpty())
            qWarning("%s", faults.constData());
        QVERIFY(faults.isEmpty());
    }

    void withLargeText_data() { addStates(9); }
    void withLargeText()
    {
        QFETCH(QString, name);
        const StudioState& state = stateNamed(name);
        const auto normal = qScopeGuard([] { qunsetenv("UNROLL_TEXT_SCALE"); });
        qputenv("UNROLL_TEXT_SCALE", kLargeText);
        Studio studio;
        comeTo(state, studio);
        QStringList faults = placeFaults(shownIn(studio));
        if (!state.passes) {
            studio.window.resize(smallWindow);
            settle(studio.window);
            faults += withHeading("small window", placeFaults(shownIn(studio)));
        }
        QVERIFY(isClean(faults));
    }
};

static const AreaOf<LookTest> lookTestArea("look");

} // namespace unroll::test

#include "look_test.moc"
