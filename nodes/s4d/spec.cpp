// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/state_space_parts.h"

#include <numbers>

namespace unroll::nodes::s4d {

constexpr const char* kSource = "Gu et al. 2022";

/// A mode of a feature forward: γ x 2, λh + b 8, 2 Re(C h) 4; backward: the carried gradient 8, that of λ 8, of γ 4, of
/// x 4, of h 2 and of C 4. A feature D x 2, backward 4. Floats kept: of modes h, complex, of features y; workspace: γ x
/// and C h, or the gradients of h and of γ x.
static Cost cost(const CostScope& scope)
{
    const std::int64_t in = scope.dimension("x"), modes = product({in, scope.integer("state_size")});
    return sum(elementCost(modes, 14, 30, 2, 4), elementCost(in, 2, 4, 2, 2));
}

static void infer(InferScope& scope)
{
    inferSteps(scope);
    if (const Shape* x = scope.input("x"))
        inferRecurrent(scope, x->width, stateOf(product({x->width, scope.integer("state_size")}), 2),
                       "the real and the imaginary part of h");
}

/// As the authors train the kernel: a tenth of the usual rate, 0.001 of 0.01, and no weight decay.
static WeightRule kernelRule()
{
    return {.decay = false, .learningRateScale = 0.1};
}

/// The same in each row.
static InitialValues frequencyValues(const std::string& rule, std::int64_t modes)
{
    const auto n = static_cast<double>(modes), size = 2 * n;
    if (rule == "legs")
        return computedValues(0, largestHippoFrequency(2 * modes),
                              "positive imaginary parts of the eigenvalues of HiPPO-N");
    if (rule == "lin")
        return computedValues(0, std::numbers::pi * (n - 1), "π n, n = 0, 1, ...");
    const auto at = [&](double k) { return size / std::numbers::pi * (size / (2 * k + 1) - 1); };
    return computedValues(at(n - 1), at(0), "N / π (N / (2 n + 1) - 1), N = 2 state_size");
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize features{scope.dimension("x"), "in"}, modes{scope.integer("state_size"), "state_size"},
        parts{2, "2"};
    std::vector<WeightSpec> list = {
        plainWeight("kernel.log_dt", {features}, stepValues(scope), kSource),
        plainWeight("kernel.log_A_real", {features, modes}, constantValues(std::log(0.5), "ln ½"), kSource),
        plainWeight("kernel.A_imag", {features, modes}, frequencyValues(scope.text("init"), modes.size), kSource)};
    for (WeightSpec& weight : list)
        weight.rule = kernelRule();
    list.push_back(plainWeight("kernel.C", {features, modes, parts}, normalValues(std::sqrt(0.5), "√½"), kSource));
    list.push_back(plainWeight("D", {features}, normalValues(1), kSource));
    return list;
}

static std::vector<ParamSpec> params()
{
    return followedBy(
        {integerParam("state_size", 32, 1, 4096, "numbers",
                      "Complex modes of each feature, half of the paper's N: each stands for a conjugate pair."),
         discretizationParam(),
         trainingParam("Initial values",
                       choiceParam("init",
                                   {{"lin", "S4D-Lin: evenly spaced frequencies, π n."},
                                    {"inv", "S4D-Inv: inverse spacing, many low frequencies and few high ones."},
                                    {"legs", "S4D-LegS: the eigenvalues of HiPPO-N."}},
                                   "Initial frequencies of the modes."))},
        stepParams("about 2 / step"));
}

BlockSpec spec()
{
    return trainable(onComplexModes(
        {.id = "s4d",
         .title = "S4D",
         .summary = "Diagonal state space layer: each feature drives complex modes of its own in continuous time and "
                    "reads them; no nonlinearity, no mixing of features.",
         .synonyms = {"s4", "diagonal state space", "state space model", "ssm", "hippo", "complex"},
         .params = params(),
         .pythonClass = "S4D",
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance =
             "Gu, Gupta, Goel, Ré 2022, arXiv:2206.11893. Weights, their names and initial values of the "
             "authors' minimal form (state-spaces/s4, models/s4/s4d.py), whose GELU, output layer and GLU are "
             "separate blocks here."}));
}

} // namespace unroll::nodes::s4d
