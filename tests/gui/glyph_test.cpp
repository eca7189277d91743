// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/glyph.h"
#include "core/block/registry.h"
#include "tests/gui/area.h"

#include <QImage>
#include <QPainter>
#include <QTest>

namespace unroll::test {

namespace {

constexpr int kSide = 16;
const QRect kPlace(4, 4, kSide, kSide);
const QColor ink("#123456");

QImage painted(const QByteArray& svg, const QRectF& rect, double scale = 1)
{
    QImage image(QSize(kSide + 8, kSide + 8) * scale, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    painter.scale(scale, scale);
    paintGlyph(painter, svg, ink, rect);
    painter.end();
    return image.convertToFormat(QImage::Format_ARGB32);
}

/// The pixels that are more than half inked, as a rectangle, and how many they are.
std::pair<QRect, int> inkOf(const QImage& image)
{
    QRect around;
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (qAlpha(image.pixel(x, y)) > 127) {
                around |= QRect(x, y, 1, 1);
                ++count;
            }
    return {around, count};
}

} // namespace

class GlyphTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyBlockIsDrawnInsideItsPlace_data()
    {
        QTest::addColumn<QByteArray>("svg");
        const BlockRegistry registry = allSpecs();
        for (const BlockSpec* spec : registry.all())
            QTest::newRow(spec->id.c_str()) << blockGlyph(spec);
        QTest::newRow("unknown") << blockGlyph(nullptr);
    }
    void everyBlockIsDrawnInsideItsPlace()
    {
        QFETCH(QByteArray, svg);
        const QImage image = painted(svg, kPlace);
        const auto [around, count] = inkOf(image);
        QVERIFY2(count > 15, "hardly anything is drawn");
        QVERIFY2(count < kSide * kSide * 5 / 8, "a blot");
        QVERIFY2(kPlace.adjusted(1, 1, -1, -1).contains(around), "it reaches the rim");
        QVERIFY2(std::max(around.width(), around.height()) >= 10, "it is smaller than its neighbours");
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                if (qAlpha(image.pixel(x, y)) == 255)
                    QCOMPARE(QColor(image.pixel(x, y)).name(), ink.name());
    }

    /// Lines one pixel wide stay sharp wherever a view has been moved to.
    void standsOnWholePixels()
    {
        const BlockRegistry registry = allSpecs();
        const QByteArray svg = blockGlyph(registry.find("lstm"));
        QCOMPARE(painted(svg, QRectF(kPlace).translated(0.3, -0.4)), painted(svg, kPlace));
        QCOMPARE(painted(svg, QRectF(kPlace).translated(0.1, 0.1), 2), painted(svg, kPlace, 2));
    }

    /// Not a small picture made large.
    void isDrawnAnewForEveryScale()
    {
        const BlockRegistry registry = allSpecs();
        const QByteArray svg = blockGlyph(registry.find("lstm"));
        QImage large(QSize(48, 48), QImage::Format_ARGB32_Premultiplied);
        large.fill(Qt::transparent);
        QPainter painter(&large);
        paintGlyph(painter, svg, ink, QRectF(8, 8, 32, 32));
        painter.end();
        QCOMPARE(painted(svg, kPlace, 2), large.convertToFormat(QImage::Format_ARGB32));
    }
};

static const AreaOf<GlyphTest> glyphTestArea("glyph");

} // namespace unroll::test

#include "glyph_test.moc"
