// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/weight_parts.h"

#include <algorithm>
#include <cmath>

namespace unroll::nodes::mru {

constexpr double kLargest = 64; ///< rows of a matrix that the kernel takes
constexpr double kNormLimit = 12;

/// How many numbers a maker turns into one matrix of n rows.
static std::int64_t numbersOf(const std::string& maker, std::int64_t n)
{
    if (maker == "cayley")
        return n * (n - 1) / 2;
    return maker == "householder" ? 2 * n : n * n;
}

static std::int64_t dividedUp(std::int64_t whole, std::int64_t parts)
{
    return (whole + parts - 1) / parts;
}

/// FLOPs of making one matrix of n rows. ldu: a product. cayley: its numbers are put in their places by a product with
/// n (n - 1) / 2 rows of n², then an inverse. householder: outer products.
static double makingFlops(const std::string& maker, double n)
{
    if (maker == "ldu")
        return 2 * n * n * n;
    if (maker == "cayley")
        return n * n * n * (n - 1) + 8 * n * n * n / 3;
    return maker == "householder" ? 8 * n * n : n * n;
}

/// cayley needs no inverse again, but two products, and the one of the places.
static double makingBackFlops(const std::string& maker, double n)
{
    return maker == "cayley" ? n * n * n * (n - 1) + 4 * n * n * n : 2 * makingFlops(maker, n);
}

/// What a scan over T steps does (scans.cpp), in matrices a sequence and head.
struct ScanWork {
    std::int64_t products = 0; ///< 2 n³ each forward, twice that backward
    std::int64_t depth = 0;    ///< of these that wait for each other
    /// At once at most, beside M: those kept for the backward pass, and a gradient with half as many on their way.
    std::int64_t alive = 0;
};

/// Round by round every matrix but the first `reach` is multiplied by the one so far before it, and all of the round
/// before are kept.
static ScanWork hillisSteeleWork(std::int64_t steps)
{
    ScanWork work{.alive = 3 * steps / 2};
    for (std::int64_t reach = 1; reach < steps; reach *= 2) {
        work.products += steps - reach;
        work.alive += steps;
        ++work.depth;
    }
    return work;
}

/// Of n matrices ⌊n/2⌋ pairs are multiplied, these are scanned, and those between them multiplied by their results: n -
/// 1 products of factors that are kept, and half as many matrices go on.
static ScanWork brentKungWork(std::int64_t steps)
{
    ScanWork work{.alive = 3 * steps / 2};
    for (std::int64_t n = steps; n > 1; n /= 2) {
        work.products += n - 1;
        work.alive += 2 * n;
        work.depth += n > 2 ? 2 : 1; // of two matrices none is between pairs
    }
    return work;
}

/// Round by round the later half of each block, of 2, 4, 8 ... steps, is multiplied by the last matrix of the half
/// before it; both factors are gathered, and kept with what they give.
static ScanWork sklanskyWork(std::int64_t steps)
{
    ScanWork work;
    for (std::int64_t half = 1; half < steps; half *= 2) {
        work.products += steps / (2 * half) * half + std::max<std::int64_t>(steps % (2 * half) - half, 0);
        ++work.depth;
    }
    work.alive = 3 * work.products + 5 * steps / 2;
    return work;
}

/// The kernel once for the ends of the chunks, once over these, and once for all states; steps that fill up the last
/// chunk multiply nothing, but have their place.
static ScanWork chunkedWork(std::int64_t steps)
{
    constexpr std::int64_t chunk = 64;
    const std::int64_t chunks = dividedUp(steps, chunk);
    return {.products = 2 * steps + chunks, .depth = 2 * chunk + chunks, .alive = 3 * chunks * chunk + steps};
}

static ScanWork scanWork(const std::string& scan, std::int64_t steps)
{
    if (scan == "hillis_steele")
        return hillisSteeleWork(steps);
    if (scan == "brent_kung")
        return brentKungWork(steps);
    if (scan == "sklansky")
        return sklanskyWork(steps);
    if (scan == "chunked" && steps > 64)
        return chunkedWork(steps);
    return {.products = steps, .depth = steps, .alive = 3 * steps}; // the kernel: H, and two gradients
}

static ScanCost scanCost(const CostScope& scope)
{
    const ScanWork work = scanWork(scope.text("scan"), std::max<std::int64_t>(scope.steps, 1));
    return {"products of two matrices", static_cast<double>(work.products), static_cast<double>(work.depth)};
}

/// Floats for an element of the state that are alive when the matrices' gradients go back to what they are made of,
/// beside M and H: with householder the gradients of both; cayley has two products of that of M as well, half of which
/// are gone when the last is made; ldu its factors' too.
static double makingFloats(const std::string& maker)
{
    return maker == "householder" ? 2 : maker == "cayley" ? 3.5 : 4;
}

/// Every head makes a matrix and multiplies by it, 2 n³ forward and 4 n³ backward a product of the scan. Floats kept
/// for an element of a step: M, H, 3 more with ldu, and what the scan keeps; cayley's numbers are not kept. Workspace:
/// see makingFloats; the gradient of H takes the place of that of y. W_down and W_out are joined once a pass, so a
/// token sees one product, 2 heads n² units.
static Cost cost(const CostScope& scope)
{
    const std::string& maker = scope.text("maker");
    const std::int64_t heads = scope.integer("num_heads"), n = scope.integer("matrix_size"), state = heads * n * n;
    const std::int64_t in = scope.dimension("x"), steps = std::max<std::int64_t>(scope.steps, 1);
    const ScanWork work = scanWork(scope.text("scan"), steps);
    const auto aStep = [steps](std::int64_t matrices) {
        return static_cast<double>(matrices) / static_cast<double>(steps);
    };
    const double rows = static_cast<double>(n), scanning = 2 * rows * rows * rows * aStep(work.products);
    Cost total = maker == "old" ? denseCost(dividedUp(in, heads * n), state, false)
                                : denseCost(in, heads * numbersOf(maker, n), false);
    total += denseCost(state, scope.integer("units"), false);
    total += elementCost(heads, makingFlops(maker, rows) + scanning, makingBackFlops(maker, rows) + 2 * scanning, 0);
    if (maker == "cayley")
        total.activationBytes -= kFloatBytes * static_cast<double>(heads * numbersOf(maker, n));
    const double made = maker == "ldu" ? 4 : 1, scanned = aStep(work.alive) - 2;
    total += elementCost(state, 0, 0, made + scanned);
    const double elements = static_cast<double>(state), units = static_cast<double>(scope.integer("units"));
    total.workspaceBytes = std::max(total.workspaceBytes, kFloatBytes * (makingFloats(maker) * elements - units));
    return total;
}

static void infer(InferScope& scope)
{
    const std::int64_t n = scope.integer("matrix_size");
    inferRecurrent(scope, scope.integer("units"), stateOf(scope.integer("num_heads") * n * n, 1),
                   "H - I of every head");
}

static WeightSpec upWeight(const WeightScope& scope, const WeightSize& heads, const WeightSize& rows)
{
    const std::string& maker = scope.text("maker");
    const WeightSize in = portSize(scope, "x", "in");
    if (maker == "old")
        return plainWeight("state_matrices_up",
                           {heads, {dividedUp(in.size, heads.size * rows.size), "in / (heads n)"}, rows}, zeroValues(),
                           "mru-lm, branch old");
    const char* symbol = maker == "cayley" ? "heads n (n - 1) / 2" : maker == "householder" ? "2 heads n" : "heads n²";
    return plainWeight("state_matrices_up", {{heads.size * numbersOf(maker, rows.size), symbol}, in}, zeroValues(),
                       "mru-lm");
}

/// The branch old divides the deviation by heads columns, and multiplies by them in the pass.
static InitialValues downValues(const std::string& maker, double heads, double rows, double columns)
{
    if (maker == "old")
        return normalValues(0.02 * std::sqrt(heads) * rows / (heads * columns), "0.02 n √heads / (heads columns)");
    return normalValues(0.02 * std::sqrt(rows), "0.02 √n");
}

static WeightRule upRule(const std::string& name, double rate)
{
    if (name == "as_others")
        return {.learningRateScale = rate};
    const bool theirs = name == "mru_lm";
    return {.decay = theirs, .learningRateScale = rate, .clipGroup = "state_matrices_up", .byLength = theirs};
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const std::string& maker = scope.text("maker");
    const WeightSize heads{scope.integer("num_heads"), "heads"}, rows{scope.integer("matrix_size"), "n"};
    const WeightSize units{scope.integer("units"), "units"};
    const std::int64_t columns = dividedUp(units.size, heads.size * rows.size);
    WeightSpec up = upWeight(scope, heads, rows);
    const bool plain = maker == "householder" || maker == "old"; // the others sum over n numbers in every product
    const double own = plain ? 1 : 1 / static_cast<double>(rows.size);
    up.rule = upRule(scope.text("training_rule"), own * scope.real("up_learning_rate_scale"));
    const InitialValues down = downValues(maker, static_cast<double>(heads.size), static_cast<double>(rows.size),
                                          static_cast<double>(columns));
    return {up, plainWeight("state_matrices_down", {heads, rows, {columns, "columns"}}, down, up.source),
            plainWeight("mru_out", {units, {heads.size * rows.size * columns, "heads n columns"}},
                        normalValues(0.02 / std::sqrt(scope.integer("depth")), "0.02 / √depth"), "mru-lm")};
}

static std::vector<ParamSpec> params()
{
    ParamSpec upScale = inGroup(
        "Training",
        realParam("up_learning_rate_scale", 1, 0, 1000,
                  "Factor on the learning rate of state_matrices_up, besides 1/n with ldu, identity and cayley."));
    upScale.computes = false;
    ParamSpec rule = inGroup(
        "Training",
        choiceParam(
            "training_rule",
            {{"apart", "No weight decay; the gradient is clipped separately, to the norm `clip`."},
             {"mru_lm", "As in mru-lm: weight decay, learning rate times √(2/T), clipped separately to clip · √(T/2)."},
             {"as_others", "As any other matrix (mru-lm's branch old): weight decay, clipped with all."}},
            "Training rule of state_matrices_up, which produces M."));
    rule.computes = false;
    ParamSpec depth =
        inGroup("Initial values", integerParam("depth", 1, 1, 10000, "layers",
                                               "Layers in the model: mru_out is initialised smaller by √depth. mru-lm "
                                               "counts its MLPs too: 12 for six MRUs and six MLPs."));
    depth.computes = false;
    return {
        integerParam("units", 128, 1, kWidest, "units", "Width of the output."),
        integerParam("num_heads", 2, 1, 4096, "heads", "Number of independent state matrices."),
        integerParam("matrix_size", 8, 2, kLargest, "rows", "Rows and columns of each state matrix."),
        choiceParam("maker",
                    {{"ldu", "Lower times upper triangular, determinant 1: unbounded, watch log_norm."},
                     {"identity", "I + A: the simplest; unbounded."},
                     {"cayley", "(I - S)⁻¹(I + S), S skew-symmetric: a rotation; preserves norms, never overflows."},
                     {"householder",
                      "Two Householder reflections: a rotation in one plane; preserves norms, fewest parameters."},
                     {"old", "I plus a product with each row's own slice of x: first version of mru-lm."}},
                    "Parametrisation of M, the matrix that multiplies the state."),
        choiceParam(
            "scan",
            {{"auto", "The kernel matrix_scan; on a GPU in chunks where there are few matrices and many steps."},
             {"chunked",
              "Chunks of 64 steps in parallel: first the products of the chunks, then their scan, then all states."},
             {"sequential", "The kernel matrix_scan, one step after the other."},
             {"brent_kung", "Work-efficient parallel scan: 2 log T rounds of batched products, 2 T in total."},
             {"hillis_steele", "Parallel scan (Hillis-Steele): log T rounds of batched products, T log T in total."},
             {"sklansky", "Parallel scan: log T rounds of batched products, half as many."}},
            "Scan algorithm; all give the same states up to rounding."),
        realParam("dropout", 0, 0, 0.99, "Dropout of the parameters of M."),
        std::move(depth),
        std::move(upScale),
        std::move(rule)};
}

static std::string trainingPath(const Params& params, const std::map<std::string, Shape>&)
{
    const std::string& scan = std::get<std::string>(params.at("scan"));
    if (scan == "sequential")
        return "The kernel matrix_scan, all steps in one pass.";
    if (scan == "auto")
        return "The kernel matrix_scan, all steps in one pass; on a GPU in chunks where few matrices have many steps.";
    return scan == "chunked"
               ? "The kernel matrix_scan: over chunks of 64 steps, over their products, then over all states."
               : "Batched matrix products by torch, round by round.";
}

BlockSpec spec()
{
    return trainable(formedBy(
        {"maker"},
        {.id = "mru",
         .title = "MRU",
         .summary = "Matrix recurrent unit: H_t = H_{t-1} M_t, M_t a matrix computed from x_t.",
         .synonyms = {"matrix recurrent unit", "matrix state", "rotation", "orthogonal", "parity", "state tracking"},
         .category = Category::Recurrent,
         .inputs = recurrentInputs("H - I before the first step; zeros (H = I) when unwired."),
         .outputs = recurrentOutputs("y at every step.", "H - I after the last step.", {"H"}),
         .params = params(),
         .signalSpecs = {{.name = "H",
                          .look = SignalKind::Matrix,
                          .help = "The state after each step: head by head, row by row.",
                          .axes = {.matrix = "head"}},
                         {.name = "M",
                          .look = SignalKind::Matrix,
                          .help = "The matrix M_t that multiplies the state.",
                          .axes = {.matrix = "head"}},
                         {.name = "log_norm",
                          .look = SignalKind::Signed,
                          .help = "log10 of ‖H‖ / √n per head: 0 for a rotation; fp32 overflows beyond 38.",
                          .limit = SignalLimit{kNormLimit,
                                               "its states have grown past 10^12 and will soon overflow: use the "
                                               "parametrisation cayley or householder, or a lower learning rate"}}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "MRU",
         .recurrent = true,
         .trainingPath = trainingPath,
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .scanCost = scanCost,
         .provenance = "mru-lm (c45d36d), with parametrisation ldu; identity and old from its README and branch old; "
                       "cayley and a pair of Householder reflections preserve norms. The state passed on is H - I."}));
}

} // namespace unroll::nodes::mru
