// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/area.h"
#include "tests/gui/run_shelf.h"

#include <QHeaderView>

namespace unroll::test {

namespace {

/// Columns of pixels from the first to the last that is not as the top left corner of the area, in coordinates of the
/// widget.
std::pair<int, int> inkAcross(QWidget& widget, const QRect& area)
{
    const QImage picture = widget.grab(area).toImage();
    int first = -1, last = -1;
    for (int x = 0; x < picture.width(); ++x)
        for (int y = 0; y < picture.height(); ++y)
            if (picture.pixel(x, y) != picture.pixel(0, 0)) {
                first = first < 0 ? x : first;
                last = x;
            }
    return {area.left() + first, area.left() + last};
}

/// A list of one run.
struct OneRun : RunShelf {
    OneRun()
    {
        add("mine-1", 12, RunState::Stopped, 1.25);
        open();
    }
    RunsView& view() { return panel().view(); }
    QHeaderView& header() { return *view().header(); }
    int left(int column) { return header().sectionViewportPosition(column); }
    std::pair<int, int> heading(int column)
    {
        return inkAcross(*header().viewport(),
                         QRect(left(column), 0, header().sectionSize(column), header().height() - 3));
    }
};

} // namespace

class RunsHeaderTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Whichever column is sorted by; the style would keep room for the arrow at the right of each.
    void headingsEndWhereTheirFiguresEnd()
    {
        OneRun runs;
        RunsView& view = runs.view();
        for (const int sorted : {int(RunsModel::Name), int(RunsModel::Best), int(RunsModel::Steps)}) {
            view.sortByColumn(sorted, Qt::AscendingOrder);
            for (const int column : {int(RunsModel::Best), int(RunsModel::Steps)}) {
                QVERIFY(!view.isColumnHidden(column));
                const auto words = runs.heading(column);
                const QRect cell = view.visualRect(view.filter().index(0, column));
                const auto figures = inkAcross(*view.viewport(), cell.adjusted(0, 3, 0, -3));
                QVERIFY2(std::abs(words.second - figures.second) <= 2,
                         qPrintable(QString("%1 and %2").arg(words.second).arg(figures.second)));
                QVERIFY2(words.first >= runs.left(column) + 4, "words or arrow are cut off");
            }
        }
    }

    void theSortedColumnHasAnArrow()
    {
        OneRun runs;
        const auto widthOf = [&](int column) {
            const auto [first, last] = runs.heading(column);
            return last - first;
        };
        runs.view().sortByColumn(RunsModel::Name, Qt::AscendingOrder);
        const int plain = widthOf(RunsModel::Best);
        runs.view().sortByColumn(RunsModel::Best, Qt::AscendingOrder);
        QVERIFY(widthOf(RunsModel::Best) > plain + 5);
        QTest::mouseClick(runs.header().viewport(), Qt::LeftButton, {},
                          QPoint(runs.left(RunsModel::Steps) + 20, runs.header().height() / 2));
        QCOMPARE(runs.header().sortIndicatorSection(), int(RunsModel::Steps));
        QCOMPARE(widthOf(RunsModel::Best), plain);
    }
};

static const AreaOf<RunsHeaderTest> runsHeaderTestArea("runsHeader");

} // namespace unroll::test

#include "runs_header_test.moc"
