// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/plot/colour_map.h"
#include "app/studio/plot/ticks.h"
#include "app/studio/theme/number_text.h"
#include "app/studio/theme/style.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"

#include <QFile>
#include <algorithm>
#include <array>
#include <cmath>

namespace unroll::test {

namespace {

QByteArray themeFile(const QString& name)
{
    QFile file(":/themes/" + name + ".json");
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

struct Pair {
    Theme::Role front;
    Theme::Role back;
    double least;
};

/// Every text and every mark that carries meaning, with what it stands on.
std::vector<Pair> rolePairs()
{
    using R = Theme::Role;
    std::vector<Pair> pairs;
    for (const R surface : {R::Window, R::Panel, R::Field, R::Hover, R::Pressed, R::Selection, R::NoteFill})
        for (const R text : {R::Text, R::TextDim})
            pairs.push_back({text, surface, 4.5});
    // Where a control ends, and where the keyboard is.
    for (const R surface : {R::Window, R::Panel, R::Field, R::NoteFill})
        for (const R outline : {R::FieldBorder, R::Focus, R::Error})
            pairs.push_back({outline, surface, 3});
    for (const R surface : {R::Hover, R::Pressed, R::Selection})
        pairs.push_back({R::Focus, surface, 3});
    for (const R part : {R::ScrollHandle, R::ScrollHandleHover, R::ChartAxis, R::Crosshair, R::HeatFrame})
        pairs.push_back({part, R::Panel, 3});
    for (const R surface : {R::Panel, R::Canvas, R::NodeBody})
        for (const R mark : {R::Error, R::Warning, R::Accent})
            pairs.push_back({mark, surface, 3});
    for (const R line : {R::ChartTrain, R::ChartValidation, R::ChartFloor, R::Good})
        pairs.push_back({line, R::Panel, 3});
    for (int overlay = static_cast<int>(R::ChartOverlay1); overlay <= static_cast<int>(R::ChartOverlay8); ++overlay)
        pairs.push_back({static_cast<R>(overlay), R::Panel, 4.5});
    for (int type = static_cast<int>(R::TypeTokens); type <= static_cast<int>(R::TypeTable); ++type) {
        pairs.push_back({static_cast<R>(type), R::Canvas, 3});
        pairs.push_back({static_cast<R>(type), R::NodeBody, 3});
        pairs.push_back({static_cast<R>(type), R::FrameFill, 3});
        pairs.push_back({R::TypeLetter, static_cast<R>(type), 4.5});
    }
    for (int category = static_cast<int>(R::CategoryData); category <= static_cast<int>(R::CategoryGroup);
         category += 3) {
        pairs.push_back({static_cast<R>(category + 1), static_cast<R>(category), 4.5});
        pairs.push_back({static_cast<R>(category + 2), static_cast<R>(category), 3});
        pairs.push_back({static_cast<R>(category + 2), R::Panel, 3});
    }
    pairs.push_back({R::ErrorText, R::Panel, 4.5});
    const Pair more[] = {{R::Text, R::NodeBody, 4.5},
                         {R::TextDim, R::NodeBody, 4.5},
                         {R::TextDim, R::Canvas, 4.5},
                         {R::TextOnAccent, R::Accent, 4.5},
                         {R::TooltipText, R::Tooltip, 4.5},
                         {R::ErrorText, R::ErrorFill, 4.5},
                         {R::WarningText, R::WarningFill, 4.5},
                         {R::BadgeText, R::Error, 4.5},
                         {R::BadgeText, R::Warning, 4.5},
                         {R::WireLabel, R::Canvas, 4.5},
                         {R::Link, R::Panel, 4.5},
                         {R::Link, R::Hover, 4.5},
                         {R::Link, R::Selection, 4.5},
                         {R::Error, R::ErrorFill, 3},
                         {R::Warning, R::WarningFill, 3},
                         {R::Good, R::Window, 3},
                         {R::Good, R::NoteFill, 3},
                         {R::NodeSelected, R::Canvas, 3},
                         {R::NodeBorder, R::Canvas, 3},
                         {R::NodeBorder, R::NodeBody, 3},
                         {R::BoxSelect, R::Canvas, 3},
                         {R::FrameText, R::FrameTitle, 4.5},
                         {R::FrameText, R::FrameFill, 4.5},
                         {R::FrameText, R::Canvas, 4.5},
                         {R::FrameLine, R::Canvas, 3},
                         {R::NodeBorder, R::FrameFill, 3},
                         {R::NodeSelected, R::FrameFill, 3},
                         {R::BoxSelect, R::FrameFill, 3},
                         {R::ChartFloor, R::Panel, 4.5},
                         {R::TextOnAccent, R::AccentHover, 4.5}};
    pairs.insert(pairs.end(), std::begin(more), std::end(more));
    return pairs;
}

/// Eyes that lack a kind of cone, and all others.
enum class Eye { All, Protan, Deutan, Tritan };
constexpr std::array kEveryEye{Eye::All, Eye::Protan, Eye::Deutan, Eye::Tritan};

using Triple = std::array<double, 3>;

Triple linearOf(const QColor& colour)
{
    const auto one = [](double part) { return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4); };
    return {one(colour.redF()), one(colour.greenF()), one(colour.blueF())};
}

Triple times(const std::array<Triple, 3>& matrix, const Triple& vector)
{
    Triple product{};
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column)
            product[row] += matrix[row][column] * vector[column];
    return product;
}

/// In linear sRGB: Machado, Oliveira, Fernandes 2009, severity 1.0.
Triple seenBy(Eye eye, const QColor& colour)
{
    static const std::array<std::array<Triple, 3>, 4> matrices{{
        {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
        {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
        {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
        {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}},
    }};
    Triple seen = times(matrices[static_cast<std::size_t>(eye)], linearOf(colour));
    for (double& part : seen)
        part = std::clamp(part, 0.0, 1.0);
    return seen;
}

/// CIE L*a*b* of a linear sRGB colour, D65.
Triple labOf(const Triple& linear)
{
    Triple xyz = times(
        {{{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}},
        linear);
    const Triple white{0.95047, 1, 1.08883};
    for (std::size_t i = 0; i < 3; ++i) {
        const double part = xyz[i] / white[i];
        xyz[i] = part > 216.0 / 24389 ? std::cbrt(part) : (24389.0 / 27 * part + 16) / 116;
    }
    return {116 * xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])};
}

double apart(const Triple& a, const Triple& b)
{
    const Triple x = labOf(a), y = labOf(b);
    return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

double apart(const QColor& a, const QColor& b, Eye eye)
{
    return apart(seenBy(eye, a), seenBy(eye, b));
}

} // namespace

class ThemeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void contrastOfKnownPairs()
    {
        QVERIFY(std::abs(contrastRatio(Qt::black, Qt::white) - 21) < 1e-9);
        QVERIFY(std::abs(contrastRatio(QColor("#767676"), Qt::white) - 4.54) < 0.01);
        QCOMPARE(contrastRatio(Qt::red, Qt::red), 1.0);
    }

    void contrast_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("light") << "light";
        QTest::newRow("dark") << "dark";
    }
    void contrast()
    {
        QFETCH(QString, name);
        const auto theme = Theme::fromJson(themeFile(name), name);
        QVERIFY2(theme.has_value(), theme ? "" : theme.error().text().c_str());
        QCOMPARE(theme->isDark(), name == "dark");
        for (const Pair& pair : rolePairs()) {
            const double ratio = contrastRatio((*theme)[pair.front], (*theme)[pair.back]);
            const QString words = QString("%1 on %2: %3 < %4")
                                      .arg(Theme::roleKey(pair.front), Theme::roleKey(pair.back))
                                      .arg(ratio)
                                      .arg(pair.least);
            QVERIFY2(ratio >= pair.least, qPrintable(words));
        }
    }

    void simulationsAreThoseOfTheirPaper()
    {
        // Greys stay grey; red and green come near to each other.
        for (const Eye eye : kEveryEye)
            QVERIFY(apart(seenBy(eye, QColor("#808080")), linearOf(QColor("#808080"))) < 1.5);
        QVERIFY(apart(QColor("#b23a3a"), QColor("#2f7d32"), Eye::All) > 60);
        QVERIFY(apart(QColor("#b23a3a"), QColor("#2f7d32"), Eye::Deutan) < 5);
    }

    /// Curves that may stand side by side, whoever looks: CIE 1976 distance at least 11, where about 2.3 is just
    /// noticed.
    void coloursOfSeriesAreToldApart()
    {
        using R = Theme::Role;
        std::vector<R> series{R::ChartTrain, R::ChartValidation};
        for (int overlay = static_cast<int>(R::ChartOverlay1); overlay <= static_cast<int>(R::ChartOverlay8); ++overlay)
            series.push_back(static_cast<R>(overlay));
        for (const char* name : {"light", "dark"}) {
            const Theme theme = Theme::fromJson(themeFile(name), name).value();
            for (const Eye eye : kEveryEye)
                for (std::size_t a = 0; a < series.size(); ++a)
                    for (std::size_t b = 0; b < a; ++b) {
                        const double distance = apart(theme[series[a]], theme[series[b]], eye);
                        const QString words = QString("%1, %2 and %3: %4")
                                                  .arg(name, Theme::roleKey(series[a]), Theme::roleKey(series[b]))
                                                  .arg(distance);
                        QVERIFY2(distance >= 11, qPrintable(words));
                    }
        }
    }

    /// More is always lighter, or always darker; of a diverging map on both sides of zero, whose ends can be
    /// distinguished.
    void mapsAreInOrderForEveryEye()
    {
        for (const char* name : {"light", "dark"}) {
            const Theme theme = Theme::fromJson(themeFile(name), name).value();
            const auto lightness = [](const QColor& colour, Eye eye) { return labOf(seenBy(eye, colour))[0]; };
            for (const Eye eye : kEveryEye) {
                const auto isOrdered = [&](const ColourMap& map, int from, int to, bool rises) {
                    for (int i = from + 8; i <= to; i += 8)
                        if ((lightness(QColor(map[i]), eye) - lightness(QColor(map[i - 8]), eye)) * (rises ? 1 : -1) <=
                            0)
                            return false;
                    return true;
                };
                const ColourMap sequential = ColourMap::sequential(theme.sequentialMap());
                QVERIFY(isOrdered(sequential, 0, 255, theme.isDark()));
                const ColourMap diverging = ColourMap::diverging(theme.divergingMap());
                QVERIFY(isOrdered(diverging, 0, 120, !theme.isDark()));
                QVERIFY(isOrdered(diverging, 136, 255, theme.isDark()));
                for (const int away : {40, 80, 127})
                    QVERIFY(apart(QColor(diverging[128 - away]), QColor(diverging[128 + away]), eye) > 15);
            }
        }
    }

    void badThemesAreRefused()
    {
        QVERIFY(!Theme::fromJson("{", "x"));
        const QByteArray good = themeFile("light");
        QVERIFY(!Theme::fromJson(QByteArray(good).replace("\"panel\"", "\"pannel\""), "x"));
        const auto wrong = Theme::fromJson(QByteArray(good).replace("\"#ffffff\"", "\"white-ish\""), "x");
        QVERIFY(!wrong);
        QVERIFY(QString::fromStdString(wrong.error().message).contains("colour"));
    }

    void styleSheetHasNoHoles()
    {
        for (const QString& name : {QStringLiteral("light"), QStringLiteral("dark")}) {
            const QString sheet = styleSheet(*Theme::fromJson(themeFile(name), name), 13);
            QVERIFY(sheet.size() > 1000);
            QVERIFY(!sheet.contains('@'));
        }
    }

    /// Qt draws corners square where they are rounder than a half.
    void whatIsRoundStaysRound()
    {
        for (double body = 12; body <= 20; body += 0.25) {
            const int outside = evenPixels(1.08, body) + 2; // with its border, as in studio.qss
            QVERIFY(evenPixels(0.57, body) <= outside / 2);
        }
    }

    void numbersInWords()
    {
        QCOMPARE(countText(526336), QStringLiteral("526,336"));
        QCOMPARE(scaledText(1049600), QStringLiteral("1.05\u00a0M"));
        QCOMPARE(scaledText(999960), QStringLiteral("1.00\u00a0M"));
        QCOMPARE(scaledText(320), QStringLiteral("320"));
        QCOMPARE(bytesText(1536), QStringLiteral("1.50\u00a0KiB"));
        QCOMPARE(durationText(59.4), QStringLiteral("59 s"));
        QCOMPARE(durationText(200), QStringLiteral("3 min 20 s"));
        QCOMPARE(durationText(7500), QStringLiteral("2 h 05 min"));
        QCOMPARE(readingText(1.43249), QStringLiteral("1.432"));
        QCOMPARE(readingText(0.00123), QStringLiteral("0.00123"));
        QCOMPARE(readingText(std::nan("")), QStringLiteral("\u2013"));
    }
};

static const AreaOf<ThemeTest> themeTestArea("theme");

} // namespace unroll::test

#include "theme_test.moc"
