// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/number_field.h"
#include "app/studio/lenses/state/frame_history.h"
#include "app/studio/preferences/commands.h"
#include "app/studio/preferences/preferences_dialog.h"
#include "app/studio/run/runs_place.h"
#include "app/studio/theme/key_names.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFile>
#include <QKeySequenceEdit>
#include <QToolButton>

namespace unroll::test {

namespace {

/// A studio with the dialog open.
struct PreferencesBench : Studio {
    PreferencesDialog& dialog = open();
    KeysPage& keys = dialog.keys();

    PreferencesDialog& open()
    {
        window.actions().preferences->trigger();
        return *window.findChild<PreferencesDialog*>();
    }
    const Choices& choices() const { return context.preferences->choices(); }
    void press(QDialogButtonBox::StandardButton button)
    {
        QTest::mouseClick(dialog.findChild<QDialogButtonBox*>()->button(button), Qt::LeftButton);
    }
    void choose(int combo, int index)
    {
        auto* box = dialog.findChildren<QComboBox*>()[combo];
        box->setCurrentIndex(index);
        Q_EMIT box->activated(index);
    }
    void type(const char* field, const QString& text)
    {
        auto* number = dialog.findChild<NumberField*>(QString::fromLatin1(field));
        auto* line = number->findChild<QLineEdit*>();
        line->selectAll();
        QTest::keyClicks(line, text);
        QTest::keyClick(line, Qt::Key_Return);
    }
    /// As a hand presses it in the field of a command; nothing happens later.
    void remap(const QString& command, Qt::Key key, Qt::KeyboardModifiers modifiers = {}, qsizetype place = 0)
    {
        dialog.showKeys();
        QTest::keyClick(keys.field(command, place), key, modifiers);
        QCoreApplication::processEvents();
    }
};

QString keysOf(const QAction* action)
{
    return QKeySequence::listToString(action->shortcuts(), QKeySequence::PortableText);
}

} // namespace

class PreferencesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theThemeFollowsAtOnceAndCancelTakesItBack()
    {
        PreferencesBench bench;
        QVERIFY(!bench.appearance.theme().isDark());
        bench.choose(0, 2);
        QVERIFY(bench.appearance.theme().isDark());
        QCOMPARE(bench.settings.value("theme").toInt(), static_cast<int>(ThemeChoice::Dark));
        QVERIFY(bench.window.actions().themeDark->isChecked()); // one choice, said in both places
        bench.press(QDialogButtonBox::Cancel);
        QVERIFY(!bench.appearance.theme().isDark());
        QVERIFY(bench.window.actions().themeLight->isChecked());
    }

    void theTextSizeIsThatOfEveryWindow()
    {
        PreferencesBench bench;
        auto* heading = bench.window.panel<InspectorPanel>().findChild<QLabel*>();
        const int before = bench.appearance.font(Type::Body).pixelSize();
        const int smaller = heading->font().pixelSize();
        const double node = bench.item("lstm").boundingRect().height();
        bench.choose(1, bench.dialog.findChildren<QComboBox*>()[1]->findData(20));
        QCOMPARE(bench.appearance.font(Type::Body).pixelSize(), 20);
        QVERIFY(before < 20);
        QCOMPARE(QApplication::font().pixelSize(), 20);
        QCOMPARE(heading->font().pixelSize(), bench.appearance.font(Type::Strong).pixelSize());
        QVERIFY(heading->font().pixelSize() > smaller);
        QVERIFY(bench.item("lstm").boundingRect().height() > node);
        QVERIFY(bench.window.panel<StatePanel>().map().places().labels().font.pixelSize() > 0);
        QCOMPARE(bench.settings.value("text/size").toInt(), 20);
        bench.press(QDialogButtonBox::Ok);
        Appearance next(ThemeChoice::Light); // as the program begins the next time
        QCOMPARE(next.font(Type::Body).pixelSize(), before);
        const Preferences again(bench.settings, next);
        QCOMPARE(next.font(Type::Body).pixelSize(), 20);
        bench.context.preferences->set({});
        QCOMPARE(QApplication::font().pixelSize(), before);
        QVERIFY(!bench.settings.contains("text/size"));
    }

    void whatIsStoredWronglyIsNotChosen()
    {
        QTemporaryDir folder;
        QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
        for (const char* key : {"text/size", "look/share", "look/megabytes"})
            for (const char* value : {"nonsense", "-3", "0", "nan", "", "1e9"}) {
                settings.setValue(key, value);
                Appearance appearance(ThemeChoice::Light);
                const Choices read = Preferences(settings, appearance).choices();
                QVERIFY(read.textSize == 0);
                QVERIFY(read.lookShare >= Preferences::kLeastLookShare &&
                        read.lookShare <= Preferences::kMostLookShare);
                QVERIFY(read.lookMegabytes >= 8 && read.lookMegabytes <= 4096);
                settings.remove(key);
            }
    }

    void theBudgetOfLooksIsTheRunsAndTheViews()
    {
        PreferencesBench bench;
        bench.type("lookShare", "2,5");
        QCOMPARE(bench.choices().lookShare, 2.5);
        bench.type("lookShare", "nonsense");
        QCOMPARE(bench.choices().lookShare, 2.5);
        bench.type("lookShare", "90"); // beyond what is allowed: refused
        QCOMPARE(bench.choices().lookShare, 2.5);
        bench.type("lookMemory", "64");
        QCOMPARE(bench.choices().lookMegabytes, std::int64_t{64});
        QCOMPARE(bench.settings.value("look/megabytes").toInt(), 64);
        bench.press(QDialogButtonBox::Cancel);
        QCOMPARE(bench.choices(), Choices{.theme = bench.appearance.choice()});
        QVERIFY(!bench.settings.contains("look/share"));
        // What it means for what is kept: of all signals together, beyond it at once.
        FrameHistories histories;
        const auto fill = [&](const char* signal) {
            for (int step = 1; step <= 40; ++step) {
                ProbeFrame frame{step, {"a"}, {{"lstm", signal, SignalKind::Signed, 1, 1000, {}}}};
                frame.signalFrames[0].values.assign(1000, 0.5f);
                histories.of({"lstm", signal}).add(std::make_shared<const ProbeFrame>(frame));
            }
        };
        fill("h");
        QCOMPARE(histories.of({"lstm", "h"}).size(), std::size_t{40});
        histories.setMostBytes(FrameHistories::kMost * 10 * 4000);
        QCOMPARE(histories.of({"lstm", "h"}).size(), std::size_t{10});
        fill("c");
        QCOMPARE(histories.of({"lstm", "c"}).size(), std::size_t{10});
        QCOMPARE(histories.of({"lstm", "c"}).newest()->step, std::int64_t{40});
    }

    void runsAreKeptWhereItSays()
    {
        PreferencesBench bench;
        auto* place = bench.dialog.findChild<QLineEdit*>("runsPlace");
        auto* trouble = bench.dialog.findChild<QLabel*>("placeTrouble");
        const QString usual = bench.window.panel<RunsPanel>().place(), chosen = bench.folder.filePath("all my runs");
        const auto enter = [&](const QString& text) {
            place->setText(text);
            Q_EMIT place->editingFinished(); // as it is left
        };
        enter(chosen);
        QVERIFY(trouble->isHidden());
        QCOMPARE(bench.window.panel<RunsPanel>().place(), chosen);
        QCOMPARE(bench.settings.value("runs/place").toString(), chosen);
        QCOMPARE(runsPlace("/somewhere/x.unroll", "~/runs"), QDir::homePath() + "/runs");
        QFile file(bench.folder.filePath("a file"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        for (const QString& wrong : {QString("runs"), file.fileName(), QString("/proc/runs")}) {
            enter(wrong);
            QVERIFY2(!trouble->isHidden() && trouble->text().size() > 10, qPrintable(wrong));
            QCOMPARE(bench.window.panel<RunsPanel>().place(), chosen); // the one before stays in force
        }
        enter("");
        QVERIFY(trouble->isHidden());
        QCOMPARE(bench.window.panel<RunsPanel>().place(), usual);
    }

    void aKeyIsRemapped()
    {
        PreferencesBench bench;
        QAction* run = bench.window.actions().run;
        bench.remap("run", Qt::Key_F9);
        QCOMPARE(keysOf(run), QStringLiteral("F9; Ctrl+Return; Ctrl+Enter"));
        QVERIFY2(run->toolTip().endsWith("(F9)"), qPrintable(run->toolTip()));
        QCOMPARE(KeyNames::all().in("Run ({run})"), QStringLiteral("Run (F9)"));
        QVERIFY2(bench.window.panel<StatePanel>().emptyState().accessibleDescription().contains("F9"),
                 qPrintable(bench.window.panel<StatePanel>().emptyState().accessibleDescription()));
        MainWindow other(bench.context); // also in a window that comes later
        QCOMPARE(keysOf(other.actions().run), keysOf(run));
        QAbstractButton* reset = buttonNamed(bench.keys, "Reset the key of ");
        QVERIFY(reset != nullptr); // that of Run alone
        QTest::mouseClick(reset, Qt::LeftButton);
        QCOMPARE(keysOf(run), QStringLiteral("F5; Ctrl+Return; Ctrl+Enter"));
        QVERIFY(!bench.settings.contains("keys/run"));
    }

    void theNewKeyWorksAndTheOldOneDoesNot()
    {
        PreferencesBench bench;
        bench.remap("selectAll", Qt::Key_J, Qt::ControlModifier);
        bench.press(QDialogButtonBox::Ok);
        bench.window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&bench.window));
        bench.window.canvas().setFocus();
        QTest::keyClick(bench.window.canvas().viewport(), Qt::Key_A, Qt::ControlModifier);
        QVERIFY(bench.window.scene().selection().empty());
        QTest::keyClick(bench.window.canvas().viewport(), Qt::Key_J, Qt::ControlModifier);
        QCOMPARE(bench.window.scene().selection().size(), bench.graph().nodes.size());
    }

    void aKeyThatWillNotDoIsRefusedInWords()
    {
        PreferencesBench bench;
        const QString before = keysOf(bench.window.actions().tidy);
        const auto refused = [&](Qt::Key key, Qt::KeyboardModifiers modifiers, const char* word) {
            bench.remap("tidy", key, modifiers);
            QVERIFY2(bench.keys.trouble().contains(word), qPrintable(bench.keys.trouble()));
            QCOMPARE(keysOf(bench.window.actions().tidy), before);
            QCOMPARE(bench.keys.field("tidy")->keySequence().toString(), before); // the field says what holds
        };
        refused(Qt::Key_S, Qt::ControlModifier, "Save");
        refused(Qt::Key_Y, Qt::ControlModifier, "Redo"); // its second key
        refused(Qt::Key_F1, {}, "Help");
        refused(Qt::Key_F, Qt::AltModifier, "menu File");
        refused(Qt::Key_Down, {}, "navigation");
        refused(Qt::Key_Space, {}, "navigation");
        bench.remap("tidy", Qt::Key_T);
        QCOMPARE(bench.keys.trouble(), QString());
        QCOMPARE(keysOf(bench.window.actions().tidy), QStringLiteral("T"));
        bench.remap("comment", Qt::Key_L); // free by now
        QCOMPARE(keysOf(bench.window.actions().comment), QStringLiteral("L"));
        bench.press(QDialogButtonBox::RestoreDefaults);
        QCOMPARE(keysOf(bench.window.actions().tidy), before);
        QCOMPARE(keysOf(bench.window.actions().comment), QStringLiteral("C"));
    }

    void aKeyIsTakenAwayAndCommandsWithoutKeysGetOne()
    {
        PreferencesBench bench;
        bench.keys.field("redo", 1)->clear();
        QCoreApplication::processEvents();
        QCOMPARE(keysOf(bench.window.actions().redo), QStringLiteral("Ctrl+Shift+Z"));
        bench.remap("panel-state", Qt::Key_F7); // a panel
        const Dock* state = &bench.window.panels().dock("state");
        QCOMPARE(keysOf(state->toggleViewAction()), QStringLiteral("F7"));
        bench.press(QDialogButtonBox::Cancel);
        QCOMPARE(keysOf(bench.window.actions().redo), QStringLiteral("Ctrl+Shift+Z; Ctrl+Y"));
        QCOMPARE(keysOf(state->toggleViewAction()), QString());
    }

    /// No two commands share a key as they come, and every command has a field.
    void theUsualKeysAreSound()
    {
        PreferencesBench bench;
        int commands = 0;
        for (const CommandGroup& group : commandGroups(bench.window))
            for (QAction* command : group.commands) {
                ++commands;
                QVERIFY2(bench.keys.field(command->objectName()) != nullptr, qPrintable(command->objectName()));
                const auto keys = command->shortcuts();
                for (qsizetype i = 0; i < keys.size(); ++i)
                    if (const QString trouble = keyTrouble(bench.window, *command, i, keys[i]);
                        !trouble.isEmpty() && !trouble.contains("wherever"))
                        QFAIL(qPrintable(command->objectName() + ": " + trouble));
            }
        QVERIFY(commands > 60);
    }
};

static const AreaOf<PreferencesTest> preferencesTestArea("preferences");

} // namespace unroll::test

#include "preferences_test.moc"
