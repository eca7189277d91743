// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/lens.h"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace unroll {

/// Eigenvalues of one square matrix.
struct Spectrum {
    std::string id, title;
    std::vector<std::complex<double>> eigenvalues;
    std::vector<std::int64_t> units; ///< the unit that each belongs to, where the matrix is diagonal; else empty

    double radius() const; ///< largest modulus; 0: there are none
};

/// How a small change of the state grows from step to step.
struct Growth {
    /// Natural logarithm of the factor at each step, along the leading direction; NaN: nothing is left of it.
    std::vector<double> byStep;
    /// Leading Lyapunov exponent: their mean; minus infinity: the change is gone.
    double exponent = 0;
    bool byUnits = false;      ///< no unit reads another: that of the unit that forgets last, exactly
    std::int64_t readings = 0; ///< else how often the reading was gone through, as if it were repeated
    bool settled = true;       ///< the last of these changed the exponent by 1 % at most
    std::string trouble;       ///< why there is none; empty: there is
};

/// Singular values of a signal whose values are square matrices, along the reading.
struct MatrixTrack {
    struct Head {
        std::vector<double> largest, median,
            smallest;                  ///< singular values at each step examined; NaN where the matrix is not finite
        std::vector<double> condition; ///< largest / smallest
        std::vector<double> distance;  ///< from orthogonal: ‖AᵀA - I‖_F / √n
        std::vector<double> rank;      ///< singular values above rounding
    };
    std::string signal;
    std::vector<std::int64_t> steps; ///< those examined
    std::vector<Head> heads;
    std::int64_t rows = 0, columns = 0;

    std::int64_t size() const { return std::min(rows, columns); } ///< singular values
    /// Whether every matrix is square and of full rank, so that it may be a rotation: what is put together by products
    /// is, and a sum of outer products becomes it late or never.
    bool invertible() const;
};

/// Of the units of a forget gate.
struct HalfLives {
    std::string signal;
    bool inverted = false; ///< the gate is the share replaced, not the share kept
    /// By unit: over the reading of ln 0.5 / ln(share kept), in steps; infinite where all is kept, NaN where it is no
    /// number.
    std::vector<double> median;
    std::string trouble;    ///< why there are none; empty with no signal: the node has no such gate
    std::string scale = {}; ///< the signal by which the state is scaled, and the gate is not here; empty: none
};

/// What a recurrent node does to its state.
struct SpectrumData : LensData {
    std::string node;
    bool ofWeights = false;
    std::vector<Spectrum>
        spectra; ///< of the Jacobian of the state's update, one; or of recurrent matrices; empty: see trouble
    std::vector<std::string> leftOut; ///< recurrent matrices without eigenvalues, each with the reason
    std::string of;                   ///< as ProbeFrame::of
    std::vector<std::string> characters;
    std::int64_t missing = 0; ///< values that are not finite

    // Of the state alone.
    std::int64_t step = 0, steps = 0; ///< the update at `step`, from 0
    std::string parts;                ///< of the state: "h and c"
    std::int64_t numbers = 0;         ///< of the state
    bool complexState = false;        ///< they are pairs: the Jacobian is complex
    bool unscaled = false;            ///< it is kept times exp(-m), and what is here is not
    bool rounds = false;              ///< derivatives are straight-through
    std::string trouble;              ///< why there are no eigenvalues
    std::map<std::int64_t, std::int64_t>
        blocks;                   ///< of the Jacobian, which is block triangular: how many there are of each size
    std::vector<double> jacobian; ///< row by row, real; empty where it is large
    std::vector<double> singular; ///< of the Jacobian, the largest first; empty where it is large
    Growth growth;
    HalfLives halfLives;
    std::vector<MatrixTrack> matrices; ///< one at most

    Figure figure() const override;
};

/// ln 0.5 / ln(factor): steps until half is left; infinite from 1 on, 0 at 0.
double halfLifeOf(double factor);
/// ‖AᵀA - I‖_F / √n from the singular values of A.
double distanceFromOrthogonal(const std::vector<double>& singular);

} // namespace unroll
