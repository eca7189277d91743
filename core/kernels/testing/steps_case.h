// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/testing/scan_case.h"

namespace unroll::kernels::test {

/// A case of a kernel whose every step multiplies a weight to the whole state before it: `sequences` is u (T,B,gates
/// d), the first of `constants` the weight (gates d,d). One gradient at least arrives on h: that of the last state
/// alone has shrunk to nothing at the first.
class StepsCase : public ScanCase {
public:
    explicit StepsCase(std::int64_t gates) : m_gates(gates) { elementwise = false; }

    std::vector<std::string> inputs() const override { return {"u", "weight"}; }
    std::vector<std::string> outputs() const override { return {"h", "last"}; }
    ScanNumbers draw(Draw& draws) const override;

protected:
    /// Of the weight: small enough for the state to be forgotten. With larger ones fp32 of any kind loses what chaos
    /// makes of its rounding.
    virtual double spread() const { return 0.5; }

private:
    std::int64_t m_gates;
};

} // namespace unroll::kernels::test
