// SPDX-License-Identifier: GPL-3.0-or-later
// The costs that specs state: those of some blocks worked out by hand, and those of all beside the products that are
// counted while they run. A multiply-add is two operations, any other one is one. tests/python/blocks/test_costs.py
// counts in the definitions.
#include "core/check/costs_over_steps.h"
#include "core/kernels/testing/scoped_threads.h"
#include "tests/contract/block_case.h"

#include <ATen/ops/randn_like.h>
#include <ATen/record_function.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <set>
#include <string_view>

namespace unroll::contract {

namespace {

struct ByHand {
    std::string block;
    std::int64_t in; ///< x; the block's own size is 16
    double forward, backward;
};

constexpr std::int64_t kCountedSteps = 67, kCountedSequences = 8; // a last chunk that is not full, and no power of two

/// FLOPs of the matrix products that torch's ops and our kernels are called for on this thread, while it lives. A
/// kernel is counted by the shapes that it gets, and nothing that it calls; backward twice.
class CountedProducts {
public:
    CountedProducts()
        : m_handle(at::addThreadLocalCallback(
              at::RecordFunctionCallback(begin, end).needsInputs(true).scopes({at::RecordScope::FUNCTION})))
    {
        flops = 0;
        kernels = 0;
    }
    ~CountedProducts() { at::removeCallback(m_handle); }
    CountedProducts(const CountedProducts&) = delete;
    CountedProducts& operator=(const CountedProducts&) = delete;

    /// What was counted since it was last asked.
    double take() { return std::exchange(flops, 0.0); }

private:
    static bool isKernel(const at::RecordFunction& function)
    {
        return std::string_view(function.name()).starts_with("unroll::");
    }

    static std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function)
    {
        if (kernels == 0)
            flops += flopsOf(function.name(), function.inputs());
        kernels += isKernel(function) ? 1 : 0;
        return nullptr;
    }

    static void end(const at::RecordFunction& function, at::ObserverContext*) { kernels -= isKernel(function) ? 1 : 0; }

    static double flopsOf(std::string_view op, c10::ArrayRef<const c10::IValue> inputs)
    {
        const auto tensor = [&](std::size_t i) -> const at::Tensor& { return inputs[i].toTensor(); };
        const auto flopsAn = [](const at::Tensor& elements, std::int64_t sums) {
            return 2 * static_cast<double>(elements.numel()) * static_cast<double>(sums);
        };
        if (op == "aten::mm" || op == "aten::bmm")
            return flopsAn(tensor(0), tensor(1).size(-1));
        if (op == "aten::addmm" || op == "aten::baddbmm")
            return flopsAn(tensor(1), tensor(2).size(-1));
        if (op == "aten::mv" || op == "aten::dot")
            return flopsAn(tensor(0), 1);
        if (op == "aten::linalg_inv_ex") // a factorisation and a solution with I
            return flopsAn(tensor(0), tensor(0).size(-1)) * 4 / 3;
        if (op == "unroll::matrix_scan" ||
            op == "unroll::matrix_scan_backward") { // m, initial, mask: held steps multiply nothing
            const double passes = op == "unroll::matrix_scan" ? 1 : 2;
            const double real = inputs[2].isNone() ? 1 : tensor(2).to(at::kDouble).mean().item<double>();
            return passes * real * flopsAn(tensor(0), tensor(0).size(-1));
        }
        if (op == "unroll::outer_scan") // q [T, B, heads, n], k, v [T, B, heads, m]: written and read
            return 2 * flopsAn(tensor(0), tensor(2).size(-1));
        if (op == "unroll::outer_scan_backward")
            return 4 * flopsAn(tensor(0), tensor(2).size(-1));
        if (op == "unroll::delta_scan" || op == "unroll::delta_scan_backward") {
            // q, k, v, z, b: found and stored, and with b stored twice; read where the query is not 0
            const double passes = op == "unroll::delta_scan" ? 1 : 2;
            const double reads = tensor(0).ne(0).any(-1).to(at::kDouble).mean().item<double>();
            return passes * (reads + (inputs[4].isNone() ? 2 : 3)) * flopsAn(tensor(0), tensor(2).size(-1));
        }
        if (op == "unroll::rnn_steps" || op == "unroll::gru_steps") // u [T, B, gates H], weight [gates H, H]
            return flopsAn(tensor(0), tensor(1).size(1));
        if (op == "unroll::rnn_steps_backward") // weight, initial, mask, h [T, B, H]
            return 2 * flopsAn(tensor(3), tensor(0).size(0));
        if (op == "unroll::gru_steps_backward")
            return 2 * flopsAn(tensor(3), tensor(0).size(0));
        if (op == "unroll::cell_steps" && tensor(1).dim() == 3) // u [T, B, gates H], weight [heads, gates n, n]
            return flopsAn(tensor(0), tensor(1).size(2));
        if (op == "unroll::cell_steps_backward" && tensor(0).dim() == 3) // weight, initial, mask, walked [T, B, ...]
            return 4 * static_cast<double>(tensor(0).numel() * tensor(3).size(0) * tensor(3).size(1));
        if (op == "unroll::cfc_steps") // weight [p, H], four heads [H, p]
            return 5 * flopsAn(tensor(0), tensor(1).size(1));
        if (op == "unroll::cfc_steps_backward") // weight, heads, bias, time, initial, mask, walked [T, B, ...]
            return 5 * 4 * static_cast<double>(tensor(0).numel() * tensor(6).size(0) * tensor(6).size(1));
        return 0;
    }

    static inline thread_local double flops = 0;
    static inline thread_local int kernels = 0; ///< that run, one inside the other
    at::CallbackHandle m_handle;
};

struct ByCounting {
    double forward = 0, backward = 0; ///< a token
};

/// In fp64, where dense products are torch's ops; all outputs and states have a gradient.
ByCounting countProducts(const BlockCase& made)
{
    const kernels::test::ScopedThreads one(1); // small tensors
    const auto block = build(made);
    const auto inputs = inputsOf(made, *block, {.steps = kCountedSteps, .sequences = kCountedSequences, .mask = false});
    std::vector<at::Tensor> leaves = floats(inputs);
    for (at::Tensor& leaf : leaves)
        leaf.set_requires_grad(true);
    for (const Weight& weight : block->weights())
        if (weight.trained)
            leaves.push_back(weight.tensor);
    at::Generator dropout = generatorOf(1);
    CountedProducts counted;
    constexpr double tokens = kCountedSteps * kCountedSequences;
    const auto outputs = floats(block->forward(inputs, {.training = true, .dropout = &dropout}));
    ByCounting found{.forward = counted.take() / tokens};
    std::vector<at::Tensor> learned, arriving;
    for (const at::Tensor& output : outputs)
        if (output.requires_grad()) {
            learned.push_back(output);
            arriving.push_back(at::randn_like(output));
        }
    counted.take();
    torch::autograd::grad(learned, leaves, arriving, {}, false, true);
    found.backward = counted.take() / tokens;
    return found;
}

/// The sizes of its dense products are such that elements are few beside them.
bool hasWideParts(const BlockCase& made)
{
    for (const char* size : {"units", "width", "state_size", "projection_size"})
        if (const auto found = made.params.find(size); found != made.params.end())
            if (const auto value = std::get<std::int64_t>(found->second); value != 0 && value < 32) // 0: there is none
                return false;
    return true;
}

/// Of what attends the products that are seen are stated; torch may multiply more and mask it, or by an operation of
/// its own.
bool looksBack(const BlockCase& made)
{
    const auto attention = made.params.find("attention");
    return made.spec->id == "attention" ||
           (attention != made.params.end() && attention->second != ParamValue(std::string("none")));
}

/// Cases that differ only in how weights begin and are trained have the same.
std::string computingText(BlockCase made)
{
    const Params usual = made.spec->withDefaults({});
    for (const ParamSpec& param : made.spec->params)
        if (!param.computes)
            made.params[param.name] = usual.at(param.name);
    return made.text();
}

/// Products are all that is stated but for sums and elements, which are few at these widths unless the spec says how
/// many they are; and a weight or two that is multiplied once a pass.
void expectAboutTheProducts(const BlockCase& made)
{
    SCOPED_TRACE(made.text());
    const Cost stated = costOf(made, kCountedSteps);
    const ByCounting counted = countProducts(made);
    constexpr double least = 0.85, most = 1.02;
    EXPECT_LE(counted.forward, most * stated.forwardFlops);
    EXPECT_LE(counted.backward, most * stated.backwardFlops);
    if (counted.forward == 0)
        return;
    constexpr double exact = 0.98;
    EXPECT_GE(counted.forward,
              std::min(least * stated.forwardFlops, exact * (stated.forwardFlops - stated.forwardElements)));
    EXPECT_GE(counted.backward,
              std::min(least * stated.backwardFlops, exact * (stated.backwardFlops - stated.backwardElements)));
}

} // namespace

TEST(Costs, AreThoseOfTheProductsThatRun)
{
    int counted = 0;
    for (const std::string& id : learningBlocks()) {
        std::set<std::string> seen;
        for (const BlockCase& made : freshCasesOf(id))
            if (hasWideParts(made) && !looksBack(made) && seen.insert(computingText(made)).second) {
                expectAboutTheProducts(made);
                ++counted;
            }
    }
    EXPECT_GT(counted, 100);
}

/// Every maker with every scan.
TEST(Costs, OfTheMatrixScansAreThoseOfTheProductsThatRun)
{
    BlockCase made = freshCasesOf("mru").front();
    const Params usual = made.params;
    for (const ChoiceSpec& maker : made.spec->param("maker")->choices)
        for (const ChoiceSpec& scan : made.spec->param("scan")->choices) {
            made.params = usual;
            made.params["maker"] = maker.value;
            made.params["scan"] = scan.value;
            expectAboutTheProducts(made);
        }
}

TEST(Costs, AreThoseWorkedOutByHand)
{
    const ByHand wanted[] = {
        {"linear", 8, 2 * 8 * 16 + 16, 4 * 8 * 16 + 16},
        // products 2 64 (8 + 16) = 3072, sums 3 64, elements 9 16; twice the products, biases 64, elements 23 16
        {"lstm", 8, 3072 + 192 + 144, 6144 + 64 + 368},
        // products 2 48 (8 + 16) = 2304, sums 3 48, elements 7 16; twice the products, biases 48, elements 18 16
        {"gru", 8, 2304 + 144 + 112, 4608 + 48 + 288},
        // k = 3: products 2 16 48 = 1536, elements 14 16; twice the products, elements 35 16
        {"sru", 16, 1536 + 224, 3072 + 560},
        // k = 4: products 2 8 64 = 1024
        {"sru", 8, 1024 + 224, 2048 + 560},
        // f and c 2 8 32 + 32 and 10 8 for norm and rounding, g 2 8 16 + 16, o 2 16 16 + 16, scan 9 16;
        // backward 4 8 32 + 32 and 9 8, 4 8 16 + 16, 4 16 16 + 16, 23 16
        {"grumml", 8, 544 + 80 + 272 + 528 + 144, 1056 + 72 + 528 + 1040 + 368},
        // products 2 8 32, elements 7 16; twice the products, elements 14 16
        {"mingru", 8, 512 + 112, 1024 + 224},
        // products 2 8 48, elements 10 16; twice the products, elements 18 16
        {"min_lstm", 8, 768 + 160, 1536 + 288},
        // products 2 32 (8 + 16) = 1536, sums 3 32, elements 7 16; twice the products, biases 32, elements 15 16
        {"janet", 8, 1536 + 96 + 112, 3072 + 32 + 240},
        // products 2 8 64 and, a head of 4 units each, 2 4 64, biases 64, elements 21 16; twice the products, biases
        // 64, elements 35 16
        {"slstm", 8, 1024 + 512 + 64 + 336, 3072 + 64 + 560},
        // products 2 8 32 and 2 16 32, the norm 8 32, elements 8 16; twice the products, the norm 13 32, elements 13 16
        {"ligru", 8, 512 + 1024 + 256 + 128, 3072 + 416 + 208},
        // products 2 16 32, biases 32, elements 12 16; twice the products, biases 32, elements 21 16
        {"rg_lru", 16, 1024 + 32 + 192, 2048 + 32 + 336},
        // products 2 8 16, biases 16, elements 3 16; twice the products, biases 16, elements 6 16
        {"ind_rnn", 8, 256 + 16 + 48, 512 + 16 + 96},
        // a backbone of 128: products 2 24 128 and 2 128 64, biases 128 and 64, elements 4 128 and 10 16; twice the
        // products, biases, elements 8 128 and 20 16
        {"cfc", 8, 6144 + 128 + 512 + 16384 + 64 + 160, 12288 + 128 + 1024 + 32768 + 64 + 320},
        // complex states, 32 numbers: products 2 8 80 and 2 32 16, biases 80 and 16, elements 14 16 and 11 32; twice
        // the products, biases, elements 28 16 and 22 32
        {"hgrn", 8, 1280 + 80 + 1024 + 16 + 224 + 352, 2560 + 80 + 2048 + 16 + 448 + 704},
        // 64 modes: products 4 16 64 twice, elements 8 64 and 2 16; twice the products, elements 16 64 and 4 16
        {"s5", 16, 8192 + 512 + 32, 16384 + 1024 + 64},
        // 32 modes a feature: elements 14 16 32 and 2 16; 30 16 32 and 4 16
        {"s4d", 16, 7168 + 32, 15360 + 64},
        // 32 inner features, 16 states, dt_rank 1: products 2 16 64, 2 32 33, 2 32, 2 32 16 and 2 32 16 of C h, biases
        // 32, elements 5 32 16 and 15 32; twice the products, biases 32, elements 12 32 16 and 30 32
        {"mamba", 16, 2048 + 2112 + 64 + 1024 + 1024 + 32 + 2560 + 480, 12544 + 32 + 6144 + 960},
        // products 2 8 48, biases 48, elements 8 16; twice the products, biases 48, elements 20 16
        {"qrnn", 8, 768 + 48 + 128, 1536 + 48 + 320},
        // 512 hidden units, a controller of rank 64: products 2 8 64, 2 64 512, 2 8 512 and 2 512 16, biases 512 and
        // 16, elements 17 512; twice the products, biases, elements 10 512
        {"sparse_ffn", 8, 1024 + 65536 + 8192 + 16384 + 528 + 8704, 2048 + 131072 + 16384 + 32768 + 528 + 5120},
        // 8 steps and 256 hidden units: products 2 64 256 and 2 256 16, biases 256 and 16, elements 256; twice the
        // products, biases, elements 2 256
        {"window_mlp", 8, 32768 + 8192 + 272 + 256, 65536 + 16384 + 272 + 512},
        // products 2 16 32 and five times 2 32 32, biases 32, elements 3 16 and with the sum 4 16; twice the products,
        // biases, elements 7 16 and 8 16
        {"dilated_conv", 8, 1024 + 32 + 48 + 5 * (2048 + 32 + 64), 2048 + 32 + 112 + 5 * (4096 + 32 + 128)},
        // projections 2 16 64 + 64; T = 5: 3 steps seen on average, 4 16 3, softmax of 4 heads 6 4 3, RoPE 3 32;
        // backward 4 16 64 + 64, 8 16 3, 5 4 3, 3 32
        {"attention", 16, 2112 + 192 + 72 + 96, 4160 + 384 + 60 + 96},
        // products 2 8 32, 2 32 64 and 2 32 64 (k = 4), elements 14 16; T = 5: 3 steps seen on average, 4 32 3, softmax
        // of one head 6 3, alpha 2 32, norm 8 32; twice the products, 35 16, 8 32 3, 5 3, 3 32, 13 32
        {"srupp", 8, 512 + 4096 + 4096 + 224 + 384 + 18 + 64 + 256, 1024 + 8192 + 8192 + 560 + 768 + 15 + 96 + 416},
        // products 2 8 48, 2 16 16; heads of 4, and the sum of weights: 5 16 5; elements 5 16, 2 16; backward twice the
        // products, 9 16 5, 5 16, 3 16
        {"linear_attention", 8, 768 + 512 + 400 + 80 + 32, 1536 + 1024 + 720 + 80 + 48},
        // products 2 8 64, 2 16 16, 2 8 16, 2 16 16 + 16; heads of 4: 5 16 4; elements 11 16; backward twice the
        // products + 16, 9 16 4, 22 16
        {"gla", 8, 1024 + 512 + 256 + 528 + 320 + 176, 2048 + 1024 + 512 + 1040 + 576 + 352},
        // products 2 8 48, 2 16 16; heads of 4: 5 16 4; elements 8 16; backward twice the products, 9 16 4, 16 16
        {"hgrn2", 8, 768 + 512 + 320 + 128, 1536 + 1024 + 576 + 256},
        // 32 values: products 2 8 96, 2 32 16; 8 of each head: 5 16 8; elements 7 16 and 7 32; backward twice the
        // products, 9 16 8, 8 16 and 14 32
        {"retnet", 8, 1536 + 1024 + 640 + 112 + 224, 3072 + 2048 + 1152 + 128 + 448},
        // products 2 8 64, 2 16 16, 2 8 8 and 8; heads of 4, and n: 5 16 5; elements 12 16, 20 a head; backward twice
        // the products and 8, 9 16 5, 24 16, 40 a head
        {"mlstm", 8, 1024 + 512 + 136 + 400 + 192 + 80, 2048 + 1024 + 264 + 720 + 384 + 160},
        // 32 inner features, one head, 64 states: products 2 16 193, 2 32 16; 5 64 32; the convolution over 160
        // features 9, elements 9 32 and 4; backward twice the products, 9 64 32, 18 160, 16 32, 2 64 and 8
        {"mamba2", 16, 6176 + 1024 + 10240 + 1440 + 292, 12352 + 2048 + 18432 + 2880 + 512 + 128 + 8},
        // products 2 8 48, 2 16 16, 2 8 4; heads of 4: 7 16 4; the convolutions over 48 features 8, elements 7 16,
        // 9 16; backward twice the products, 13 16 4, 16 48, 16 16, 18 16
        {"delta_net", 8, 768 + 512 + 64 + 448 + 384 + 112 + 144, 1536 + 1024 + 128 + 832 + 768 + 256 + 288},
        // heads of 16: products 2 64 256, 2 64 64 twice for w and a, 4 64 64 for g; 9 64 16; elements 45 64 and 96;
        // backward twice the products, 17 64 16, 80 64 and 2 96
        {"rwkv7", 64, 32768 + 16384 + 16384 + 9216 + 2880 + 96, 65536 + 32768 + 32768 + 17408 + 5120 + 192},
        // up 2 8 128, read-out 2 128 16, two heads of 2 8³ for making M and 2 8³ for H M; backward all twice
        {"mru", 8, 2048 + 4096 + 4096, 4096 + 8192 + 8192},
    };
    for (const ByHand& row : wanted) {
        SCOPED_TRACE(row.block + " " + std::to_string(row.in));
        BlockCase made{registry().find(row.block), {}, {}};
        const char* size = made.spec->param("units") != nullptr ? "units" : "width";
        made.params = made.spec->withDefaults({{size, std::int64_t{16}}}); // a name that a block lacks is dropped
        made.inputs["x"] = {.type = PortType::Sequence, .width = row.in};
        EXPECT_EQ(costOf(made).forwardFlops, row.forward);
        EXPECT_EQ(costOf(made).backwardFlops, row.backward);
    }
}

/// Products of two matrices that a scan of the MRU takes for so many steps, counted on paper.
TEST(Costs, OfTheMatrixScansAreThoseCountedOnPaper)
{
    struct OfScan {
        std::string scan;
        std::int64_t steps;
        double products;
    };
    const OfScan wanted[] = {
        {"auto", 7, 7},
        {"sequential", 7, 7},
        {"chunked", 64, 64},
        {"chunked", 65, 2 * 65 + 2},
        {"hillis_steele", 1, 0}, // 7 - 1, 7 - 2, 7 - 4
        {"hillis_steele", 7, 14},
        {"hillis_steele", 8, 7 + 6 + 4},
        {"hillis_steele", 9, 8 + 7 + 5 + 1},
        {"brent_kung", 1, 0}, // 7, then 3, then 1
        {"brent_kung", 7, 6 + 2},
        {"brent_kung", 8, 7 + 3 + 1},
        {"sklansky", 1, 0}, // steps 1, 3, 5; 2, 3, 6; 4, 5, 6
        {"sklansky", 7, 9},
        {"sklansky", 8, 12},
    };
    BlockCase made{registry().find("mru"), {}, {}};
    made.inputs["x"] = {.type = PortType::Sequence, .width = 8};
    const auto flopsOf = [&](const std::string& scan, std::int64_t steps) {
        made.params = made.spec->withDefaults({{"scan", scan}});
        return costOf(made, steps).forwardFlops;
    };
    constexpr double aProduct = 2.0 * 2 * 8 * 8 * 8; // two heads of 8 rows
    for (const OfScan& row : wanted) {
        SCOPED_TRACE(row.scan + " " + std::to_string(row.steps));
        const double ofProducts = (row.products / static_cast<double>(row.steps) - 1) * aProduct;
        EXPECT_NEAR(flopsOf(row.scan, row.steps), flopsOf("sequential", row.steps) + ofProducts, 1e-6);
    }
}

/// The table of mru-lm's and cuda_mru's scans for T = 2^k, exactly.
TEST(Costs, OverStepsFollowTheFormulasOfTheFourScans)
{
    CheckedNode mru;
    mru.spec = registry().find("mru");
    mru.params = mru.spec->withDefaults({});
    mru.inputs["x"] = {.type = PortType::Sequence, .width = 128};
    const auto costs = costsOverSteps(mru, "scan", usualLengths());
    ASSERT_TRUE(costs) << costs.error().text();
    EXPECT_EQ(costs->operation, "products of two matrices");
    ASSERT_EQ(costs->steps.size(), 9U);
    std::set<std::string> seen;
    for (const CostCurve& curve : costs->curves) {
        seen.insert(curve.choice);
        for (std::size_t i = 0; i < costs->steps.size(); ++i) {
            const double steps = static_cast<double>(costs->steps[i]), rounds = 4.0 + static_cast<double>(i);
            const std::map<std::string, std::pair<double, double>> wanted{
                {"auto, sequential", {steps, steps}},
                {"hillis_steele", {steps * rounds - steps + 1, rounds}},
                {"brent_kung", {2 * steps - 2 - rounds, 2 * rounds - 1}},
                {"sklansky", {steps / 2 * rounds, rounds}},
                {"chunked",
                 steps > 64 ? std::pair(2 * steps + steps / 64, 128 + steps / 64) : std::pair(steps, steps)}};
            ASSERT_TRUE(wanted.contains(curve.choice)) << curve.choice;
            EXPECT_EQ(curve.operations[i], wanted.at(curve.choice).first) << curve.choice << " " << steps;
            EXPECT_EQ(curve.depth[i], wanted.at(curve.choice).second) << curve.choice << " " << steps;
        }
    }
    EXPECT_EQ(seen.size(), 5U);
    EXPECT_FALSE(costsOverSteps(mru, "units", usualLengths())) << "a number has no choices";
    EXPECT_FALSE(costsOverSteps(mru, "nothing", usualLengths()));
    EXPECT_EQ(costsOverSteps(mru, "", usualLengths())->curves.size(), 1U);
}

} // namespace unroll::contract
