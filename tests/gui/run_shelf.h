// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/theme/empty_state.h"
#include "tests/gui/desk.h"
#include "tests/gui/made_runs.h"
#include "tests/gui/waiting.h"

#include <QHeaderView>
#include <QLabel>

namespace unroll::test {

// What the tests of the list of runs share.

/// A studio on a file of the user's, with runs beside it and a trash of its own.
struct RunShelf {
    explicit RunShelf(StartRun runs = {}) : studio(std::move(runs))
    {
        QDir().mkpath(bin);
        (void)saveExperiment(testing::tinyExperiment(), file.toStdString());
        studio.context.trash = [this](const QString& path) {
            return trashWorks && QDir().rename(path, bin + '/' + QFileInfo(path).fileName());
        };
        own = std::make_unique<MainWindow>(studio.context); // one that knows this trash
        own->resize(1440, 900);
    }

    Studio studio;
    QString file = studio.folder.filePath("desk/mine.unroll"), place = studio.folder.filePath("desk/runs"),
            bin = studio.folder.filePath("desk/bin");
    bool trashWorks = true;
    std::unique_ptr<MainWindow> own;

    MainWindow& window() { return *own; }
    RunsPanel& panel() { return own->panel<RunsPanel>(); }

    /// Shows the file, and the panel above its neighbours, read.
    void open()
    {
        own->show();
        QVERIFY(own->files().open(file));
        own->panels().dock("runs").raise();
        activate();
        settle();
        QTRY_VERIFY(own->document().checked()->runnable());
    }
    void activate()
    {
        own->activateWindow();
        (void)QTest::qWaitForWindowActive(own.get());
    }
    void settle()
    {
        panel().refresh();
        QTRY_VERIFY(panel().isVisible() && !panel().isReading());
    }

    void add(const QString& name, std::int64_t steps, RunState state, std::optional<double> best = {})
    {
        makeRun(place, name, steps, state, best);
    }

    int rowOf(const QString& name) { return panel().model().rowOf(place + '/' + name); }
    int rows() { return panel().view().filter().rowCount(); }
    QString text(const QString& name, RunsModel::Column column)
    {
        const int row = rowOf(name);
        return row < 0 ? QStringLiteral("(no such run)") : panel().model().index(row, column).data().toString();
    }
    QStringList names()
    {
        QStringList found;
        for (int row = 0; row < rows(); ++row)
            found << panel().view().filter().index(row, RunsModel::Name).data().toString();
        return found;
    }
    void select(const QString& name)
    {
        QVERIFY(rowOf(name) >= 0);
        panel().view().select(rowOf(name));
        panel().view().setFocus();
    }
    QStringList selected()
    {
        QStringList found;
        for (const int row : panel().view().selectedRows())
            found << panel().model().index(row, RunsModel::Name).data().toString();
        return found;
    }
    /// A key in the table that opens a cell, then words and Enter.
    void type(Qt::Key key, const QString& words)
    {
        QTest::keyClick(&panel().view(), key);
        typeIntoCell(words);
    }
    void typeIntoCell(const QString& words)
    {
        auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget());
        QVERIFY(field != nullptr);
        field->selectAll();
        QTest::keyClicks(field, words);
        QTest::keyClick(field, Qt::Key_Return);
    }
    void tickByMouse(const QString& name)
    {
        RunsView& view = panel().view();
        const QModelIndex cell = view.filter().mapFromSource(panel().model().index(rowOf(name), RunsModel::Name));
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.visualRect(cell).topLeft() + QPoint(12, 12));
    }
};

} // namespace unroll::test
