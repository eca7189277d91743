// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/area.h"
#include "tests/gui/start_desk.h"
#include "tests/gui/waiting.h"

#include <QLabel>
#include <QScopeGuard>
#include <QScrollBar>
#include <set>

namespace unroll::test {

namespace {

/// Asserts that every word of the page has its room and nothing lies on anything else.
void nothingIsClippedIn(const StartPage& page)
{
    const auto buttons = page.widget()->findChildren<StartButton*>();
    QVERIFY(page.widget()->width() <= page.viewport()->width());
    for (const StartButton* button : buttons) {
        if (button->isHidden())
            continue;
        const QRect place(button->mapTo(page.widget(), QPoint()), button->size());
        QVERIFY2(page.widget()->rect().contains(place), qPrintable(button->text()));
        QVERIFY2(button->width() >= button->minimumSizeHint().width(), qPrintable(button->text()));
        QVERIFY2(button->height() >= button->heightForWidth(button->width()), qPrintable(button->text()));
        for (const StartButton* other : buttons)
            QVERIFY2(other == button || other->isHidden() ||
                         !place.intersects(QRect(other->mapTo(page.widget(), QPoint()), other->size())),
                     qPrintable(button->text() + " and " + other->text()));
    }
    for (const QLabel* label : page.widget()->findChildren<QLabel*>())
        if (!label->isHidden())
            QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
}

} // namespace

class StartLayoutTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothingIsClipped_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<QByteArray>("text");
        for (const QByteArray text : {"1", "1.5"})
            for (const int width : {460, 640, 800, 900, 1100, 1440, 1600, 2400})
                QTest::newRow(qPrintable(QString("%1 px, text %2").arg(width).arg(QString::fromLatin1(text))))
                    << width << text;
    }

    void nothingIsClipped()
    {
        QFETCH(int, width);
        QFETCH(QByteArray, text);
        const auto normal = qScopeGuard([] { qunsetenv("UNROLL_TEXT_SCALE"); });
        qputenv("UNROLL_TEXT_SCALE", text);
        StartDesk desk;
        desk.window.recentFiles().note(desk.place + "/a rather long name of a file that somebody made up.unroll");
        desk.window.startMode().leave();
        desk.window.startMode().show();
        desk.window.resize(width, 800);
        QVERIFY(comeToRest(desk.window));
        nothingIsClippedIn(desk.page);
        std::set<int> columns;
        for (const GalleryCard* card : desk.page.cards())
            columns.insert(card->x());
        if (text == "1") {
            QCOMPARE(columns.size() > 2, width >= 1440);
            QCOMPARE(columns.size() == 1, width < 500);
        }
        QVERIFY(desk.page.horizontalScrollBar()->maximum() == 0);
    }
};

static const AreaOf<StartLayoutTest> startLayoutTestArea("startLayout");

} // namespace unroll::test

#include "start_layout_test.moc"
