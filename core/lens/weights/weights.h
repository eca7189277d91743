// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/lens.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// A ternary weight as the layer multiplies by it, without its scale.
struct TernaryMap {
    std::int64_t rows = 0, columns = 0; ///< out, in
    std::vector<float> codes;           ///< [rows, columns]: -1, 0, 1; NaN where the weight's scale is not a number
    std::int64_t minus = 0, zero = 0, plus = 0;
};

/// The numbers of one weight tensor: its weights, their gradients, or their updates.
struct TensorNumbers {
    static constexpr std::size_t kBins = 40;

    std::string node; ///< path of the node that has it
    std::string name; ///< full name: "body.lstm.weight_ih_l0"; stays the same over training
    std::vector<std::int64_t> shape;
    std::int64_t count = 0;   ///< numbers that are finite
    std::int64_t missing = 0; ///< that are NaN or infinite
    double rms = 0; ///< root mean square of the finite ones; NaN where there are none. This and the next three
    double mean = 0;
    double low = 0;
    double high = 0;
    std::array<std::int64_t, kBins>
        histogram{};  ///< of the finite ones: bin b is -range + b range/20 .. -range + (b + 1) range/20
    double range = 0; ///< a power of two that no number of the node exceeds in size; 0 where all are 0
    std::optional<TernaryMap> ternary = {}; ///< of weights that a layer rounds
};

struct WeightsData : LensData {
    enum class Of { Weights, Gradients, Updates };

    Of shown = Of::Weights;
    std::vector<TensorNumbers> tensors; ///< in execution order; empty: see trouble
    std::string trouble;                ///< why there is only what was kept over training
    std::vector<std::string> without;   ///< names of weights that the loss does not depend on; of gradients
    std::int64_t step = 0;              ///< updates that were trained
    std::string on;                  ///< of gradients, what they are of: "a training batch of 8 sequences of 64 steps"
    std::optional<double> loss = {}; ///< of that batch
    LensHistory history; ///< norms by node: "weights.NODE", "gradients.NODE", "updates.NODE"; counts (spread.h)
    bool straightThrough = false; ///< some of these gradients go straight through a rounding

    Figure figure() const override;
};

/// Figures of one tensor's numbers, in double; `range` is set later. O(numbers).
TensorNumbers numbersOf(const std::vector<double>& values);
/// Counts them into the bins of ±range.
void fillHistogram(TensorNumbers& tensor, const std::vector<double>& values, double range);
/// The power of two that is at least this; 0 for 0.
double histogramRange(double largest);

} // namespace unroll
