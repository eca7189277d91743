// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/plot/ticks.h"
#include "app/studio/theme/number_text.h"
#include "app/studio/theme/style.h"
#include "tests/gui/area.h"
#include "tests/gui/fixture.h"

#include <QFile>

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

static const AreaOf<ThemeTest> area("theme");

} // namespace unroll::test

#include "theme_test.moc"
