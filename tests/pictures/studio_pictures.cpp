// SPDX-License-Identifier: GPL-3.0-or-later
// The studio in states that `--shot` does not come to, one picture each, light and dark, for eyes that judge the look:
//   unroll_studio_pictures FOLDER
#include "app/studio/export/export_command.h"
#include "app/studio/export/export_dialog.h"
#include "tests/gui/fixture.h"

#include <QApplication>
#include <QDir>
#include <QStandardPaths>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <functional>

namespace unroll::test {

namespace {

void settle()
{
    QTest::qWait(150);
}

void hold(Studio& studio, const QPoint& from, const QPoint& to)
{
    QWidget* port = studio.window.canvas().viewport();
    QTest::mousePress(port, Qt::LeftButton, {}, from);
    for (const QPoint& at : {from + (to - from) / 2, to}) {
        QMouseEvent move(QEvent::MouseMove, QPointF(at), port->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, {});
        QApplication::sendEvent(port, &move);
    }
}

QPoint portOf(Studio& studio, const std::string& node, const std::string& port, bool output)
{
    return studio.window.canvas().mapFromScene(studio.window.scene().placeOf({{studio.id(node), port}, output}));
}

void wireFits(Studio& studio)
{
    studio.window.arrange("edit");
    settle();
    hold(studio, portOf(studio, "lstm", "y", true), studio.headerOf("head") + QPoint(-60, 90));
}

void wireRefused(Studio& studio)
{
    studio.window.arrange("edit");
    settle();
    hold(studio, portOf(studio, "text", "tokens", true), portOf(studio, "lstm", "x", false));
}

void paletteOpen(Studio& studio)
{
    studio.window.arrange("edit");
    settle();
    studio.window.canvas().askForBlock({260, 420});
    QTest::keyClicks(&studio.window.palettePopup().picker().field(), "m");
}

void dataNode(Studio& studio)
{
    studio.window.arrange("edit");
    studio.window.scene().select({studio.id("text")});
    QTest::qWait(1500); // the data are read beside
}

void groupNode(Studio& studio)
{
    studio.window.arrange("edit");
    studio.window.document().apply(edits::makeGroup({studio.id("lstm"), studio.id("lstm_2")}, "body"));
    studio.window.document().apply(edits::setRepeat(studio.id("body"), 3, false));
    studio.window.scene().select({studio.id("body")});
}

void insideAGroup(Studio& studio)
{
    groupNode(studio);
    studio.window.scene().enter(studio.id("body"));
}

/// With ways that part and join again, and a node that nothing is wired to.
void tidied(Studio& studio)
{
    studio.window.arrange("edit");
    GraphScene& scene = studio.window.scene();
    for (const char* block : {"linear", "add", "layer_norm", "concat", "dropout", "gru"})
        scene.addBlock(block, {400, 200});
    const auto wire = [&](const char* from, const char* to, const char* input) {
        scene.apply(edits::connect({{studio.id(from), "y"}, {studio.id(to), input}}));
    };
    wire("embedding", "linear", "x");
    wire("lstm", "add", "a");
    wire("linear", "add", "b");
    wire("add", "layer_norm", "x");
    wire("layer_norm", "lstm_2", "x");
    wire("lstm_2", "concat", "a");
    wire("embedding", "gru", "x");
    wire("gru", "concat", "b");
    wire("concat", "head", "x");
    scene.select({});
    studio.window.actions().tidy->trigger();
    studio.window.canvas().fitAll();
}

void mistakes(Studio& studio)
{
    studio.window.arrange("edit");
    studio.window.document().apply(edits::setParam(studio.id("lstm"), "units", std::int64_t{0}));
    studio.window.document().apply(edits::removeNodes({studio.id("embedding")}));
    studio.window.scene().select({studio.id("lstm")});
}

void changedWhileRunning(Studio& studio)
{
    studio.key(Qt::Key_F5);
    QTest::qWait(800);
    studio.window.document().apply(edits::setParam(studio.id("lstm"), "units", std::int64_t{64}));
    studio.window.scene().select({studio.id("lstm")});
    settle();
    studio.key(Qt::Key_F5);
}

void exporting(Studio& studio)
{
    studio.window.findChild<ExportCommand*>()->showDialog({});
}

/// A run under way beside others, one of which diverged.
void curvesBeside(Studio& studio)
{
    studio.key(Qt::Key_F5);
    QTest::qWait(1200);
    studio.key(Qt::Key_F5);
    std::vector<CurveOverlay> overlays;
    for (const char* name : {"gru, 2 layers", "sru", "grumml with a rather long name of its own", "lru"}) {
        CurveOverlay overlay{name, name, {}};
        const double slow = 120 + 60 * static_cast<double>(overlays.size());
        for (std::int64_t step = 1; step <= 260; ++step) {
            const double noise = 0.12 * std::sin(static_cast<double>(step * step) * 0.7);
            overlay.rows.push_back({step,
                                    step * 768,
                                    static_cast<double>(step) * 0.01,
                                    {{"train/loss", 0.9 + 3.2 * std::exp(-static_cast<double>(step) / slow) + noise}}});
        }
        if (overlays.size() == 1)
            overlay.rows.back().values["train/loss"] = std::nan("");
        overlays.push_back(overlay);
    }
    studio.window.curves().setOverlays(overlays);
    Q_EMIT studio.window.curves().chart().hovered(120);
}

void curvesHeld(Studio& studio)
{
    curvesBeside(studio);
    Chart& chart = studio.window.curves().chart();
    studio.window.curves().setLog(true);
    Q_EMIT chart.viewAsked(chart.picture().x.between(0.1, 0.7), chart.picture().y.between(-0.1, 0.8));
}

QWidget* pictured(Studio& studio)
{
    if (auto* dialog = studio.window.findChild<ExportDialog*>(); dialog != nullptr && dialog->isVisible())
        return dialog;
    return &studio.window;
}

bool takeAll(const QDir& folder)
{
    const std::pair<const char*, std::function<void(Studio&)>> states[] = {
        {"wire", wireFits},    {"refused", wireRefused}, {"palette", paletteOpen}, {"data", dataNode},
        {"group", groupNode},  {"inside", insideAGroup}, {"mistakes", mistakes},   {"changed", changedWhileRunning},
        {"export", exporting}, {"curves", curvesBeside}, {"held", curvesHeld},
        {"tidied", tidied},
    };
    bool written = true;
    for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark})
        for (const auto& [name, reach] : states) {
            Studio studio;
            studio.appearance.setChoice(theme);
            reach(studio);
            settle();
            const QString file =
                folder.filePath(QStringLiteral("%1-%2.png")
                                    .arg(QString::fromLatin1(name), theme == ThemeChoice::Dark ? "dark" : "light"));
            written = pictured(studio)->grab().save(file) && written;
            std::printf("%s\n", qPrintable(file));
        }
    return written;
}

} // namespace

} // namespace unroll::test

int main(int argc, char** argv)
{
    QApplication app(argc, argv);
    std::setlocale(LC_NUMERIC, "C");
    QApplication::setStyle("Fusion");
    QStandardPaths::setTestModeEnabled(true);
    if (argc != 2 || !QDir().mkpath(argv[1])) {
        std::fprintf(stderr, "usage: unroll_studio_pictures FOLDER\n");
        return 2;
    }
    return unroll::test::takeAll(QDir(argv[1])) ? 0 : 1;
}
