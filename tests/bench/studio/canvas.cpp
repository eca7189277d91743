// SPDX-License-Identifier: GPL-3.0-or-later
// A repaint, a pan and a zoom step of the canvas: 50, 200 and 1,000 nodes, all in view and at 1:1. CPU time of the
// window's thread.
#include "tests/bench/studio/bench.h"

#include <algorithm>
#include <cmath>

namespace unroll::bench {

namespace {

constexpr int kFrames = 60;

/// What a frame of so many nodes may take, in ms.
double boundOf(int nodes)
{
    return nodes <= 200 ? 8 : 16;
}

/// A change of the view and the frame after it.
std::vector<double> timeFrames(GraphView& view, const std::function<void(int)>& change)
{
    std::vector<double> times;
    for (int i = 0; i < kFrames; ++i) {
        const double start = seconds(CLOCK_THREAD_CPUTIME_ID);
        change(i);
        view.viewport()->repaint();
        times.push_back(1000 * (seconds(CLOCK_THREAD_CPUTIME_ID) - start));
    }
    return times;
}

/// There and back, so that the view stays where it is.
void timeCanvas(Bench& bench, int nodes)
{
    GraphView& view = bench.window.canvas();
    waitFor([] { return false; }, 300);
    const QRectF shown = view.mapToScene(view.viewport()->rect()).boundingRect();
    const auto items = bench.window.scene().nodeItems();
    const auto inView = std::count_if(
        items.begin(), items.end(), [&](const NodeItem* node) { return node->sceneBoundingRect().intersects(shown); });
    const auto way = [](int i) { return i % 2 == 0 ? 1 : -1; };
    const std::string where = std::to_string(nodes) + " nodes, " + std::to_string(inView) + " in view at " +
                              std::to_string(static_cast<int>(std::lround(100 * view.zoom()))) + " %, ";
    report(where + "repaint", timeFrames(view, [](int) {}), boundOf(nodes));
    report(where + "pan", timeFrames(view, [&](int i) { view.panBy(way(i) * QPointF(24, 10)); }), boundOf(nodes));
    report(where + "zoom", timeFrames(view, [&](int i) { view.zoomBy(std::pow(1.02, way(i))); }), boundOf(nodes));
}

void canvas()
{
    Bench bench;
    bench.window.arrange("edit");
    GraphView& view = bench.window.canvas();
    for (const int nodes : {50, 200, 1000}) {
        bench.window.document().replace(chainOf(nodes), {});
        bench.waitUntilChecked();
        view.fitAll();
        timeCanvas(bench, nodes);
        view.zoomBy(1 / view.zoom());
        timeCanvas(bench, nodes);
    }
}

const PartEntry part({"canvas", "a repaint, a pan and a zoom step: 50, 200 and 1,000 nodes", canvas});

} // namespace

} // namespace unroll::bench
