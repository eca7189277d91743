// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/onnx/step.h"

namespace unroll::nodes {

/// One step of causal attention over a window (causal_attention.py).
struct AttentionStep {
    onnx::Value q, k, v; ///< [B, width], v [B, values]
    std::int64_t width = 0, heads = 1, window = 2;
    std::int64_t values = 0;    ///< features of v; 0: width
    double ropeBase = 0;        ///< 0: queries and keys are not rotated
    double xposScale = 0;       ///< 0: no xPos
    std::int64_t distances = 0; ///< features of the table of relative positions: those of x
    /// Of relative positions: [width, distances], and [width] each; empty: none.
    onnx::Value relative = {}, content = {}, position = {};
};

struct AttentionRead {
    onnx::Value y;      ///< [B, values]
    onnx::Value memory; ///< [B, (window - 1) (width + values + 1)]: key, value and position of the last steps
};

/// `memory` is that of the step before, zeros where there was no step.
AttentionRead attentionStep(onnx::Step& step, const AttentionStep& attention, const onnx::Value& memory);
/// The position of the current step in its sequence, from 1 on, [B, 1]. `kept`: features of key and value together.
onnx::Value stepNumber(const onnx::Value& memory, std::int64_t kept, std::int64_t window);

} // namespace unroll::nodes
