// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/dense_rules.h"
#include "nodes/shared/module_parts.h"

namespace unroll::nodes::module_conv {

/// Of one filter: features of x that it reads, and features that all filters of a module give.
struct FilterSizes {
    std::int64_t read, given;
};

template <class Scope>
static FilterSizes filterSizes(const Scope& scope, std::int64_t in)
{
    const std::int64_t modules = scope.integer("num_modules");
    return {unroll::product({scope.integer("kernel_size"), scope.integer("module_kernel"), in / modules}),
            unroll::product({scope.integer("num_convs"), scope.integer("width") / modules})};
}

static void infer(InferScope& scope)
{
    const std::int64_t width = scope.integer("width"), kernel = scope.integer("module_kernel");
    const std::int64_t given = unroll::product({scope.integer("num_convs"), width});
    if (kernel % 2 == 0) {
        scope.error("module_kernel", "even-kernel",
                    "module_kernel reads as many modules before as behind one, so it must be odd; it is " +
                        std::to_string(kernel));
        scope.offerParam("Set module_kernel to " + std::to_string(kernel + 1), "module_kernel", kernel + 1);
    }
    const Shape* x = scope.input("x");
    if (x == nullptr) {
        scope.output("y", sequenceOf(given));
        inferModules(scope, {{"width", width}});
        return;
    }
    inferRecurrent(scope, given, stateOf(unroll::product({scope.integer("kernel_size") - 1, x->width}), 1),
                   "the last inputs");
    inferModules(scope, {{"width", width}, {"the width of x", x->width}});
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const FilterSizes sizes = filterSizes(scope, scope.dimension("x"));
    const WeightSize read{sizes.read, "kernel_size module_kernel in / num_modules"};
    const WeightSize given{sizes.given, "num_convs width / num_modules"};
    const std::string& rule = scope.text("weights_initializer");
    std::vector<WeightSpec> list = {
        plainWeight("weight", {given, read}, matrixValues(rule, read.size, given.size), initializerSource(rule))};
    if (scope.boolean("bias"))
        list.push_back(plainWeight("bias", {given}, plainBiasValues(scope)));
    return list;
}

/// A dense layer for each module over what its filters read: 2 module_kernel kernel_size in num_convs width /
/// num_modules FLOPs. Bytes: y, and what is read side by side; workspace: its gradient.
static Cost cost(const CostScope& scope)
{
    const std::int64_t modules = scope.integer("num_modules");
    const FilterSizes sizes = filterSizes(scope, scope.dimension("x"));
    const std::int64_t read = unroll::product({modules, sizes.read}), given = unroll::product({modules, sizes.given});
    Cost total = denseCost(read, sizes.given, false);
    total += elementCost(given, scope.boolean("bias") ? 1 : 0, scope.boolean("bias") ? 1 : 0, 1);
    total.activationBytes = kFloatBytes * static_cast<double>(unroll::sum({read, given}));
    return total;
}

static std::vector<ParamSpec> params()
{
    return followedBy(
        {integerParam("width", 128, 1, kWidest, "features", "Features that one convolution gives."),
         modulesParam("Equal parts of x and of the output, which share the filters."),
         integerParam("kernel_size", 3, 2, 64, "steps", "Steps that each output reads, the current one included."),
         integerParam("module_kernel", 3, 1, 63, "modules",
                      "Modules that each output reads, its own in the middle; an odd number."),
         integerParam("num_convs", 1, 1, 64, "convolutions",
                      "Convolutions of the same x, their outputs side by side: 3 for queries, keys and values."),
         flagParam("bias", true, "Whether a learned bias is added, one for each filter.")},
        plainDenseInitializers("Initialisation of the filters."));
}

BlockSpec spec()
{
    return trainableDense(
        {.id = "module_conv",
         .title = "Module convolution",
         .summary = "Convolution over time and modules: y_(t,s) = Σ_(i,j) W_(i,j) x_(t-i,s+j) + b, causal in time.",
         .synonyms = {"Terraformer", "Scaling Transformer", "sparse QKV", "2-D convolution", "conv2d", "modules"},
         .category = Category::Layer,
         .inputs = recurrentInputs("The inputs before the first step, oldest first; zeros when unwired."),
         .outputs = recurrentOutputs("The modules of the first convolution, one after the other, then of the next.",
                                     "The last inputs, oldest first.", {"last inputs"}),
         .params = params(),
         .signalSpecs = {{"y", SignalKind::Signed, "The output."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "ModuleConv",
         .recurrent = true,
         .trainingPath =
             [](const Params&, const std::map<std::string, Shape>&) {
                 return "One matrix product over all steps and modules.";
             },
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance =
             "Jaszczur et al. 2021, arXiv:2111.12763, section 3.2, with kernels of 3 steps and 3 modules and zeros "
             "before the first module and behind the last, as the authors' code (trax 9157338, "
             "layers/research/sparsity.py: LocallyConvDense)."});
}

} // namespace unroll::nodes::module_conv
