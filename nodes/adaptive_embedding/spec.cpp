// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/class_bands.h"

namespace unroll::nodes::adaptive_embedding {

/// The width of a tail's rows, and the classes that have one.
struct TailSize {
    std::int64_t width = 0, classes = 0;
};

template <class Scope>
static std::vector<TailSize> tailsOf(const Scope& scope, const ClassBands& bands)
{
    std::vector<TailSize> tails;
    for (std::size_t tail = 0; tail < bands.tails(); ++tail)
        tails.push_back({tailWidth(scope.integer("width"), scope.real("div_value"), tail), bands.size(tail)});
    return tails;
}

/// Rows of all bands at every step, and the tails' products, of which the band's own is chosen: 1 a feature; backward
/// also a row is added. Floats kept: the rows; workspace: what the products give, and its gradient.
static Cost cost(const CostScope& scope)
{
    const std::int64_t width = scope.integer("width");
    Cost total = elementCost(width, 0, 1, 1);
    for (const TailSize& tail : tailsOf(scope, bandsOf(scope.text("cutoffs"), scope.dimension("tokens")))) {
        total += denseCost(tail.width, width, false);
        total += elementCost(width, 1, 1, 0, 1);
        total += elementCost(tail.width, 0, 1, 1);
    }
    return total;
}

static void infer(InferScope& scope)
{
    scope.output("y", sequenceOf(scope.integer("width")));
    if (const Shape* tokens = scope.input("tokens"))
        inferBands(scope, tokens->classes);
}

/// Rows stand for classes by their place alone, so that no weight names `tokens`: weights of another vocabulary are not
/// taken.
static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const ClassBands bands = bandsOf(scope.text("cutoffs"), scope.dimension("tokens"));
    const WeightSize width{scope.integer("width"), "width"};
    const InitialValues rows = normalValues(scope.real("init_std"), "init_std");
    const std::string source = "torch.nn.Embedding";
    std::vector<WeightSpec> list = {
        plainWeight("head.weight", {{bands.shortlist(), "shortlist"}, width}, rows, source)};
    std::size_t number = 0;
    for (const TailSize& tail : tailsOf(scope, bands)) {
        const std::string name = std::to_string(number + 1);
        const WeightSize narrow{tail.width, "w" + name};
        list.push_back(
            plainWeight(tailWeight(number, 0), {{tail.classes, "classes of tail " + name}, narrow}, rows, source));
        list.push_back(
            plainWeight(tailWeight(number, 1), {width, narrow}, inverseRootValues(narrow), "torch.nn.Linear"));
        ++number;
    }
    return list;
}

static std::vector<ParamSpec> params()
{
    ParamSpec spread =
        realParam("init_std", 1.0, 0, 100, "Standard deviation of the initial rows (normal distribution).");
    return followedBy(
        followedBy({integerParam("width", 128, 1, kWidest, "features", "Length of each vector.")}, bandParams("rows")),
        {std::move(spread)});
}

BlockSpec spec()
{
    return trainable(
        {.id = "adaptive_embedding",
         .title = "Adaptive embedding",
         .summary = "Embedding for large vocabularies: rare classes have shorter rows, projected to width.",
         .synonyms = {"adaptive input", "lookup table", "token embedding", "large vocabulary"},
         .category = Category::Embedding,
         .inputs = {{"tokens", PortType::Tokens, "Class indices, frequent classes first."}},
         .outputs = {sequencePort("The vector of each token.", "y")},
         .params = params(),
         .signalSpecs = {{"y", SignalKind::Signed, "The vector of each token."}},
         .dimensions = {{"classes", "tokens"}},
         .pythonClass = "AdaptiveEmbedding",
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Adaptive input representations, Baevski, Auli 2019, arXiv:1809.10853; the shortlist "
                       "without a projection, as that of torch.nn.AdaptiveLogSoftmaxWithLoss."});
}

} // namespace unroll::nodes::adaptive_embedding
