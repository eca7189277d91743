// SPDX-License-Identifier: GPL-3.0-or-later
// Curves of several runs are distinguished by colour and dash, by any eye, in both themes.
#include "app/studio/curves/overlay.h"
#include "tests/gui/area.h"
#include "tests/gui/curves_desk.h"

#include <array>

namespace unroll::test {

namespace {

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

/// How linear light reaches an eye without one kind of cone: Machado, Oliveira and Fernandes 2009, severity 1.
constexpr Matrix kSights[] = {
    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
    {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
    {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}};

Triple multiplied(const Matrix& matrix, const Triple& v)
{
    Triple result{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            result[i] += matrix[i][j] * v[j];
    return result;
}

/// CIE 1976 L*a*b* of linear sRGB, under D65.
Triple labOfLight(const Triple& light)
{
    constexpr Matrix toXyz = {{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}};
    const Triple xyz = multiplied(toXyz, light);
    const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
    const double x = f(xyz[0] / 0.95047), y = f(xyz[1]), z = f(xyz[2] / 1.08883);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

Triple seen(const QColor& color, const Matrix& sight)
{
    Triple light =
        multiplied(sight, {linearChannel(color.redF()), linearChannel(color.greenF()), linearChannel(color.blueF())});
    for (double& channel : light)
        channel = std::clamp(channel, 0.0, 1.0);
    return labOfLight(light);
}

/// The least difference of two colours to any of the eyes: 2 is just seen side by side, 10 at a glance.
double apart(const QColor& a, const QColor& b)
{
    double least = INFINITY;
    for (const Matrix& sight : kSights) {
        const Triple left = seen(a, sight), right = seen(b, sight);
        least = std::min(least, std::hypot(left[0] - right[0], left[1] - right[1], left[2] - right[2]));
    }
    return least;
}

} // namespace

class RunMarksTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void linesOfOneDashDifferToAnyEye()
    {
        std::vector<Theme::Role> lines{Theme::Role::ChartTrain, Theme::Role::ChartValidation};
        lines.insert(lines.end(), kOverlayColors.begin(), kOverlayColors.end());
        for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
            const Appearance appearance(choice);
            for (std::size_t i = 0; i < lines.size(); ++i)
                for (std::size_t j = 0; j < i; ++j) {
                    const double distance = apart(appearance.theme()[lines[i]], appearance.theme()[lines[j]]);
                    QVERIFY2(dashOf(lines[i]) != dashOf(lines[j]) || distance >= 20,
                             qPrintable(QString("%1 and %2: %3")
                                            .arg(Theme::roleKey(lines[i]), Theme::roleKey(lines[j]))
                                            .arg(distance)));
                }
        }
        QVERIFY(apart(QColor("#ff0000"), QColor("#ff0000")) == 0 && apart(Qt::black, Qt::white) > 99);
    }

    void onlyOtherRunsAreDashed()
    {
        QVERIFY(dashOf(Theme::Role::ChartTrain).isEmpty() && dashOf(Theme::Role::ChartValidation).isEmpty());
        for (const Theme::Role color : kOverlayColors)
            QVERIFY(!dashOf(color).isEmpty());
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < i; ++j)
                QVERIFY(dashOf(kOverlayColors[i]) != dashOf(kOverlayColors[j])); // up to four differ by that alone
    }

    /// On the picture: the line of another run has gaps, the run's own has none.
    void dashesAreDrawn()
    {
        for (const Theme::Role color : {Theme::Role::ChartTrain, kOverlayColors[0], kOverlayColors[1]}) {
            const Appearance appearance(ThemeChoice::Light);
            const std::unique_ptr<Chart> chart(makeChart(appearance, nullptr));
            chart->resize(640, 360);
            chart->show();
            ChartPicture picture;
            picture.x = {0, 10, false, "step"};
            picture.y = {0, 1, false, "loss"};
            picture.series = {{1, {SeriesLook::Shape::Line, color, "one"}, {{0, 0.53}, {10, 0.53}}}};
            chart->draw(picture);
            const QImage image = chart->grab().toImage();
            const QRect plot = chart->plot().toRect();
            const int y = plot.bottom() - qRound(0.53 * plot.height());
            int inked = 0;
            for (int x = plot.left() + 5; x < plot.right() - 5; ++x) {
                bool ink = false;
                for (int near = -2; near <= 2; ++near)
                    ink = ink || apart(image.pixelColor(x, y + near), appearance.theme()[color]) < 25;
                inked += ink;
            }
            const int whole = plot.width() - 10;
            QVERIFY2(color == Theme::Role::ChartTrain ? inked > whole * 98 / 100 : inked < whole * 90 / 100,
                     qPrintable(QString("%1 of %2").arg(inked).arg(whole)));
        }
    }

    void theLegendNamesRuns()
    {
        Studio studio;
        studio.window.panel<CurvesPanel>().setOverlays(overlaysOf(5, 50));
        const QString words = studio.window.panel<CurvesPanel>().chart().shownText().join('|');
        for (int i = 1; i <= 5; ++i)
            QVERIFY2(words.contains(QString("run %1 ").arg(i)), qPrintable(words));
    }
};

static const AreaOf<RunMarksTest> runMarksTestArea("runMarks");

} // namespace unroll::test

#include "run_marks_test.moc"
