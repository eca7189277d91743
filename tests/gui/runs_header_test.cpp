// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/area.h"
#include "tests/gui/run_shelf.h"

#include <QHeaderView>

namespace unroll::test {

namespace {

/// Columns of pixels from the first to the last that is not as the top left corner of the area, in coordinates of the widget.
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

} // namespace

class RunsHeaderTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Whichever column is sorted by; the style would keep room for the arrow at the right of each.
    void headingsEndWhereTheirFiguresEnd()
    {
        RunShelf shelf;
        shelf.add("mine-1", 12, RunPhase::Stopped, 1.25);
        shelf.open();
        RunsView& view = shelf.panel().view();
        QHeaderView& header = *view.header();
        for (const int sorted : {int(RunsModel::Name), int(RunsModel::Best), int(RunsModel::Steps)}) {
            view.sortByColumn(sorted, Qt::AscendingOrder);
            for (const int column : {int(RunsModel::Best), int(RunsModel::Steps)}) {
                QVERIFY(!view.isColumnHidden(column));
                const int left = header.sectionViewportPosition(column), width = header.sectionSize(column);
                const auto words = inkAcross(*header.viewport(), QRect(left, 0, width, header.height() - 3));
                const QRect cell = view.visualRect(view.filter().index(0, column));
                const auto figures = inkAcross(*view.viewport(), cell.adjusted(0, 3, 0, -3));
                QVERIFY2(std::abs(words.second - figures.second) <= 2,
                         qPrintable(QString("%1 and %2").arg(words.second).arg(figures.second)));
                QVERIFY2(words.first >= left + 4, "words or arrow are cut off");
            }
        }
    }

    void theSortedColumnHasAnArrow()
    {
        RunShelf shelf;
        shelf.add("mine-1", 12, RunPhase::Stopped, 1.25);
        shelf.open();
        RunsView& view = shelf.panel().view();
        QHeaderView& header = *view.header();
        const auto widthOf = [&](int column) {
            const auto [first, last] =
                inkAcross(*header.viewport(), QRect(header.sectionViewportPosition(column), 0,
                                                    header.sectionSize(column), header.height() - 3));
            return last - first;
        };
        view.sortByColumn(RunsModel::Name, Qt::AscendingOrder);
        const int plain = widthOf(RunsModel::Best);
        view.sortByColumn(RunsModel::Best, Qt::AscendingOrder);
        QVERIFY(widthOf(RunsModel::Best) > plain + 5);
        QTest::mouseClick(header.viewport(), Qt::LeftButton, {},
                          QPoint(header.sectionViewportPosition(RunsModel::Steps) + 20, header.height() / 2));
        QCOMPARE(header.sortIndicatorSection(), int(RunsModel::Steps));
        QCOMPARE(widthOf(RunsModel::Best), plain);
    }
};

static const AreaOf<RunsHeaderTest> area("runsHeader");

} // namespace unroll::test

#include "runs_header_test.moc"
