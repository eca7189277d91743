// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/area.h"
#include "tests/gui/changes.h"

namespace unroll::test {

namespace {

/// Trained for real, from a file in the studio's folder, so that its runs are written beside it.
struct RealStudio : Studio {
    explicit RealStudio(const BlockRegistry& blocks) : Studio(sessionRuns(blocks, allBuilders()))
    {
        context.keepsRuns = true;
        Experiment tiny = testing::tinyExperiment();
        tiny.training.threads = 1;
        tiny.training.steps = 100000;
        tiny.training.warmup = 0;
        tiny.training.schedule = ScheduleKind::Constant;
        tiny.training.evaluateEvery = 0;
        const QString file = folder.filePath("tiny.unroll");
        QVERIFY(saveExperiment(tiny, file.toStdString()).has_value());
        QVERIFY(window.files().open(file));
        QTRY_VERIFY(!window.document().checked()->order.empty());
    }

    RunController& run() { return window.controller(); }
    const SeriesStore& loss() { return window.panel<CurvesPanel>().series("train/loss"); }
    double newestLoss() { return loss().y(loss().size() - 1); }
    void trainTo(std::int64_t step)
    {
        window.canvas().setFocus();
        key(Qt::Key_F5);
        QTRY_VERIFY(run().snapshot()->step >= step);
        key(Qt::Key_F6);
        QTRY_COMPARE(run().state(), RunState::Paused);
        QTRY_COMPARE(static_cast<std::int64_t>(loss().size()), run().snapshot()->step);
    }
};

} // namespace

/// The same with the real session behind the window.
class KeptForRealTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void keepingGoesOnWhereTheRunWas()
    {
        RealStudio studio(m_registry);
        studio.trainTo(120);
        const double first = studio.loss().y(0), last = studio.newestLoss();
        const std::int64_t step = studio.run().snapshot()->step;
        const std::string before = studio.run().snapshot()->runFolder;
        QVERIFY(studio.window.document().setTraining("steps", std::int64_t{200000}).has_value());
        studio.key(Qt::Key_F5);
        keyToFocus(Qt::Key_Tab);
        keyToFocus(Qt::Key_Return);
        QTRY_VERIFY(studio.run().snapshot()->initialWeights != nullptr);
        QVERIFY2(studio.window.messages().shownText().startsWith("Reused all "),
                 qPrintable(studio.window.messages().shownText()));
        QTRY_VERIFY(studio.loss().size() > 0);
        QCOMPARE(studio.loss().x(0), 1.0);
        // It may be better than where the run was, as batches differ; started afresh it would be as at first.
        QVERIFY2(studio.loss().y(0) < (first + last) / 2,
                 qPrintable(QString("%1 after %2, at first %3").arg(studio.loss().y(0)).arg(last).arg(first)));
        QVERIFY(studio.run().snapshot()->runFolder != before);
        // The run before is whole: its newest checkpoint is its last step, and it goes on from there.
        const auto folder = RunFolder::open(before);
        QVERIFY(folder.has_value());
        QCOMPARE(folder->checkpoints().all().front().step, step);
        const auto resumed =
            sessionRuns(m_registry, allBuilders())(folder->experiment(), {.runFolder = before, .resume = true});
        QTRY_COMPARE(resumed->snapshot()->state, RunState::Paused);
        QCOMPARE(resumed->snapshot()->step, step);
    }

    void aChangedNodeBeginsAfreshForReal()
    {
        RealStudio studio(m_registry);
        studio.trainTo(3);
        setUnits(studio, 32);
        studio.key(Qt::Key_F5, Qt::ControlModifier);
        QTRY_VERIFY(studio.run().snapshot()->initialWeights != nullptr);
        const QString words = studio.window.messages().shownText();
        QVERIFY2(words.contains("lstm.weight_ih_l0 (96 × 12 → 128 × 12)"), qPrintable(words));
        QVERIFY2(words.contains(": embedding"), qPrintable(words));
        studio.key(Qt::Key_F5, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(studio.run().isUnderWay() && !studio.run().isWaitingForNext());
        QVERIFY(studio.run().snapshot()->initialWeights == nullptr);
        QTRY_VERIFY(studio.loss().size() > 0);
        QCOMPARE(studio.loss().x(0), 1.0);
        QCOMPARE(studio.run().experiment()->graph, studio.graph());
    }

private:
    BlockRegistry m_registry = allSpecs(); ///< of the real runs: outlives them
};

static const AreaOf<KeptForRealTest> keptForRealTestArea("keptForReal");

} // namespace unroll::test

#include "kept_for_real_test.moc"
