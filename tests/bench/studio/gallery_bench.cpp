// SPDX-License-Identifier: GPL-3.0-or-later
// From a click on a card of the start page to the painted canvas with the shapes on its wires; nothing of the data is
// known before.
#include "app/studio/canvas/wire_item.h"
#include "app/studio/start/gallery_card.h"
#include "core/experiment/data_cache.h"
#include "tests/bench/studio/bench.h"

#include <cstdio>

namespace unroll::bench {

namespace {

constexpr double kBound = 1000;
constexpr int kTimes = 5;
constexpr int kPatience = 60000;

/// Some wire says what it carries.
bool hasShapes(MainWindow& window)
{
    for (const Wire& wire : window.scene().shown().wires)
        if (const WireItem* item = window.scene().wire(wire); item != nullptr && !item->shapeText().isEmpty())
            return true;
    return false;
}

/// A window of its own, whose data have not been read.
struct ColdWindow {
    DataCache data{allBuilders()};
    StudioContext context;
    MainWindow window;

    explicit ColdWindow(Bench& bench)
        : context{bench.registry,
                  data,
                  bench.appearance,
                  bench.settings,
                  sessionRuns(bench.registry, allBuilders(), &data),
                  false},
          window(context)
    {
        window.startMode().show();
        window.show();
    }
};

double millisecondsSince(double start)
{
    return 1000 * (seconds(CLOCK_MONOTONIC) - start);
}

/// From the click until it is seen.
double openOnce(Bench& bench, std::size_t index)
{
    ColdWindow cold(bench);
    StartPage& page = cold.window.startPage();
    waitFor([&] { return page.isFilled(); }, kPatience);
    waitFor([] { return false; }, 100);
    const Paints paints(*cold.window.canvas().viewport());
    const double start = seconds(CLOCK_MONOTONIC);
    page.cards()[index]->click();
    waitFor([&] { return hasShapes(cold.window); }, kPatience);
    const int before = paints.done();
    waitFor([&] { return paints.done() > before; }, kPatience);
    return millisecondsSince(start);
}

void timePage(Bench& bench)
{
    std::vector<double> painted, filled;
    for (int i = 0; i < kTimes; ++i) {
        const double start = seconds(CLOCK_MONOTONIC);
        ColdWindow cold(bench);
        const Paints paints(*cold.window.startPage().viewport());
        waitFor([&] { return paints.done() > 0; }, kPatience);
        painted.push_back(millisecondsSince(start));
        const int before = paints.done();
        waitFor([&] { return cold.window.startPage().isFilled() && paints.done() > before; }, kPatience);
        filled.push_back(millisecondsSince(start));
    }
    report("a window made and painted on its start page", painted, kBound);
    report("the same with its cards", filled, kBound);
}

void gallery()
{
    Bench bench;
    timePage(bench);
    ColdWindow any(bench);
    waitFor([&] { return any.window.startPage().isFilled(); }, kPatience);
    for (std::size_t index = 0; index < any.window.startPage().cards().size(); ++index) {
        std::vector<double> opened;
        for (int i = 0; i < kTimes; ++i)
            opened.push_back(openOnce(bench, index));
        const QString title = any.window.startPage().cards()[index]->item().title;
        report(title.toStdString() + ", painted with its shapes after the click on its card", opened, kBound);
    }
}

const PartEntry part({"gallery", "from a click on a card of the start page to the painted canvas", gallery});

} // namespace

} // namespace unroll::bench
