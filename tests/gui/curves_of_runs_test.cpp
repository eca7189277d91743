// SPDX-License-Identifier: GPL-3.0-or-later
// Curves of several runs in one picture, what they may cost, and the files made of them.
#include "app/studio/theme/number_text.h"
#include "core/format/csv.h"
#include "tests/gui/area.h"
#include "tests/gui/curves_desk.h"

#include <QClipboard>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QXmlStreamReader>
#include <set>

namespace unroll::test {

class CurvesOfRunsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void overlaysKeepTheirColours()
    {
        Studio studio;
        CurvesPanel& panel = studio.window.panel<CurvesPanel>();
        QVERIFY(panel.isEmpty());
        panel.setOverlays(overlaysOf(3, 100));
        QVERIFY(!panel.isEmpty()); // without a run of this window too
        const QString words = panel.chart().shownText().join('|');
        QVERIFY2(words.contains("run 1 ") && words.contains("run 3 "), qPrintable(words));
        const auto third = panel.overlayColor("/runs/3");
        QVERIFY(third && third != panel.overlayColor("/runs/1") && third != panel.overlayColor("/runs/2"));
        auto others = overlaysOf(5, 100);
        others.erase(others.begin(), others.begin() + 2);
        panel.setOverlays(others);
        QCOMPARE(panel.overlayColor("/runs/3"), third);
        QVERIFY(!panel.overlayColor("/runs/1"));
        std::set<Theme::Role> colors;
        for (const CurveOverlay& overlay : others)
            colors.insert(*panel.overlayColor(overlay.folder));
        QCOMPARE(colors.size(), others.size());
        panel.setOverlays(overlaysOf(12, 20));
        QVERIFY(panel.overlayColor("/runs/8") && !panel.overlayColor("/runs/9"));
        studio.key(Qt::Key_F10); // a run begins: they stay
        QTRY_VERIFY(panel.chart().shownText().join('|').contains("train "));
        QVERIFY(panel.chart().shownText().join('|').contains("run 8 "));
        panel.setOverlays({});
        QVERIFY(!panel.chart().shownText().join('|').contains("run 8 "));
    }

    void allCurvesShareOneBudget()
    {
        CurvesDesk desk;
        auto rows = rowsOf(2000); // no two of them alike
        for (std::size_t i = 99; i < rows.size(); i += 100)
            rows[i].values["val/loss"] = 1;
        desk.panel().showRows(rows);
        const std::size_t alone = desk.series("train")->points.size();
        desk.panel().setOverlays(overlaysOf(8, 2000));
        QVERIFY2(desk.pointCount() <= CurvesPanel::kPointBudget, qPrintable(QString::number(desk.pointCount())));
        QVERIFY(desk.pointCount() > CurvesPanel::kPointBudget * 3 / 4);
        QVERIFY(desk.series("train")->points.size() < alone);
        QCOMPARE(desk.series("validation")->points.size(), std::size_t{20}); // who needs few gets them all
        QVERIFY(desk.series("run 8")->points.size() >= 100);
    }

    void theBestIsMarkedAndTheFloorNamed()
    {
        CurvesDesk desk;
        QVERIFY(desk.picture().best.has_value());
        QCOMPARE(desk.picture().best->at.x(),
                 50 * std::floor(static_cast<double>(desk.window.controller().snapshot()->step) / 50));
        QVERIFY2(desk.shownText().contains("best " + readingText(desk.picture().best->at.y())),
                 qPrintable(desk.shownText()));
        QCOMPARE(desk.picture().levels.size(), std::size_t{1});
        desk.panel().findChild<QComboBox*>()->setCurrentText("Gradient norm");
        QVERIFY(!desk.picture().best && desk.picture().levels.empty());
    }

    void aNarrowPanelHasItsControlsInTwoLines()
    {
        Appearance appearance(ThemeChoice::Light);
        QWidget panel; // what gives it its width, as a dock does
        CurvesBar bar(appearance, &panel);
        panel.show();
        bar.resize(700, bar.sizeHint().height());
        const auto inOneLine = [&] {
            const auto top = [&](const char* name) {
                auto* button = bar.findChild<QToolButton*>(name);
                return button->mapTo(&bar, button->rect().center()).y();
            };
            return std::abs(top("xAxis") - top("saveCurves")) < 8;
        };
        QTRY_VERIFY(inOneLine());
        QVERIFY2(bar.minimumSizeHint().width() < 320, qPrintable(QString::number(bar.minimumSizeHint().width())));
        bar.resize(bar.minimumSizeHint().width(), 100);
        QTRY_VERIFY(!inOneLine());
        for (const auto* control : bar.findChildren<QToolButton*>())
            QVERIFY2(control->mapTo(&bar, control->rect().bottomRight()).x() <= bar.width(),
                     qPrintable(control->text()));
        bar.resize(700, 100);
        QTRY_VERIFY(inOneLine());
    }

    void aHiddenPanelDrawsNothing()
    {
        CurvesDesk desk;
        desk.panel().hide();
        desk.panel().setOverlays(overlaysOf(2, 100));
        desk.oneStepMore();
        QVERIFY(desk.series("run 1") == nullptr);
        desk.panel().show();
        QVERIFY(desk.series("run 1") != nullptr);
        QCOMPARE(desk.series("train")->points.back().x(),
                 static_cast<double>(desk.window.controller().snapshot()->step));
    }

    void picturesAreWritten()
    {
        CurvesDesk desk;
        const QString png = desk.folder.filePath("curves.png"), svg = desk.folder.filePath("curves.svg");
        desk.panel().save(CurvesBar::Format::Png, png);
        QVERIFY(!desk.button("saveCurves")->isEnabled()); // one at a time
        QTRY_VERIFY(desk.button("saveCurves")->isEnabled());
        const QImage image(png);
        QCOMPARE(image.size(), desk.chart().size() * 2);
        QCOMPARE(image.pixelColor(2, 2), desk.appearance.theme()[Theme::Role::Panel]);
        QTRY_VERIFY2(desk.window.messages().shownText().contains(png), qPrintable(desk.window.messages().shownText()));
        desk.panel().save(CurvesBar::Format::Svg, svg);
        QTRY_VERIFY(desk.button("saveCurves")->isEnabled());
        QFile file(svg);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QXmlStreamReader xml(&file);
        QString text;
        int paths = 0;
        while (!xml.atEnd()) {
            xml.readNext();
            text += xml.isCharacters() ? xml.text().toString() : QString();
            paths += xml.isStartElement() && (xml.name() == u"path" || xml.name() == u"polyline");
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QVERIFY2(text.contains("entropy of these data") && text.contains("train "), qPrintable(text.simplified()));
        QVERIFY(paths > 2);
    }

    void theTableHoldsEveryRow()
    {
        CurvesDesk desk;
        desk.panel().setOverlays({{"older, \"wider\"", "/runs/older", rowsOf(120, 0.5)}});
        // By hand: the menu, a name, Enter.
        for (QAction* action : desk.button("saveCurves")->menu()->actions())
            if (action->text().contains("CSV"))
                action->trigger();
        auto* dialog = desk.panel().findChild<QFileDialog*>();
        QVERIFY(dialog != nullptr);
        auto* name = dialog->findChild<QLineEdit*>("fileNameEdit");
        QVERIFY(name != nullptr);
        QCOMPARE(name->text(), QString("loss.csv"));
        name->setText(desk.folder.filePath("numbers"));
        QTest::keyClick(name, Qt::Key_Return);
        QTRY_VERIFY(QFile::exists(desk.folder.filePath("numbers.csv")));
        QFile file(desk.folder.filePath("numbers.csv"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto table = format::parseCsv(file.readAll().toStdString());
        const auto last = static_cast<std::size_t>(desk.window.controller().snapshot()->step);
        QCOMPARE(table.size(), 1 + last + 120);
        QCOMPARE(table[0], (std::vector<std::string>{"run", "step", "tokens", "seconds", "train/loss",
                                                     "train/loss (smoothed)", "val/loss", "flops", "epochs"}));
        const auto& loss = desk.panel().series("train/loss");
        for (std::size_t i = 0; i < last; ++i) {
            QCOMPARE(table[i + 1][0], std::string("this run"));
            QCOMPARE(table[i + 1][1], std::to_string(i + 1));
            QCOMPARE(table[i + 1][2], std::to_string((i + 1) * 768));
            QVERIFY(std::stod(table[i + 1][4]) == loss.y(i)); // to the last bit
            QCOMPARE(table[i + 1][6].empty(), (i + 1) % 50 != 0);
        }
        QCOMPARE(table[last + 1][0], std::string("older, \"wider\""));
        QCOMPARE(table[last + 120][1], std::string("120"));
    }

    void aFileThatCannotBeWrittenIsSaid()
    {
        CurvesDesk desk;
        desk.panel().save(CurvesBar::Format::Csv, desk.folder.filePath("none/there/curves.csv"));
        QTRY_VERIFY2(desk.window.messages().shownText().contains("could not be saved"),
                     qPrintable(desk.window.messages().shownText()));
        QVERIFY(desk.window.messages().shownText().contains("none/there/curves.csv"));
        QVERIFY(desk.button("saveCurves")->isEnabled());
    }

    void picturesGoToTheClipboard()
    {
        CurvesDesk desk;
        for (QAction* action : desk.button("saveCurves")->menu()->actions())
            if (action->text().contains("Copy"))
                action->trigger();
        QCOMPARE(QApplication::clipboard()->image().size(), desk.chart().size() * 2);
    }
};

static const AreaOf<CurvesOfRunsTest> curvesOfRunsTestArea("curvesOfRuns");

} // namespace unroll::test

#include "curves_of_runs_test.moc"
