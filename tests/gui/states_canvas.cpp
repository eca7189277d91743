// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/palette/palette_popup.h"
#include "core/experiment/gallery.h"
#include "tests/gui/states.h"

#include <QApplication>
#include <QMenuBar>
#include <QToolButton>

namespace unroll::test {

namespace {

void edit(Studio& studio)
{
    studio.window.arrange("edit");
    settle(studio.window);
}

/// The hand comes down at one place and stays down at another.
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
    edit(studio);
    hold(studio, portOf(studio, "lstm", "y", true), studio.headerOf("head") + QPoint(-60, 90));
}

void wireRefused(Studio& studio)
{
    edit(studio);
    hold(studio, portOf(studio, "text", "tokens", true), portOf(studio, "lstm", "x", false));
}

/// With the button that mends it.
void wireDropped(Studio& studio)
{
    wireRefused(studio);
    QTest::mouseRelease(studio.window.canvas().viewport(), Qt::LeftButton, {}, portOf(studio, "lstm", "x", false));
}

void boxSelect(Studio& studio)
{
    edit(studio);
    hold(studio, {20, 20}, studio.headerOf("lstm") + QPoint(60, 120));
}

void palette(Studio& studio, const QString& asked)
{
    edit(studio);
    studio.window.canvas().askForBlock({260, 420});
    QTest::keyClicks(&studio.window.findChild<PalettePopup*>()->picker().field(), asked);
}

void makeBody(Studio& studio)
{
    edit(studio);
    Document& document = studio.window.document();
    document.apply(edits::makeGroup({studio.id("lstm"), studio.id("lstm_2")}, "body"));
    document.apply(edits::setRepeat(studio.id("body"), 3, false));
    studio.window.scene().select({studio.id("body")});
}

void insideAGroup(Studio& studio)
{
    makeBody(studio);
    studio.window.scene().enter(studio.id("body"));
}

void mistakes(Studio& studio)
{
    edit(studio);
    Document& document = studio.window.document();
    document.apply(edits::setParam(studio.id("lstm"), "units", std::int64_t{0}));
    document.apply(edits::removeNodes({studio.id("embedding")}));
    studio.window.scene().select({studio.id("lstm")});
}

void unknownBlock(Studio& studio)
{
    edit(studio);
    studio.window.document().apply(edits::setBlock(studio.id("lstm"), "hyper_lstm_of_a_later_version"));
    studio.window.scene().select({studio.id("lstm")});
}

void longNames(Studio& studio)
{
    edit(studio);
    Document& document = studio.window.document();
    document.apply(edits::renameNode(studio.id("lstm"), "the_first_recurrent_layer_which_reads_characters"));
    document.apply(
        edits::setParam(studio.id("the_first_recurrent_layer_which_reads_characters"), "units", std::int64_t{1234567}));
    studio.window.scene().select({studio.id("the_first_recurrent_layer_which_reads_characters")});
}

void nothingThere(Studio& studio)
{
    edit(studio);
    std::set<NodeId> all;
    for (const auto& [id, node] : studio.graph().nodes)
        all.insert(id);
    studio.window.document().apply(edits::removeNodes(all));
}

void farAway(Studio& studio)
{
    edit(studio);
    studio.window.canvas().zoomBy(0.3);
}

/// With ways that part and join again, and a node that nothing is wired to.
void tidied(Studio& studio)
{
    edit(studio);
    GraphScene& scene = studio.window.scene();
    for (const char* block : {"linear", "add", "layer_norm", "concat", "dropout", "gru"})
        BlockAdder(scene).add(block, {400, 200});
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

void unrolledCell(Studio& studio)
{
    edit(studio);
    studio.window.scene().select({studio.id("lstm")});
    studio.window.actions().unrolled->trigger();
    studio.window.canvas().fitAll();
}

/// A group with a way around its cell, and one that reads both ways.
void unrolledGroup(Studio& studio)
{
    edit(studio);
    Document& document = studio.window.document();
    GraphScene& scene = studio.window.scene();
    BlockAdder(scene).add("add", {700, 300});
    const auto wire = [&](const char* from, const char* to, const char* input) {
        document.apply(edits::connect({{studio.id(from), "y"}, {studio.id(to), input}}));
    };
    wire("lstm", "add", "a");
    wire("lstm_2", "add", "b");
    wire("add", "head", "x");
    document.apply(edits::setParam(studio.id("lstm_2"), "bidirectional", true));
    document.apply(edits::makeGroup({studio.id("lstm"), studio.id("lstm_2"), studio.id("add")}, "body"));
    scene.select({studio.id("body")});
    studio.window.actions().unrolled->trigger();
    studio.window.canvas().fitAll();
}

/// A GRU built by hand: the loop through its delay goes from step to step.
void unrolledLoop(Studio& studio)
{
    edit(studio);
    studio.window.files().open(QString::fromStdString(findExperiment("gru-by-hand")->string()));
    GraphScene& scene = studio.window.scene();
    std::set<NodeId> loop;
    for (const auto& [id, node] : scene.shown().nodes)
        if (node->name != "text" && node->name != "embedding" && node->name != "head")
            loop.insert(id);
    studio.window.document().apply(edits::makeGroup(loop, "gru"));
    scene.select({studio.id("gru")});
    studio.window.actions().unrolled->trigger();
    studio.window.canvas().fitAll();
}

void openMenu(Studio& studio, int place)
{
    QMenuBar& bar = *studio.window.menuBar();
    const QRect title = bar.actionGeometry(bar.actions()[place]);
    bar.actions()[place]->menu()->popup(bar.mapToGlobal(title.bottomLeft()));
}

/// One that opens below a button of a panel, with what is chosen in it.
void openAxisMenu(Studio& studio)
{
    auto* button = studio.window.panel<CurvesPanel>().findChild<QToolButton*>("xAxis");
    button->menu()->popup(button->mapToGlobal(QPoint(0, button->height())));
}

StudioState menuState(const char* name, int place)
{
    return {name, [place](Studio& studio) { openMenu(studio, place); }};
}

} // namespace

std::vector<StudioState> canvasStates()
{
    return {
        {"wire", wireFits},
        {"refused", wireRefused},
        {"refused-offer", wireDropped},
        {"box", boxSelect},
        {"palette", [](Studio& studio) { palette(studio, {}); }},
        {"palette-asked", [](Studio& studio) { palette(studio, "m"); }},
        {"palette-nothing", [](Studio& studio) { palette(studio, "transformer of another kind"); }},
        {"group", makeBody},
        {"group-inside", insideAGroup},
        {"mistakes", mistakes},
        {"unknown-block", unknownBlock},
        {"long-names", longNames},
        {"canvas-empty", nothingThere},
        {"canvas-far", farAway},
        {"tidied", tidied},
        {"unrolled-cell", unrolledCell},
        {"unrolled-group", unrolledGroup},
        {"unrolled-loop", unrolledLoop},
        menuState("menu-file", 0),
        menuState("menu-edit", 1),
        menuState("menu-view", 2),
        menuState("menu-run", 3),
        menuState("menu-help", 4),
        {"menu-axis", openAxisMenu},
        {"menu-node",
         [](Studio& studio) {
             edit(studio);
             studio.window.canvas().menuAsked(studio.headerOf("lstm"));
         }},
        {"menu-canvas",
         [](Studio& studio) {
             edit(studio);
             studio.window.canvas().menuAsked({30, 30});
         }},
    };
}

} // namespace unroll::test
