// SPDX-License-Identifier: GPL-3.0-or-later
// A call of a scan with numbers of its own, run by the kernel and by a plain loop of torch's own ops. A kernel says
// what one step is; tests (tests/kernels) and the accuracy table (docs/numerics.md) do the rest. Not part of the
// library of kernels.
#pragma once

#include "core/kernels/op/tensor_checks.h"
#include "core/kernels/testing/trial_tensors.h"

#include <functional>
#include <memory>

namespace unroll::kernels::test {

/// Steps, batch, width.
struct ScanShape {
    std::int64_t steps, batch, width;
};

/// The numbers of a call. A case draws them in fp32 or complex64, so that they are the same in every type it is run in.
struct ScanNumbers {
    Tensors sequences;  ///< (T,B,...)
    Tensors constants;  ///< without a time; these and `sequences` have gradients
    Tensors fixed;      ///< without a time and without gradients
    at::Tensor initial; ///< (B,...); undefined: zeros
    at::Tensor mask;    ///< (T,B) bool; undefined: every step is real
};

/// What a step gives.
struct PlainStep {
    at::Tensor state;
    Tensors outputs; ///< besides the state
};

/// A case's numbers made hard for a kernel, in words: saturated gates, long products.
struct Extreme {
    std::string what;
    std::function<void(ScanNumbers&)> apply;
};

class ScanCase {
public:
    virtual ~ScanCase() = default;

    virtual std::string describe() const; ///< in the message of a test: derived classes add what is theirs

    /// Names of `sequences` and `constants`, in that order.
    virtual std::vector<std::string> inputs() const = 0;
    /// Names of what call() gives: outputs besides the states, the states (T,B,...) where it gives them, the last
    /// state.
    virtual std::vector<std::string> outputs() const = 0;
    /// Whether the states after each step are an output; else every output of a step is in PlainStep::outputs.
    virtual bool givesStates() const { return true; }
    /// Sizes (B,...) of an output at one step, for a state of these sizes.
    virtual std::vector<std::int64_t> sizesOfAStep(at::IntArrayRef state) const { return state.vec(); }

    virtual ScanNumbers draw(Draw& draws) const = 0;

    /// One step of the definition. `at` holds sequences (B,...) of this step; the state before it is `before`.
    virtual PlainStep step(const ScanNumbers& at, const at::Tensor& before) const = 0;

    /// The state before the first step where none is given: zeros like `state` unless the definition says otherwise.
    virtual at::Tensor start(const at::Tensor& state) const;

    /// The kernel on all steps.
    virtual Tensors call(const ScanNumbers& in) const = 0;

    virtual std::vector<Extreme> extremes() const = 0;

    /// Sets the shape, and the options that every scan has but `gradients`. The pick depends on `round` alone.
    void pick(const ScanShape& wanted, unsigned round);

    ScanShape shape{1, 1, 1};
    bool complex = false;
    bool elementwise = true; ///< no unit of a state knows of another
    bool stepByStep =
        true; ///< every number is made from the state of the step before; else several steps are put together
    bool reverse = false;
    bool masked = false;
    bool initial = true;
    Layout layout = Layout::Contiguous;
    unsigned gradients = ~0u; ///< bit i: one arrives on output i
};

/// A kernel in the list of those tried out.
struct ScanKernel {
    std::string name;
    /// Options that all come up many times; the pick depends on `round` alone.
    std::function<std::unique_ptr<ScanCase>(const ScanShape&, unsigned round)> variant;
    std::vector<std::int64_t> unrolled = {}; ///< widths for which the kernel has code of its own
};

/// Numbers of a case, and weights of its outputs for gradients, drawn from `seed` alone.
struct Trial {
    ScanNumbers numbers;
    Tensors weights; ///< undefined where no gradient arrives
};

Trial drawTrial(const ScanCase& scan, std::uint64_t seed);

/// The same, with sequences that bf16 holds exactly; of complex ones there is no such type.
Trial heldByBf16(const ScanCase& scan, Trial trial);

/// The numbers as the case calls the kernel with them: leaves of type `real` (or complex with that), without what the
/// case leaves out. kBFloat16 is for sequences alone: all else is fp32 then.
ScanNumbers arguments(const ScanCase& scan, const ScanNumbers& numbers, at::ScalarType real,
                      at::Device device = at::kCPU);

/// Outputs and gradients on the CPU, complex ones as pairs of real numbers. `real`: kFloat or kDouble; on a GPU
/// kBFloat16 too.
std::vector<Named> byKernel(const ScanCase& scan, const Trial& trial, at::ScalarType real,
                            at::Device device = at::kCPU);

/// The same step by step, gradients by torch's autograd. `real`: kFloat or kDouble.
std::vector<Named> byPlainLoop(const ScanCase& scan, const Trial& trial, at::ScalarType real);

} // namespace unroll::kernels::test
