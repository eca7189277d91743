// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/recurrence_parts.h"

namespace unroll::nodes::s5 {

constexpr const char* kSource = "Smith et al. 2023";

/// As of the LRU: complex products, B x takes 4 in N, Re(C h) 4 N in. Workspace: the complex gradients of h and of B x,
/// and that of x.
static Cost cost(const CostScope& scope)
{
    const std::int64_t in = scope.dimension("x"), states = scope.integer("state_size");
    Cost total = sum(denseCost(in, 2 * states, false), denseCost(2 * states, in, false));
    total.activationBytes = 0;
    total += recurrenceCost(states, in, "vector", 4);
    total.workspaceBytes += kFloatBytes * static_cast<double>(in);
    return total;
}

static void infer(InferScope& scope)
{
    inferSteps(scope);
    const std::int64_t states = scope.integer("state_size"), blocks = scope.integer("blocks");
    if (states % blocks != 0) {
        scope.error("blocks", "blocks-do-not-divide",
                    "blocks must divide state_size, " + std::to_string(states) + "; it is " + std::to_string(blocks));
        std::int64_t better = std::min(blocks, states);
        while (states % better != 0)
            --better;
        scope.offerParam("Set blocks to " + std::to_string(better), "blocks", better);
    }
    if (const Shape* x = scope.input("x"))
        inferRecurrent(scope, x->width, stateOf(states, 2), "the real and the imaginary part of h");
}

/// As of the authors' ssm parameters, which have half the rate where lr_factor is 2, and no weight decay.
static WeightRule ssmRule()
{
    return {.decay = false, .learningRateScale = 0.5};
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const std::int64_t count = scope.integer("state_size"), times = scope.boolean("conj_sym") ? 2 : 1;
    const WeightSize in = inputSize(scope, /*tied=*/true), states{count, "state_size"}, parts{2, "2"};
    const double most = largestHippoFrequency(times * (count / scope.integer("blocks")));
    std::vector<WeightSpec> list = {
        plainWeight("Lambda_re", {states}, constantValues(-0.5), kSource),
        plainWeight("Lambda_im", {states},
                    computedValues(times == 2 ? 0 : -most, most,
                                   times == 2 ? "positive imaginary parts of the eigenvalues of HiPPO-N"
                                              : "imaginary parts of the eigenvalues of HiPPO-N"),
                    kSource),
        plainWeight("log_step", {states}, stepValues(scope), kSource),
        plainWeight("B", {states, in, parts}, intoState(in), kSource)};
    for (WeightSpec& weight : list)
        weight.rule = ssmRule();
    list.push_back(plainWeight("C", {in, states, parts},
                               normalValues(1 / std::sqrt(static_cast<double>(times * count)),
                                            times == 2 ? "1/√(2 state_size)" : "1/√state_size"),
                               kSource));
    list.push_back(plainWeight("D", {in}, normalValues(1), kSource));
    return list;
}

static std::vector<ParamSpec> params()
{
    ParamSpec blocks = trainingParam("Initial values",
                                     integerParam("blocks", 1, 1, kWidest, "blocks",
                                                  "Number of HiPPO-N blocks whose eigenvalues initialise the modes."));
    return followedBy(
        {integerParam("state_size", 64, 1, kWidest, "modes", "Number of complex modes in the state."),
         flagParam("conj_sym", true,
                   "Whether each mode stands for a conjugate pair, so that y has twice its real part."),
         discretizationParam(),
         flagParam("clip_eigs", false, "Whether real parts of eigenvalues are kept at -0.0001 or below: stable modes."),
         std::move(blocks)},
        stepParams("about 2 / step"));
}

BlockSpec spec()
{
    return trainable(onComplexModes(
        {.id = "s5",
         .title = "S5",
         .summary = "Simplified state space layer: complex modes in continuous time that all features drive and all "
                    "outputs read, discretised with learned steps; no nonlinearity.",
         .synonyms = {"simplified state space", "state space model", "ssm", "s4", "hippo", "diagonal", "complex"},
         .params = params(),
         .pythonClass = "S5",
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Smith, Warrington, Linderman 2023, arXiv:2208.04933, in the form of lindermanlab/S5: "
                       "conjugate symmetry, trained HiPPO-N eigenvalues, a step for each mode."}));
}

} // namespace unroll::nodes::s5
