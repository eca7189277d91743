// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/area.h"
#include "tests/gui/changes.h"
#include "tests/gui/waiting.h"

namespace unroll::test {

class KeepWeightsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void runSaysWhatItDoesInEachState()
    {
        Studio studio;
        RunController& run = studio.window.controller();
        QCOMPARE(runText(studio), QStringLiteral("Run"));
        QVERIFY(!studio.window.actions().stop->isEnabled());
        QVERIFY(!studio.window.actions().restart->isEnabled());
        studio.key(Qt::Key_F5);
        QTRY_COMPARE(run.state(), RunState::Running);
        QCOMPARE(runText(studio), QStringLiteral("Pause"));
        QVERIFY(!studio.window.actions().step->isEnabled());
        studio.key(Qt::Key_F5);
        QTRY_COMPARE(run.state(), RunState::Paused);
        QCOMPARE(runText(studio), QStringLiteral("Resume"));
        QVERIFY(!studio.window.actions().pause->isEnabled());
        studio.key(Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(run.state(), RunState::Running);
        studio.script->stepsAPoll = 100000;
        QTRY_COMPARE(run.state(), RunState::Finished);
        QCOMPARE(runText(studio), QStringLiteral("New Run"));
        studio.key(Qt::Key_F10);
        QCOMPARE(studio.script->started.size(), std::size_t{1});
        QCOMPARE(run.state(), RunState::Paused); // one step beyond its end
        studio.key(Qt::Key_F5, Qt::ShiftModifier);
        QTRY_COMPARE(run.state(), RunState::Stopped);
        QCOMPARE(runText(studio), QStringLiteral("New Run"));
    }

    void theRunButtonKeepsItsPlace()
    {
        Studio studio;
        const auto* button = studio.window.runBar().findChild<QToolButton*>("primary");
        const int width = button->width();
        studio.key(Qt::Key_F5);
        QTRY_COMPARE(button->text(), QStringLiteral("Pause"));
        QApplication::processEvents();
        QCOMPARE(button->width(), width);
    }

    void changesAreSaidAndGoWithTheirUndoing()
    {
        Studio studio;
        const auto shownText = [&studio] { return studio.window.runBar().shownText(); };
        editDuringARun(studio);
        QVERIFY(studio.item("lstm").face().isStale);
        QVERIFY2(shownText().contains("Edits are not in this run"), qPrintable(shownText()));
        QTRY_VERIFY(changesLabel(studio)->isVisible());
        QCOMPARE(runText(studio), QStringLiteral("Run Changes"));
        studio.key(Qt::Key_F5);
        QVERIFY(studio.window.messages().shownText().contains("Your edits are not in this run"));
        QVERIFY(answer(studio, "Restart from Scratch") != nullptr);
        QVERIFY(answer(studio, "Keep Current Run") == nullptr); // it does go on
        QCOMPARE(studio.window.controller().state(), RunState::Running);
        studio.window.document().undo();
        QCOMPARE(studio.window.messages().shownText(), QString());
        QVERIFY2(!shownText().contains("Edits"), qPrintable(shownText()));
        QTRY_VERIFY(!changesLabel(studio)->isVisible());
        QCOMPARE(runText(studio), QStringLiteral("Pause"));
        QCOMPARE(studio.script->started.size(), std::size_t{1});
    }

    void whatTheRunTakesAtOnceIsNoChange()
    {
        Studio studio;
        Document& document = studio.window.document();
        studio.key(Qt::Key_F10);
        document.apply(edits::moveNodes({{studio.id("lstm"), {1, 2}}}));
        QVERIFY(document.setTraining("learning_rate", 0.0003).has_value());
        document.setProbeText("The fox");
        QCOMPARE(runText(studio), QStringLiteral("Resume"));
        QVERIFY(document.setTraining("batch", std::int64_t{5}).has_value());
        QCOMPARE(runText(studio), QStringLiteral("Run Changes"));
        QVERIFY(document.setTraining("batch", studio.script->started.back().training.batch).has_value());
        QCOMPARE(runText(studio), QStringLiteral("Resume"));
        document.setSeed(document.seed() + 1);
        QCOMPARE(runText(studio), QStringLiteral("Run Changes"));
    }

    void aPausedRunMayGoOnWithoutThem()
    {
        Studio studio;
        studio.key(Qt::Key_F10);
        setUnits(studio, 40);
        studio.key(Qt::Key_F5);
        QVERIFY(choose(studio, "Keep Current Run"));
        QTRY_COMPARE(studio.window.controller().state(), RunState::Running);
        QCOMPARE(studio.script->started.size(), std::size_t{1});
        QCOMPARE(studio.window.messages().shownText(), QString());
        QCOMPARE(runText(studio), QStringLiteral("Run Changes"));
    }

    void restartByKeysAlone()
    {
        Studio studio;
        editDuringARun(studio);
        studio.key(Qt::Key_F5);
        QTRY_COMPARE(QApplication::focusWidget(), static_cast<QWidget*>(answer(studio, "Restart from Scratch")));
        keyToFocus(Qt::Key_Return);
        QTRY_COMPARE(studio.script->started.size(), std::size_t{2});
        QVERIFY(studio.script->wasTold("stop") && studio.script->wasTold("end"));
        QVERIFY(!studio.script->wasTold("keepWeights"));
        QCOMPARE(studio.script->started.back().graph, studio.graph());
        QVERIFY(!studio.script->options.back().keptWeights);
        QTRY_COMPARE(studio.window.controller().state(), RunState::Running);
        QVERIFY(!studio.item("lstm").face().isStale);
        QCOMPARE(studio.window.messages().shownText(), QString());
        QVERIFY(studio.window.canvas().hasFocus()); // as before the question
    }

    void escapeLeavesTheRunAlone()
    {
        Studio studio;
        editDuringARun(studio);
        studio.key(Qt::Key_F5);
        keyToFocus(Qt::Key_Escape);
        QCOMPARE(studio.window.messages().shownText(), QString());
        QVERIFY(studio.window.canvas().hasFocus());
        QCOMPARE(studio.window.controller().state(), RunState::Running);
        studio.key(Qt::Key_F5, Qt::ControlModifier | Qt::ShiftModifier); // without the question
        QTRY_COMPARE(studio.script->started.size(), std::size_t{2});
        QVERIFY(!studio.script->options.back().keptWeights);
    }

    void keepListsWhatWasKept()
    {
        Studio studio;
        studio.script->report = {{"embedding.weight", "lstm.weight_ih_l0", "lstm.weight_hh_l0"},
                                 {"head.bias"},
                                 {"old.weight"},
                                 {{"head.weight", {65, 256}, {65, 128}, {}}}};
        editDuringARun(studio);
        studio.key(Qt::Key_F5);
        keyToFocus(Qt::Key_Tab);
        QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(answer(studio, "Reuse Matching Weights")));
        keyToFocus(Qt::Key_Return);
        QTRY_COMPARE(studio.script->started.size(), std::size_t{2});
        QVERIFY(studio.script->options.back().keptWeights != nullptr);
        QTRY_COMPARE(studio.window.messages().shownText(),
                     QStringLiteral("Reused 3 of 5 tensors: embedding, lstm. Re-initialised: head.weight (65 × 256 → "
                                    "65 × 128), head.bias."));
        QVERIFY(choose(studio, "Details"));
        auto* dialog = studio.window.findChild<QDialog*>();
        QVERIFY(dialog != nullptr && !dialog->isModal());
        const QString text = dialog->findChild<QTextBrowser*>()->toPlainText();
        for (const char* line :
             {"Reused, 3 of 5\nembedding.weight\n", "head.weight: 65 × 256 → 65 × 128",
              "head.bias: not in the run or file it starts from", "Not in the new model\nold.weight"})
            QVERIFY2(text.contains(QString::fromUtf8(line)), qPrintable(text));
        QTest::keyClick(dialog, Qt::Key_Escape);
        QTRY_VERIFY(studio.window.findChild<QDialog*>() == nullptr);
        QVERIFY(studio.window.actions().showKept->isEnabled()); // they can be read again
    }

    /// A run on another text: rows of characters go by the characters.
    void keepSaysWhatWasMatchedBySymbol()
    {
        Studio studio;
        studio.script->report = {.loaded = {"lstm.weight_ih_l0"},
                                 .missing = {},
                                 .unexpected = {},
                                 .mismatched = {},
                                 .bySymbol = {{"head.weight", "rows", 26, 31, {"ä", "\n"}}},
                                 .notes = {"the run is of data with another alphabet"}};
        editDuringARun(studio);
        studio.key(Qt::Key_F5);
        QVERIFY(choose(studio, "Reuse Matching Weights"));
        QTRY_COMPARE(studio.window.messages().shownText(),
                     QStringLiteral("Reused 2 of 2 tensors: head.weight (26 of 31 rows by symbol), lstm."));
        QVERIFY(choose(studio, "Details"));
        const QString text = studio.window.findChild<QDialog*>()->findChild<QTextBrowser*>()->toPlainText();
        for (const char* line :
             {"another alphabet", "head.weight: 26 of 31 rows matched by symbol, 5 re-initialised: 'ä', '\\n'"})
            QVERIFY2(text.contains(QString::fromUtf8(line)), qPrintable(text));
    }

    void theWindowLivesWhileTheRunIsSaved()
    {
        Studio studio;
        studio.script->slowToStop = true;
        editDuringARun(studio);
        studio.key(Qt::Key_F5, Qt::ControlModifier);
        QVERIFY(studio.script->wasTold("stop"));
        QCOMPARE(runText(studio), QStringLiteral("Stopping …"));
        QVERIFY(!studio.window.actions().run->isEnabled() && !studio.window.actions().step->isEnabled());
        setUnits(studio, 48);
        QCOMPARE(studio.script->started.size(), std::size_t{1});
        studio.script->released = true;
        QTRY_COMPARE(studio.script->started.size(), std::size_t{2});
        // As it was when that was asked for; what came after waits in turn.
        QCOMPARE(std::get<std::int64_t>(studio.script->started.back().graph.findByName("lstm")->params.at("units")),
                 std::int64_t{40});
        QTRY_COMPARE(runText(studio), QStringLiteral("Run Changes"));
    }

    void stopCallsOffTheNextRun()
    {
        Studio studio;
        studio.script->slowToStop = true;
        editDuringARun(studio);
        studio.key(Qt::Key_F5, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(studio.window.controller().isWaitingForNext());
        studio.key(Qt::Key_F5, Qt::ShiftModifier);
        studio.script->released = true;
        QTRY_COMPARE(studio.window.controller().state(), RunState::Stopped);
        QVERIFY(staysFor(100, [&] { return studio.script->started.size() == 1; }));
        QVERIFY(!studio.script->watched.empty()); // and it can be viewed as before
        QCOMPARE(runText(studio), QStringLiteral("New Run"));
    }

    void closingCallsOffTheNextRun()
    {
        Studio studio;
        studio.script->slowToStop = true;
        studio.key(Qt::Key_F5);
        QTRY_COMPARE(studio.window.controller().state(), RunState::Running);
        studio.key(Qt::Key_F5, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(!studio.window.close());
        studio.script->released = true;
        QTRY_VERIFY(!studio.window.isVisible());
        QCOMPARE(studio.script->started.size(), std::size_t{1});
    }

    void weightsThatCannotBeKeptAreSaid()
    {
        Studio studio;
        studio.script->notKept = "lstm.weight_hh_l0 contains non-finite values";
        editDuringARun(studio);
        studio.key(Qt::Key_F5, Qt::ControlModifier);
        QTRY_VERIFY2(studio.window.messages().shownText().contains("lstm.weight_hh_l0"),
                     qPrintable(studio.window.messages().shownText()));
        QCOMPARE(studio.script->started.size(), std::size_t{1});
        QVERIFY(choose(studio, "Restart from Scratch"));
        QTRY_COMPARE(studio.script->started.size(), std::size_t{2});
    }

    void aGraphThatCannotBeTrainedLeavesTheRunAlone()
    {
        Studio studio;
        editDuringARun(studio);
        QVERIFY(studio.window.document().apply(edits::setParam(studio.id("lstm"), "units", std::int64_t{0})));
        QTRY_VERIFY(!studio.window.document().checked()->runnable());
        studio.key(Qt::Key_F5, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(studio.window.messages().shownText().contains("Problems"));
        QVERIFY(!studio.script->wasTold("stop"));
        QCOMPARE(studio.window.controller().state(), RunState::Running);
    }

    void whatMayHelpIsAButton()
    {
        Studio studio;
        studio.script->failAt = 20;
        studio.script->fix = Fix{"Lower the learning rate to 0.0005", {}, SettingChange{"learning_rate", 0.0005}};
        studio.key(Qt::Key_F5);
        QTRY_COMPARE(studio.window.controller().state(), RunState::Failed);
        QCOMPARE(studio.item("embedding").face().severity, std::optional(Severity::Error));
        QVERIFY(studio.window.messages().shownText().contains("step 20"));
        QVERIFY(choose(studio, "Lower the learning rate to 0.0005"));
        QCOMPARE(studio.window.document().training().learningRate, 0.0005);
        studio.script->failAt = -1;
        QVERIFY(choose(studio, "Reuse Matching Weights"));
        QTRY_COMPARE(studio.script->started.size(), std::size_t{2});
        QCOMPARE(studio.script->started.back().training.learningRate, 0.0005);
        QVERIFY(studio.script->options.back().keptWeights != nullptr);
    }

    void theListOfProblemsMendsSettingsToo()
    {
        Studio studio;
        studio.script->failAt = 20;
        studio.script->fix = Fix{"Make the batch 6 instead of 12", {}, SettingChange{"batch", std::int64_t{6}}};
        studio.key(Qt::Key_F5);
        QTRY_COMPARE(studio.window.controller().state(), RunState::Failed);
        QListView& list = studio.window.panel<ProblemsPanel>().view();
        QTRY_VERIFY(list.isVisible());
        const QAbstractItemModel& model = *list.model();
        for (int row = 0; row < model.rowCount(); ++row) {
            const QModelIndex index = model.index(row, 0);
            const QRect fix =
                qobject_cast<ProblemDelegate*>(list.itemDelegate())->fixRect(list.visualRect(index), index);
            if (!fix.isEmpty())
                QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, fix.center());
        }
        QCOMPARE(studio.window.document().training().batch, std::int64_t{6});
    }
};

static const AreaOf<KeepWeightsTest> keepWeightsTestArea("keepWeights");

} // namespace unroll::test

#include "keep_weights_test.moc"
