// SPDX-License-Identifier: GPL-3.0-or-later
// Compare Cells on a whole group.
#include "app/studio/window/race_commands.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"
#include "tests/gui/made_race.h"

namespace unroll::test {

class RaceGroupTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Its cells exchanged, one block alone, settings of the nodes inside: all as large as it.
    void aWholeGroupIsCompared()
    {
        Studio studio;
        studio.window.document().apply(edits::makeGroup({studio.id("lstm"), studio.id("lstm_2")}, "body"));
        RaceDialog* dialog = dialogFor(studio, "body");
        QVERIFY(dialog != nullptr);
        LaneListModel& lanes = dialog->lanes();
        QCOMPARE(lanes.wishAt(0), QString("group"));
        QCOMPARE(lanes.fitAt(0)->width, QString("as it is"));
        int solved = 0;
        for (int row = 0; row < lanes.rowCount(); ++row) {
            const LaneFit& fit = *lanes.fitAt(row);
            if (lanes.wishAt(row) == "group:lstm=gru:lstm_2=gru") {
                QCOMPARE(lanes.titleAt(row), QString("body with GRU"));
                QVERIFY2(fit.fault.isEmpty(), qPrintable(fit.fault));
                QVERIFY2(fit.width.startsWith("units = "), qPrintable(fit.width));
                lanes.tick(row, true);
            }
            if (lanes.wishAt(row) == "gru")
                QVERIFY2(fit.fault.isEmpty() && lanes.titleAt(row) == "GRU alone", qPrintable(fit.fault));
            solved += fit.fault.isEmpty();
            QVERIFY(!fit.fault.isEmpty() || std::abs(fit.deviation) <= kMatchTolerance);
        }
        QVERIFY2(solved > 10, qPrintable(QString::number(solved)));
        QCOMPARE(lanes.tickedRows().size(), std::size_t{2});
        const QModelIndex settings = lanes.index(0, LaneListModel::Settings);
        const int variant = lanes.addVariant(0);
        QVERIFY(lanes.setData(settings.siblingAtRow(variant), "lstm_2 = gru, lstm.units=40", Qt::EditRole));
        QTRY_VERIFY(isSolved(*dialog));
        QCOMPARE(lanes.wishAt(variant), QString("group:lstm_2=gru:lstm.units=40"));
        QVERIFY2(lanes.fitAt(variant)->fault.isEmpty(), qPrintable(lanes.fitAt(variant)->fault));
        QCOMPARE(lanes.fitAt(variant)->width.section(' ', 0, 0), QString("lstm_2.units"));
    }

    /// Another group of the experiment with the same ports is one of the choices.
    void anotherGroupStandsInItsPlace()
    {
        Studio studio;
        Document& document = studio.window.document();
        document.apply(edits::makeGroup({studio.id("lstm")}, "first"));
        document.apply(edits::makeGroup({studio.id("lstm_2")}, "second"));
        RaceDialog* dialog = dialogFor(studio, "first");
        QVERIFY(dialog != nullptr);
        const LaneListModel& lanes = dialog->lanes();
        int row = 0;
        while (row < lanes.rowCount() && lanes.wishAt(row) != "@second")
            ++row;
        QVERIFY(row < lanes.rowCount());
        QVERIFY2(lanes.fitAt(row)->fault.isEmpty(), qPrintable(lanes.fitAt(row)->fault));
    }
};

static const AreaOf<RaceGroupTest> raceGroupTestArea("race_group");

} // namespace unroll::test

#include "race_group_test.moc"
