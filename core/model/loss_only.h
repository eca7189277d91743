// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace unroll {

/// While one lives, passes on this thread are asked for their loss alone: a block with a loss may leave its prediction
/// out where that saves work. A pass suspends it for a block whose prediction another node reads.
class LossOnly {
public:
    explicit LossOnly(bool asked = true);
    ~LossOnly();
    LossOnly(const LossOnly&) = delete;
    LossOnly& operator=(const LossOnly&) = delete;

    static bool isAsked();

private:
    bool m_before;
};

} // namespace unroll
