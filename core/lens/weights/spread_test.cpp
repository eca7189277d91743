// SPDX-License-Identifier: GPL-3.0-or-later
// How weights, gradients and updates are spread over training: counts by hand, and the figure that is made of them.
#include "core/lens/weights/spread.h"

#include "core/lens/last_update.h"
#include "core/lens/weights/count_spread.h"
#include "core/lens/weights/weights.h"
#include "tests/support/short_runs.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/zeros_like.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace unroll {
namespace {

using testing::BuiltRun;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::tinyExperiment;
namespace weights = lenses::weights;

at::Tensor tensorOfValues(const std::vector<double>& values)
{
    at::Tensor made = at::empty({std::ssize(values)}, at::kDouble);
    std::copy(values.begin(), values.end(), made.mutable_data_ptr<double>());
    return made;
}

/// The panel's share at a row's label, in a column.
double shareAt(const FigurePanel& panel, const std::string& label, std::int64_t column)
{
    const auto row = std::find(panel.y.labels.begin(), panel.y.labels.end(), label) - panel.y.labels.begin();
    EXPECT_LT(row, std::ssize(panel.y.labels)) << label;
    return static_cast<double>(panel.cells->values.at(static_cast<std::size_t>(row * panel.cells->columns + column)));
}

TEST(WeightSpread, CountsByHand)
{
    const double none = std::numeric_limits<double>::quiet_NaN(), all = std::numeric_limits<double>::infinity();
    const Spread values =
        weights::spreadOfValues({tensorOfValues({3, -4, none, 0}), tensorOfValues({all, 4, -0.01, 0.41})});
    EXPECT_EQ(values.count, 6);
    EXPECT_EQ(values.exponent, 2) << "from -4 to 4 in bins of 0.4";
    std::vector<std::int64_t> right(20, 0);
    right[0] = right[9] = right[10] = right[11] = right[17] = right[19] = 1;
    EXPECT_EQ(values.bins, right);
    const Spread sizes = weights::spreadOfSizes({tensorOfValues({1, -1, 0.999, 0, 0, 1e-30, 1e30, none})});
    EXPECT_EQ(sizes.count, 7);
    const auto octave = [&](int o) { return sizes.bins.at(static_cast<std::size_t>(o - Spread::kLeastOctave)); };
    EXPECT_EQ(octave(0), 2);
    EXPECT_EQ(octave(-1), 1);
    EXPECT_EQ(octave(Spread::kLeastOctave), 1) << "what is smaller";
    EXPECT_EQ(octave(Spread::kMostOctave), 1) << "what is larger";
    EXPECT_EQ(sizes.bins.back(), 2) << "zeros";
    EXPECT_EQ(weights::spreadOfValues({tensorOfValues({0, 0})}).bins[10], 2);
    EXPECT_EQ(weights::spreadOfSizes({tensorOfValues({none})}).count, 0);
}

/// Updates of other ranges are drawn over the widest: as if they had been counted so from the beginning.
TEST(WeightSpread, NarrowRangesLieWithinWideOnes)
{
    LensHistory history;
    const at::Tensor values = at::linspace(-0.99, 0.97, 331, at::kDouble);
    std::int64_t step = 0;
    for (const double scale : {0.125, 8.0, 1.0}) {
        std::vector<LensNumber> numbers;
        addSpread(numbers, "weights", "lstm", weights::spreadOfValues({values * scale}));
        history.add(++step, numbers);
    }
    history.add(++step, {{"weights.lstm", 3}}); // a row without counts
    const std::vector<FigurePanel> panels = spreadPanels(history, "weights");
    ASSERT_EQ(panels.size(), 1u);
    EXPECT_EQ(panels[0].id, "weights_spread_lstm");
    EXPECT_THAT(panels[0].x.labels, ElementsAre("1", "2", "3"));
    ASSERT_EQ(panels[0].cells->rows, 20);
    std::int64_t column = 0;
    for (const double scale : {0.125, 8.0, 1.0}) {
        const at::Tensor places = ((values * scale / 8 + 1) * 10).floor();
        for (int bin = 0; bin < 20; ++bin)
            EXPECT_NEAR(panels[0].cells->values.at(static_cast<std::size_t>((19 - bin) * 3 + column)),
                        places.eq(bin).sum().item<double>() / 331, 1e-7)
                << bin << " of the column " << column;
        ++column;
    }
    EXPECT_NEAR(shareAt(panels[0], "0", 0), 0.5, 0.01);
}

TEST(WeightSpread, SizesAreOctavesWithZerosBelow)
{
    LensHistory history;
    for (const double scale : {1.0, 0.25}) {
        std::vector<LensNumber> numbers;
        addSpread(numbers, "gradients", "body.1.lstm",
                  weights::spreadOfSizes({tensorOfValues({0, 1, -1, 0.5}) * scale}));
        history.add(scale == 1 ? 1000 : 2000, numbers);
    }
    std::vector<LensNumber> numbers;
    addSpread(numbers, "gradients", "body.1.lstm", weights::spreadOfSizes({tensorOfValues({NAN})}));
    history.add(3000, numbers);
    EXPECT_TRUE(spreadPanels(history, "weights").empty());
    const FigurePanel panel = spreadPanels(history, "gradients").at(0);
    EXPECT_THAT(panel.title, HasSubstr("body.1.lstm: how its gradients are spread"));
    EXPECT_THAT(panel.x.labels, ElementsAre("1,000", "2,000", "3,000"));
    EXPECT_THAT(panel.y.labels, ElementsAre("1", "0.5", "0.25", "0.12", "0"));
    EXPECT_EQ(shareAt(panel, "1", 0), 0.5);
    EXPECT_EQ(shareAt(panel, "0.25", 1), 0.5);
    EXPECT_EQ(shareAt(panel, "0", 0), 0.25);
    EXPECT_TRUE(std::isnan(shareAt(panel, "0.25", 2))) << "none is a number";
}

TEST(WeightSpread, ManyUpdatesAreThinned)
{
    LensHistory history;
    for (std::int64_t step = 1; step <= 500; ++step) {
        std::vector<LensNumber> numbers;
        addSpread(numbers, "weights", "lstm", {.count = 1, .bins = std::vector<std::int64_t>(20, 0), .exponent = 0});
        EXPECT_TRUE(step > 64 || wantsSpread(history, step));
        history.add(step, numbers);
    }
    const FigurePanel panel = spreadPanels(history, "weights").at(0);
    EXPECT_EQ(panel.cells->columns, 84) << "every sixth";
    EXPECT_EQ(panel.x.labels.back(), "500");
    EXPECT_FALSE(wantsSpread(history, 501)) << "a 64th of the updates so far";
    EXPECT_TRUE(wantsSpread(history, 508));
    EXPECT_TRUE(wantsSpread({}, 0));
}

/// What the lens keeps and then draws is what the weights are: its last column is the histogram of now.
TEST(WeightSpread, TheLensKeepsAndDrawsThem)
{
    const BuiltRun run(tinyExperiment());
    const Lens& lens = *findLens("weights");
    LensHistories histories;
    LastUpdate update;
    for (std::int64_t step = 1; step <= 2; ++step) {
        const at::NoGradGuard guard;
        update.before.clear();
        for (const Weight& weight : run.model->weights()) {
            update.before.push_back(weight.tensor.detach().clone());
            weight.tensor.detach().mul_(1.5);
        }
        const ProbeFrame look{.step = step, .characters = {}, .signalFrames = {}};
        const LensSubject subject{look, run.model.get(), nullptr, nullptr, {}, &histories, &update};
        histories["weights"].add(step, lens.summary(subject).value());
    }
    const ProbeFrame look{.step = 2, .characters = {}, .signalFrames = {}};
    const auto figureOf = [&](Params settings) {
        const auto frame = frameOf({look, run.model.get(), nullptr, nullptr, {}, &histories},
                                   {"weights", "", "", std::move(settings)});
        EXPECT_EQ(frame->trouble, "");
        return frame->data->figure();
    };
    const Figure figure = figureOf({});
    EXPECT_THAT(figure.shows, HasSubstr("a column an update"));
    const auto panelOf = [&](const Figure& of, const std::string& id) {
        const auto found =
            std::find_if(of.panels.begin(), of.panels.end(), [&](const FigurePanel& panel) { return panel.id == id; });
        return found == of.panels.end() ? FigurePanel{} : *found;
    };
    const FigurePanel spread = panelOf(figure, "weights_spread_lstm"), now = panelOf(figure, "histogram_lstm");
    ASSERT_TRUE(spread.cells);
    ASSERT_EQ(spread.cells->columns, 2);
    std::vector<double> counts(40, 0);
    double all = 0;
    for (const FigureArray& array : figure.arrays)
        if (array.name.starts_with("histogram_lstm."))
            for (std::size_t bin = 0; bin < 40; ++bin) {
                counts[bin] += array.values.at(bin);
                all += array.values[bin];
            }
    for (std::size_t bin = 0; bin < 20; ++bin)
        EXPECT_NEAR(spread.cells->values.at((19 - bin) * 2 + 1), (counts[2 * bin] + counts[2 * bin + 1]) / all, 1e-7)
            << bin;
    // Updates of an ended run: the newest is not known, those that were kept are drawn.
    const Figure updates = figureOf({{"of", std::string("updates")}, {"node", std::string("lstm")}});
    EXPECT_TRUE(panelOf(updates, "updates_spread_lstm").cells);
    EXPECT_FALSE(panelOf(updates, "updates_spread_head").cells) << "of the chosen node alone";
    EXPECT_EQ(panelOf(updates, "norms").id, "");
    EXPECT_THAT(updates.findings, Contains(HasSubstr("Nothing of the newest update: ")));
    EXPECT_THAT(updates.shows, HasSubstr("Updates over training, up to update 2."));
}

} // namespace
} // namespace unroll
