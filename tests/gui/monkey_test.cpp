// SPDX-License-Identifier: GPL-3.0-or-later
// A hand without sense on the whole studio while it trains: nothing may crash, warn, stay behind or get lost.
#include "tests/gui/area.h"
#include "tests/gui/desk.h"
#include "tests/gui/fixture.h"
#include "tests/gui/monkey.h"

#include <QElapsedTimer>
#include <QLineEdit>
#include <QPointer>
#include <QToolTip>
#include <set>

namespace unroll::test {

namespace {

constexpr int kMostSecondsAtOnce = 60; ///< Qt Test ends a test function that takes five minutes

int fromEnvironment(const char* name, int otherwise)
{
    bool ok = false;
    const int value = qEnvironmentVariableIntValue(name, &ok);
    return ok ? value : otherwise;
}

int secondsInAll()
{
    return fromEnvironment("UNROLL_MONKEY_SECONDS", qEnvironmentVariableIsSet("UNROLL_TEST_ALL") ? 300 : 4);
}

/// Trains what is small for real. Numbers that a hand types at random make models that no machine holds: those are
/// scripted.
StartRun smallRuns(const BlockRegistry& registry)
{
    return [&registry, real = sessionRuns(registry, allBuilders()), scripted = scriptedRuns(std::make_shared<Script>()),
            data = std::make_shared<DataCache>(allBuilders())](const Experiment& experiment,
                                                               const SessionOptions& options) {
        Experiment tame = experiment;
        tame.training.threads = 1;
        if (tame.training.device.starts_with("cuda") || tame.training.device == "auto")
            tame.training.device = "cpu";
        const CheckedGraph checked = checkExperiment(tame, registry, *data);
        const double work = (checked.cost.forwardFlops + checked.cost.backwardFlops) *
                            static_cast<double>(checked.steps * tame.training.batch);
        const bool small = checked.trainingBytes < (std::int64_t{1} << 27) && work < 2e9;
        return small ? real(tame, options) : scripted(tame, options);
    };
}

/// A studio in a folder of its own, with that as its home, where it reads and writes from.
struct Zoo {
    QTemporaryDir folder;
    QString ground = QDir(folder.path()).canonicalPath() + "/ground";
    QString placeBefore = QDir::currentPath();
    QByteArray homeBefore = qgetenv("HOME");
    QSettings settings{folder.filePath("settings.ini"), QSettings::IniFormat};
    BlockRegistry registry = allSpecs();
    DataCache data{allBuilders()};
    Appearance appearance{ThemeChoice::Light};
    StudioContext context{registry, data, appearance, settings, smallRuns(registry), true};

    Zoo()
    {
        context.placeOf = [](const QString&) { // what a hand types at random is not a command
            RemotePlace place;
            place.name = "nowhere";
            place.connect = []() -> Result<RemotePipe> { return fail("there is no such host"); };
            return place;
        };
        QDir().mkpath(ground + "/here");
        QDir::setCurrent(ground + "/here"); // a lone ".." stays on the ground
        qputenv("HOME", QFile::encodeName(ground + "/home"));
        context.autosave.folder = ground + "/autosave";
        context.autosave.after = std::chrono::milliseconds(200);
        QGuiApplication::setQuitOnLastWindowClosed(false);
    }
    ~Zoo()
    {
        QGuiApplication::setQuitOnLastWindowClosed(true);
        qputenv("HOME", homeBefore);
        QDir::setCurrent(placeBefore);
    }
};

std::set<QWidget*> allWidgets()
{
    const QWidgetList all = QApplication::allWidgets();
    return {all.begin(), all.end()};
}

/// Those that were not there before, but for tooltips, which go by themselves, and for what is nobody's: one bare
/// widget without parent and children comes up somewhere within Qt.
bool isSomebodys(const QWidget& widget)
{
    return widget.windowType() != Qt::ToolTip &&
           (widget.isVisible() || widget.parentWidget() != nullptr || !widget.children().isEmpty() ||
            widget.metaObject() != &QWidget::staticMetaObject);
}

QStringList leftOver(const std::set<QWidget*>& before)
{
    QStringList names;
    for (const QWidget* widget : QApplication::allWidgets())
        if (!before.contains(const_cast<QWidget*>(widget)) && isSomebodys(*widget))
            names << QStringLiteral("%1 %2 in %3 with %4 children")
                         .arg(widget->metaObject()->className(), widget->objectName(),
                              widget->parentWidget() == nullptr ? "none"
                                                                : widget->parentWidget()->metaObject()->className())
                         .arg(widget->children().size());
    return names;
}

/// What lies beside the ground and the settings.
QStringList strays(const QString& folder)
{
    QStringList names = QDir(folder).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden);
    names.removeIf([](const QString& name) { return name == "ground" || name.startsWith("settings.ini"); });
    return names;
}

/// Nothing of the document is lost: by undo and redo, by its side file, by saving and reading it again. What was is in
/// the answer.
QString loss(MainWindow& window, const QString& file)
{
    Document& document = window.document();
    if (QWidget* field = window.focusWidget())
        field->clearFocus(); // what is being typed belongs to it
    const Graph now = document.graph();
    const auto toTheEnd = [&document](bool back) {
        while (back ? document.canUndo() : document.canRedo()) // the graph may keep a state that is not a step
            back ? document.undo() : document.redo();
        return document.graph();
    };
    toTheEnd(false);
    const Graph last = document.graph();
    const Graph first = toTheEnd(true);
    if (!(toTheEnd(false) == last) || !(toTheEnd(true) == first))
        return "undo and redo give another graph";
    while (!(document.graph() == now) && document.canRedo())
        document.redo();
    if (!(document.graph() == now))
        return "undo does not come to the graph that was shown";
    const QPointer<MainWindow> open(&window); // the hand may have closed it, and it goes while events are waited for
    const auto isKept = [&] {
        if (!open)
            return true;
        const QStringList kept = keptIn({window.studio().autosave.folder, QFileInfo(document.path()).canonicalPath()});
        return !document.isModified() || std::any_of(kept.begin(), kept.end(), [&](const QString& path) {
            const auto experiment = loadExperiment(path.toStdString());
            return experiment && experiment->graph == now;
        });
    };
    if (!comes(isKept))
        return "changes are in no side file";
    if (!open)
        return {};
    if (const auto saved = document.save(file); !saved)
        return QString::fromStdString("not saved: " + saved.error().text());
    if (document.isModified())
        return "modified though it was saved";
    auto read = loadExperiment(file.toStdString());
    if (!read)
        return QString::fromStdString("not read: " + read.error().text());
    return *read == document.experiment() ? QString() : "what was saved reads otherwise";
}

} // namespace

class MonkeyTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// What Qt makes once for the program is there from now on.
    void initTestCase()
    {
        Zoo zoo;
        MainWindow first(zoo.context);
        first.show();
        first.files().openDefault();
        QVERIFY(QTest::qWaitForWindowExposed(&first));
        QApplication::processEvents();
    }
    void nothingIsLost_data()
    {
        QTest::addColumn<int>("seed");
        QTest::addColumn<int>("seconds");
        int seed = fromEnvironment("UNROLL_MONKEY_SEED", 1);
        for (int left = secondsInAll(); left > 0; left -= kMostSecondsAtOnce, ++seed)
            QTest::addRow("seed %d", seed) << seed << std::min(left, kMostSecondsAtOnce);
    }
    void nothingIsLost()
    {
        QFETCH(int, seed);
        QFETCH(int, seconds);
        const auto before = allWidgets();
        {
            Zoo zoo;
            Monkey monkey(zoo.context, zoo.ground, static_cast<std::uint64_t>(seed));
            monkey.play(std::chrono::seconds(seconds));
            QStringList faults;
            for (MainWindow* window : monkey.windows())
                if (const QString lost = loss(*window, zoo.ground + "/kept.unroll"); !lost.isEmpty())
                    faults << lost;
            faults += closeAll(monkey);
            QToolTip::hideText();
            (void)comes([&] { return leftOver(before).isEmpty(); });
            for (const QString& widget : leftOver(before))
                faults << "left over: " + widget;
            for (const QString& file : strays(zoo.folder.path()))
                faults << "outside of the ground: " + file;
            faults = monkey.faults() + faults;
            QVERIFY2(faults.isEmpty(),
                     qPrintable(QString("UNROLL_MONKEY_SEED=%1 UNROLL_MONKEY_SECONDS=%2\n%3\nThe last of %4 acts:\n%5")
                                    .arg(seed)
                                    .arg(seconds)
                                    .arg(faults.join('\n'))
                                    .arg(monkey.acts())
                                    .arg(monkey.story())));
        }
    }

private:
    /// Saved windows go at once, and those that train when the run is on disk.
    static QStringList closeAll(const Monkey& monkey)
    {
        QStringList faults;
        for (const QPointer<MainWindow> window : monkey.windows()) {
            QElapsedTimer clock;
            clock.start();
            const RunState state = window->controller().state();
            if (window->document()
                    .isModified()) { // it was not saved, or changed since: closing would ask, and nobody answers
                faults << "modified when it is to close";
                window->document().replace(Experiment{}, {});
            }
            window->close();
            (void)comes([&] { return window.isNull(); });
            if (clock.elapsed() > 30'000)
                faults << QString("a window took %1 ms to close (its run was in state %2)")
                              .arg(clock.elapsed())
                              .arg(static_cast<int>(state));
        }
        return faults;
    }
};

static const AreaOf<MonkeyTest> monkeyTestArea("monkey");

} // namespace unroll::test

#include "monkey_test.moc"
