// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/infer.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// How the initial elements of a weight are drawn: shift + scale * draw.
struct InitialValues {
    enum class Draw {
        None,         ///< 0: every element is `shift`
        Uniform,      ///< between low and high
        Normal,       ///< mean 0, deviation 1
        Orthogonal,   ///< a matrix whose rows (columns, where these are fewer) are orthonormal
        LogOfUniform, ///< ln u, u uniform between low and high
        LogOfLog,     ///< ln(-½ ln u), u uniform between low and high, both within 0..1
        Computed, ///< by the block itself, as `formula` says, from other numbers or from draws; between low and high
    };
    Draw draw = Draw::None;
    double low = 0;
    double high = 0;
    double scale = 1;
    double shift = 0;
    std::string formula; ///< formula of the bounds: "±1/√units"; empty: none

    bool operator==(const InitialValues&) const = default;
    double mean() const;      ///< of one element; of Computed ones not known: NaN
    double deviation() const; ///< standard deviation of one element; 0 for an Orthogonal matrix, NaN for Computed ones
    /// In words: "uniform within ±1/√units". With numbers also the value of the formula: "uniform within ±1/√units =
    /// ±0.0884".
    std::string text(bool numbers) const;
};

InitialValues constantValues(double value, std::string formula = {});
InitialValues zeroValues();
/// U(-bound, bound). `formula` names the bound: "1/√units".
InitialValues uniformValues(double bound, std::string formula);
InitialValues normalValues(double deviation, std::string formula = {});
InitialValues orthogonalValues();
/// sign ln U(low, high).
InitialValues logUniformValues(double low, double high, double sign);
/// ln(-½ ln U(low, high)): what makes exp(-2 exp w) uniform.
InitialValues logOfLogValues(double low, double high);
/// What the block computes itself and hands to Block::addWeight: "ln 1, ln 2, ... along each row". Every element lies
/// within low..high.
InitialValues computedValues(double low, double high, std::string formula);
/// The same with `by` added to each element.
InitialValues shifted(InitialValues values, double by);
/// The same with each element times `by`: "0.707 √(3 / in)".
InitialValues scaled(InitialValues values, double by);

/// Constraint after each update, on the norm over the last dimension: that of each row of a matrix, or of a vector as a
/// whole.
struct WeightConstraint {
    enum class Kind {
        None,
        MaxNorm,     ///< norms above `largest` are scaled down to it
        NonNegative, ///< what is below 0 becomes 0
        UnitNorm,    ///< norms are scaled to 1; zeros stay
        MinMaxNorm,  ///< norms go `rate` of the way to the nearest of smallest..largest; zeros stay
    };
    Kind kind = Kind::None;
    double largest = 0;   ///< MaxNorm, MinMaxNorm
    double smallest = 0;  ///< MinMaxNorm
    double rate = 1;      ///< MinMaxNorm: 1 is all the way
    bool columns = false; ///< of two or more dimensions: the norms are those over the first one

    bool operator==(const WeightConstraint&) const = default;
};

/// How a weight is trained.
struct WeightRule {
    std::optional<bool> decay;      ///< weight decay; unset: where the weight has two or more dimensions
    double learningRateScale = 1.0; ///< a factor of the learning rate; 0: frozen
    std::string clipGroup = {};     ///< gradients of one group are clipped together; empty: the common group
    double clipScale = 1;           ///< a factor of the norm that its group is clipped to
    /// Learned from sequences of T steps, with √(2 / T) of the learning rate and √(T / 2) of the clip norm besides; see
    /// atLength.
    bool byLength = false;
    double l1 = 0; ///< l1 Σ|w| is added to the loss in training
    double l2 = 0; ///< likewise l2 Σw²
    /// Likewise this times the mean |cos| of the angle between two rows of a matrix, whose further dimensions are one
    /// with the second; or between two columns. One alone adds 0.
    double orthogonal = 0;
    bool orthogonalColumns = false;
    WeightConstraint constraint = {};

    bool operator==(const WeightRule&) const = default;
    bool isPenalised() const { return l1 != 0 || l2 != 0 || orthogonal != 0; }
    /// The same for sequences of so many steps (0: not known, and nothing changes): with factors in the place of
    /// byLength.
    WeightRule atLength(std::int64_t steps) const;
    std::string text(std::size_t dimensions) const; ///< "weight decay, learning rate × 0.1"
};

/// One dimension of a weight, with the symbol it has in the equations.
struct WeightSize {
    std::int64_t size = 0;
    std::string symbol; ///< "4 units", "in"
    /// The port whose classes or features its indices count, `times` over; empty: none. Where these stand for symbols
    /// of the data, weights that come from other data are matched by symbol.
    std::string port = {};
    std::int64_t times = 1;
};

/// Rows of a weight (along its first dimension) with the same initialisation.
struct WeightPart {
    std::string name; ///< "forget gate"; empty if the weight has one part
    std::int64_t rows = 0;
    InitialValues initial;
};

/// Declaration of a weight: shape, initialisation, training rule.
struct WeightSpec {
    std::string name; ///< as in files, within its node: "weight_ih_l0"
    std::vector<WeightSize> shape;
    std::vector<WeightPart> parts; ///< one below the other, all rows together
    std::string source;            ///< source of the initialisation; empty: standard
    WeightRule rule;
    bool trained = true; ///< false: a buffer, saved but not trained
    /// Convention not expressed by name and shape, "convention reset_after"; stored in weight files too; others are not
    /// loaded.
    std::string form = {};
    /// What multiplies the state: square matrices of [..., rows, columns], one below the other, or of one column the
    /// diagonal of one. Their eigenvalues are shown.
    bool recurrent = false;

    std::int64_t elements() const;               ///< saturating
    std::string symbols() const;                 ///< "[4 units, in]"
    std::string sizesText() const;               ///< "[512, 128]"
    std::string initialText(bool numbers) const; ///< of all parts, each with its name
    std::string trainingText() const;            ///< "weight decay"; "not trained"
};

/// A weight of one part.
WeightSpec plainWeight(std::string name, std::vector<WeightSize> shape, InitialValues initial, std::string source = {});

/// Elements that are trained. Saturating.
std::int64_t trainedElements(const std::vector<WeightSpec>& weights);
/// Whether every size is known, and with them what the formulas come to: not while an input is free.
bool sizesAreKnown(const std::vector<WeightSpec>& weights);

} // namespace unroll
