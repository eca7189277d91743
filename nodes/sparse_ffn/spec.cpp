// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/number_text.h"
#include "nodes/shared/dense_rules.h"
#include "nodes/shared/keras_initializers.h"

#include <algorithm>

namespace unroll::nodes::sparse_ffn {

/// The largest size of blocks, at most `wanted`, that cuts `inner` units evenly.
static std::int64_t fittingBlock(std::int64_t inner, std::int64_t wanted)
{
    std::int64_t block = std::min(inner, wanted);
    while (inner % block != 0)
        --block;
    return block;
}

static void infer(InferScope& scope)
{
    scope.output("y", sequenceOf(scope.integer("units")));
    const std::int64_t inner = scope.integer("inner"), block = scope.integer("block_size");
    if (inner % block == 0)
        return;
    scope.error("block_size", "blocks-do-not-fit",
                "block_size must divide inner, " + std::to_string(inner) + "; it is " + std::to_string(block));
    if (const std::int64_t fitting = fittingBlock(inner, block); fitting > 1)
        scope.offerParam("Set block_size to " + std::to_string(fitting), "block_size", fitting);
    else {
        const std::int64_t whole = std::max(block, inner - inner % block);
        scope.offerParam("Set inner to " + std::to_string(whole), "inner", whole);
    }
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize in = portSize(scope, "x", "in"), rank{scope.integer("rank"), "rank"};
    const WeightSize inner{scope.integer("inner"), "inner"}, units{scope.integer("units"), "units", "y"};
    std::vector<WeightSpec> list;
    const auto matrix = [&](const char* name, const WeightSize& rows, const WeightSize& columns,
                            const InitialValues& values) {
        list.push_back(plainWeight(name, {rows, columns}, values, kerasSource(scope)));
    };
    const auto bias = [&](const char* name, const WeightSize& size) {
        if (scope.boolean("use_bias"))
            list.push_back(plainWeight(name, {size}, kerasBiasValues(scope)));
    };
    matrix("weight_low", rank, in, kerasMatrixValues(scope, in.size, rank.size));
    matrix("weight_control", inner, rank, kerasMatrixValues(scope, rank.size, inner.size));
    matrix("weight_up", inner, in, kerasMatrixValues(scope, in.size, inner.size));
    bias("bias_up", inner);
    matrix("weight_down", inner, units, kerasMatrixValues(scope, inner.size, units.size));
    bias("bias_down", units);
    return list;
}

/// In training every hidden unit is computed: products 2 rank (in + inner) of the controller and 2 inner (in + units),
/// and 17 operations a hidden unit: relu and what multiplies it 2, noise 7, softmax 5, the choice 3; backward 10.
/// Floats kept besides the products' outputs: what multiplies the hidden units, and the units times it; workspace: the
/// gradients of both and of the scores. What a step of decoding takes is stepFlops.
static Cost cost(const CostScope& scope)
{
    const std::int64_t in = scope.dimension("x"), inner = scope.integer("inner"), rank = scope.integer("rank");
    const bool bias = scope.boolean("use_bias");
    Cost total = sum(denseCost(in, rank, false), denseCost(rank, inner, false));
    total += denseCost(in, inner, bias);
    total += denseCost(inner, scope.integer("units"), bias);
    return sum(total, elementCost(inner, 17, 10, 2, 3));
}

/// Of one step outside training that computes `computed` hidden units: 2 rank (in + inner) for the controller, and for
/// the units 2 (in + units) each.
static double stepFlops(const Params& params, std::int64_t in, std::int64_t computed)
{
    const auto integer = [&](const char* name) { return std::get<std::int64_t>(params.at(name)); };
    const double control = static_cast<double>(integer("rank")) * static_cast<double>(in + integer("inner"));
    return 2 * (control + static_cast<double>(computed) * static_cast<double>(in + integer("units")));
}

static std::string trainingPath(const Params& params, const std::map<std::string, Shape>& inputs)
{
    const std::string words = "All hidden units, those that are not kept times 0";
    const auto x = inputs.find("x");
    if (x == inputs.end())
        return words + ".";
    const std::int64_t inner = std::get<std::int64_t>(params.at("inner")),
                       kept = inner / std::get<std::int64_t>(params.at("block_size"));
    const auto flops = [&](std::int64_t computed) {
        return grouped(static_cast<std::int64_t>(stepFlops(params, x->second.width, computed)));
    };
    return words + "; outside training one step of few sequences computes the kept ones alone, " + flops(kept) +
           " FLOPs in the place of " + flops(inner) + ".";
}

static std::vector<ParamSpec> params()
{
    std::vector<ParamSpec> list = {
        integerParam("units", 128, 1, kWidest, "units", "Features of the output."),
        integerParam("inner", 512, 2, kWidest, "units", "Hidden units, of all blocks together."),
        integerParam("block_size", 32, 2, kWidest, "numbers",
                     "Hidden units of a block, of which each step keeps one; it divides inner."),
        integerParam("rank", 64, 1, kWidest, "numbers", "Width between the two matrices of the controller."),
        realParam("temperature", 0.1, 0.001, 100,
                  "Of the Gumbel noise in training: larger values keep other units than the best more often."),
        realParam("soft_share", 0.7, 0, 1,
                  "Share of the training passes that weight all units by their probability, and keep none alone."),
        choiceParam("convention",
                    {{"trax", "As the authors' code: noise times the temperature, probabilities without either."},
                     {"gumbel_softmax", "Probabilities of the noisy scores divided by the temperature."}},
                    "What the probabilities are, by which gradients reach the controller."),
        flagParam("use_bias", true, "Whether both layers have a learned bias; the controller has none."),
        initializerParam("weights_initializer", withKerasInitializers(matrixInitializers()),
                         "Initialisation of every matrix.")};
    list = followedBy(std::move(list), kerasInitialNumbers());
    return followedBy(std::move(list), kerasBiasInitializers("0.", "1."));
}

BlockSpec spec()
{
    return trainableDense(
        {.id = "sparse_ffn",
         .title = "Sparse feed-forward",
         .summary =
             "Feed-forward layer of which each step uses one hidden unit of every block: y = W_2 (relu(W_1 x) ∘ m).",
         .synonyms = {"sparse FFN", "Terraformer", "Scaling Transformer", "conditional computation", "Gumbel-softmax",
                      "mixture of experts", "feed-forward", "MLP"},
         .category = Category::Layer,
         .inputs = {sequenceOrVector("The sequence to transform.", "x")},
         .outputs = {sequenceOrVector("The kept hidden units, projected.", "y")},
         .params = params(),
         .signalSpecs = {{"m", SignalKind::Gate,
                          "What multiplies each hidden unit: 1 for the kept one of a block, else 0."},
                         {"h", SignalKind::Signed, "The hidden units times m: what the output layer reads."},
                         {"y", SignalKind::Signed, "The output."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "SparseFFN",
         .straightThrough = true,
         .trainingPath = trainingPath,
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance =
             "Jaszczur et al. 2021, arXiv:2111.12763, section 3.1; block size, rank, temperature and the share of soft "
             "passes as in the authors' code (trax 9157338, layers/research/sparsity.py: SparseFF), which has no b_1 "
             "and a bias of the controller; Gumbel-softmax: Jang et al. 2017, arXiv:1611.01144."});
}

} // namespace unroll::nodes::sparse_ffn
