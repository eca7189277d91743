// SPDX-License-Identifier: GPL-3.0-or-later
// Every list, table and choice of the studio keeps the contract of its model, whatever becomes of the document.
#include "app/studio/palette/palette_popup.h"
#include "core/graph/test_random.h"
#include "tests/gui/area.h"
#include "tests/gui/desk.h"

#include <QAbstractItemModelTester>
#include <QAbstractItemView>
#include <QComboBox>
#include <memory>
#include <set>

namespace unroll::test {

namespace {

/// A tester on every model that some view or choice of the program shows, those of dialogs too; a breach ends the
/// program.
class Testers {
public:
    void findAll()
    {
        for (QWidget* widget : QApplication::allWidgets()) {
            if (const auto* view = qobject_cast<QAbstractItemView*>(widget))
                add(view->model());
            else if (const auto* box = qobject_cast<QComboBox*>(widget))
                add(box->model());
        }
    }
    std::size_t count() const { return m_known.size(); }
    bool knows(const QAbstractItemModel* model) const { return m_known.contains(model); }

private:
    void add(QAbstractItemModel* model)
    {
        if (model != nullptr && m_known.insert(model).second)
            new QAbstractItemModelTester(model, QAbstractItemModelTester::FailureReportingMode::Fatal, model);
    }
    std::set<const QAbstractItemModel*> m_known;
};

int rowsOf(const QAbstractItemView& view)
{
    return view.model()->rowCount();
}

} // namespace

class ModelsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theyAreSoundUnderRandomEdits()
    {
        Studio studio;
        Testers testers;
        testers.findAll();
        QVERIFY(testers.knows(studio.window.panel<ProblemsPanel>().view().model()));
        QVERIFY(testers.knows(studio.window.panel<PalettePanel>().picker().list().model()));
        QVERIFY(testers.knows(studio.window.panel<StatePanel>().findChild<QComboBox*>("nodes")->model()));
        QVERIFY2(testers.count() >= 8, qPrintable(QString::number(testers.count())));
        Document& document = studio.window.document();
        testing_specs::RandomEdits edits(7);
        testing_specs::Random random(7);
        std::set<int> problems;
        for (int i = 0; i < 300; ++i) {
            switch (random.below(6)) {
            case 0: document.undo(); break;
            case 1: document.redo(); break;
            case 2: pickSomething(studio, random); break;
            default: document.apply(edits.next(document.graph())); break;
            }
            if (i % 10 == 0) {
                QTRY_VERIFY(isChecked(studio));
                problems.insert(rowsOf(studio.window.panel<ProblemsPanel>().view()));
            }
        }
        QVERIFY(problems.size() > 2); // they came and went
        document.replace(tinyWith(8), {});
        QTRY_VERIFY(document.checked()->runnable());
        QCOMPARE(rowsOf(studio.window.panel<ProblemsPanel>().view()), 0);
    }

    void theyAreSoundWhileOneSearches()
    {
        Studio studio;
        Testers testers;
        testers.findAll();
        const auto search = [](const BlockPicker& picker) {
            std::set<int> counts;
            for (const char* words : {"", "l", "ls", "lstm", "nothing is called so", "gate", "a", ""}) {
                picker.field().setText(QString::fromLatin1(words));
                counts.insert(rowsOf(picker.list()));
            }
            return counts.size();
        };
        QVERIFY(search(studio.window.panel<PalettePanel>().picker()) > 3);
        const GraphView& canvas = studio.window.canvas();
        QCursor::setPos(canvas.viewport()->mapToGlobal(QPoint(4, canvas.viewport()->height() - 4))); // not over a wire
        studio.window.canvas().askForBlockHere();
        QVERIFY(search(studio.window.findChild<PalettePopup*>()->picker()) > 3);
    }

    void theyAreSoundWhileARunGoesOn()
    {
        Studio studio;
        studio.window.canvas().setFocus();
        studio.key(Qt::Key_F5);
        QTRY_VERIFY(!studio.window.panel<StatePanel>().isEmpty());
        Testers testers;
        testers.findAll();
        QTRY_VERIFY(studio.window.controller().snapshot()->step > 100);
        studio.window.document().apply(edits::removeNodes({studio.id("lstm_2")}));
        studio.window.document().undo();
        studio.script->failAt = studio.window.controller().snapshot()->step + 20;
        QTRY_COMPARE(studio.window.controller().state(), RunState::Failed);
        QVERIFY(rowsOf(studio.window.panel<ProblemsPanel>().view()) > 0);
        studio.script->failAt = -1;
        studio.key(Qt::Key_F5);
        QTRY_COMPARE(rowsOf(studio.window.panel<ProblemsPanel>().view()), 0);
    }

    void theyAreSoundInTheExportDialog()
    {
        Studio studio;
        studio.script->runFolder = studio.folder.filePath("runs").toStdString();
        studio.key(Qt::Key_F10);
        QTRY_VERIFY(studio.window.actions().exportRun->isEnabled());
        studio.key(Qt::Key_E, Qt::ControlModifier);
        Testers testers;
        testers.findAll();
        for (int i = 0; i < 3; ++i) {
            const std::int64_t at = studio.window.controller().snapshot()->step;
            studio.window.controller().checkpoint();
            studio.window.actions().step->trigger();
            QTRY_VERIFY(studio.window.controller().snapshot()->step > at);
        }
    }

private:
    static bool isChecked(Studio& studio)
    {
        return studio.window.document().checked()->nodes.size() == studio.graph().nodes.size();
    }

    /// Whatever is listed, chosen by its view.
    static void pickSomething(Studio& studio, testing_specs::Random& random)
    {
        auto* nodes = studio.window.panel<StatePanel>().findChild<QComboBox*>("nodes");
        if (nodes->count() > 0)
            nodes->setCurrentIndex(static_cast<int>(random.below(static_cast<std::size_t>(nodes->count()))));
        QListView& problems = studio.window.panel<ProblemsPanel>().view();
        if (const int rows = rowsOf(problems); rows > 0) {
            const auto row = static_cast<int>(random.below(static_cast<std::size_t>(rows)));
            problems.setCurrentIndex(problems.model()->index(row, 0));
            Q_EMIT problems.activated(problems.currentIndex());
        }
    }
};

static const AreaOf<ModelsTest> modelsTestArea("models");

} // namespace unroll::test

#include "models_test.moc"
