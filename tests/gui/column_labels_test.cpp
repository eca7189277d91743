// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/heat_map_view.h"
#include "app/studio/plot/column_labels.h"
#include "app/studio/theme/appearance.h"
#include "tests/gui/area.h"

#include <QFontMetricsF>
#include <QPixmap>
#include <cmath>
#include <set>

namespace unroll::test {

namespace {

constexpr int kMostColumns = 300;

/// A snapshot of so many steps of four units, all in the middle of the scale.
std::shared_ptr<const ProbeFrame> lookAt(std::vector<std::string> labels)
{
    SignalFrame signal{"lstm", "h", SignalKind::Signed, static_cast<std::int64_t>(labels.size()), 4, {}};
    signal.values.assign(labels.size() * 4, 0.25f);
    return std::make_shared<const ProbeFrame>(ProbeFrame{1, std::move(labels), {std::move(signal)}});
}

std::vector<std::string> letters(int count)
{
    std::vector<std::string> all;
    for (int i = 0; i < count; ++i)
        all.emplace_back(1, static_cast<char>('A' + i * 7 % 26));
    return all;
}

/// Some of it is on the way from the ground to the text's colour: letters of eight pixels are thin, and no pixel is all
/// theirs.
bool hasInk(const QImage& picture, const QRectF& area, double ratio, const QColor& text)
{
    const QRect pixels = QRectF(area.topLeft() * ratio, area.size() * ratio).toAlignedRect() & picture.rect();
    const int ground = picture.pixelColor(2, picture.height() - 2).lightness();
    for (int y = pixels.top(); y <= pixels.bottom(); ++y)
        for (int x = pixels.left(); x <= pixels.right(); ++x)
            if (std::abs(picture.pixelColor(x, y).lightness() - ground) > std::abs(text.lightness() - ground) / 3)
                return true;
    return false;
}

QImage drawn(HeatMapView& view, double ratio)
{
    QPixmap picture(view.size() * ratio);
    picture.setDevicePixelRatio(ratio);
    view.render(&picture);
    return picture.toImage();
}

/// Each stands under its own column, on its line, and touches none before it there. Empty: so it is.
QString faultOf(const HeatMapView& view)
{
    const ColumnLabels& labels = view.places().labels();
    double free[ColumnLabels::kMostLines] = {-1e9, -1e9, -1e9};
    const double column = view.places().map().width() / static_cast<double>(view.data().cells().steps);
    for (std::size_t i = 0; i < labels.labels.size(); ++i) {
        const ColumnLabels::Label& label = labels.labels[i];
        if (i > 0 && label.column - labels.labels[i - 1].column != labels.every)
            return QString("column %1 has no label").arg(label.column - labels.every);
        if (label.line < 0 || label.line >= labels.lines || label.left < free[label.line] - 0.1)
            return QString("the label of column %1 stands in another's way").arg(label.column);
        free[label.line] = label.left + label.width;
        const double centre = (static_cast<double>(label.column) + 0.5) * column;
        if (label.left > centre || label.left + label.width < centre)
            return QString("the label of column %1 is not below it").arg(label.column);
        if (!QRectF(view.rect()).contains(view.places().label(label)))
            return QString("the label of column %1 is outside").arg(label.column);
    }
    return {};
}

} // namespace

class ColumnLabelsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// At every number of columns and many widths: all letters where three lines have room for them, else each n-th
    /// from one end to the other.
    void everyLetterIsThereWhereItFits()
    {
        Appearance appearance(ThemeChoice::Light);
        HeatMapView view(appearance);
        QFont least = appearance.font(Type::Mono);
        least.setPixelSize(8);
        const double letter = QFontMetricsF(least).horizontalAdvance('M');
        int whole = 0, thinned = 0;
        for (int columns = 8; columns <= kMostColumns; columns += columns < 130 ? 1 : 5) {
            view.setFrame(lookAt(letters(columns)), 0);
            for (const int width : {220, 300, 434, 665, 1440}) {
                view.resize(width, 260);
                view.grab(QRect(0, 0, 1, 1)); // sizes arrive
                const ColumnLabels& labels = view.places().labels();
                const double column = view.places().map().width() / columns;
                const QByteArray where = QString("%1 columns in %2 px").arg(columns).arg(width).toLatin1();
                QVERIFY2(faultOf(view).isEmpty(), where + ": " + faultOf(view).toUtf8());
                if (column * ColumnLabels::kMostLines >= letter + 0.05) {
                    ++whole;
                    QVERIFY2(labels.every == 1 && labels.labels.size() == static_cast<std::size_t>(columns), where);
                    QVERIFY2(labels.lines == 1 || column * (labels.lines - 1) < letter, where); // no line too many
                } else if (column * ColumnLabels::kMostLines < letter - 0.05) {
                    ++thinned;
                    QVERIFY2(labels.every > 1 && labels.lines == 1, where);
                    QVERIFY2(column * static_cast<double>(labels.every - 1) < letter,
                             where); // and no fewer than need be
                    QVERIFY2(labels.labels.front().column < labels.every &&
                                 labels.labels.back().column >= columns - labels.every,
                             where);
                }
            }
        }
        QVERIFY(whole > 300 && thinned > 50);
    }

    void theyAreDrawn_data()
    {
        QTest::addColumn<double>("ratio");
        QTest::addColumn<bool>("dark");
        QTest::newRow("1x") << 1.0 << false;
        QTest::newRow("1x dark") << 1.0 << true;
        QTest::newRow("2x") << 2.0 << false;
        QTest::newRow("1.25x") << 1.25 << false;
    }
    void theyAreDrawn()
    {
        QFETCH(double, ratio);
        QFETCH(bool, dark);
        Appearance appearance(dark ? ThemeChoice::Dark : ThemeChoice::Light);
        HeatMapView view(appearance);
        const QColor text = appearance.theme()[Theme::Role::Text];
        for (const int columns : {8, 33, 64, 80, 96, 128, 200, kMostColumns}) {
            view.setFrame(lookAt(letters(columns)), 0);
            for (const int width : {240, 434, 665, 1200}) {
                view.resize(width, 240);
                const QImage picture = drawn(view, ratio);
                QVERIFY(!view.places().labels().labels.empty());
                for (const ColumnLabels::Label& label : view.places().labels().labels)
                    QVERIFY2(
                        hasInk(picture, view.places().label(label), ratio, text),
                        qPrintable(QString("%1 of %2 columns in %3 px").arg(label.column).arg(columns).arg(width)));
            }
        }
    }

    /// In the panel of a usual window and of a small one: all of the longest probe text.
    void theLongestProbeTextIsWhole()
    {
        Appearance appearance(ThemeChoice::Light);
        HeatMapView view(appearance);
        for (const int columns : {64, static_cast<int>(kUsualReading)})
            for (const int width : {434, 520, 665, 800}) {
                view.setFrame(lookAt(letters(columns)), 0);
                view.resize(width, 260);
                view.grab(QRect(0, 0, 1, 1));
                QCOMPARE(view.places().labels().every, std::int64_t{1});
                QCOMPARE(view.places().labels().labels.size(), static_cast<std::size_t>(columns));
            }
    }

    /// Words of classes, wide letters, a letter of two code units: none is cut and none touches another.
    void labelsOfAnyWidth()
    {
        Appearance appearance(ThemeChoice::Light);
        HeatMapView view(appearance);
        const std::vector<std::string> some{"the", "a", "231", "<end>", "i", "\u4e2d", "\U0001d11e", "\u2423", ""};
        for (int columns = 1; columns <= 120; ++columns) {
            std::vector<std::string> labels;
            for (int i = 0; i < columns; ++i)
                labels.push_back(some[static_cast<std::size_t>(i) % some.size()]);
            view.setFrame(lookAt(labels), 0);
            for (const int width : {230, 434, 900}) {
                view.resize(width, 260);
                view.grab(QRect(0, 0, 1, 1));
                QVERIFY2(!view.places().labels().labels.empty(), qPrintable(QString::number(columns)));
                QVERIFY2(faultOf(view).isEmpty(), qPrintable(faultOf(view)));
            }
        }
        view.setFrame(lookAt(letters(200)), 0); // and back to where there is little room
        view.resize(230, 260);
        view.grab(QRect(0, 0, 1, 1));
        QVERIFY(view.places().labels().every > 1);
        view.setFrame({}, 0);
        QVERIFY(view.places().labels().labels.empty());
    }
};

static const AreaOf<ColumnLabelsTest> columnLabelsTestArea("columnLabels");

} // namespace unroll::test

#include "column_labels_test.moc"
