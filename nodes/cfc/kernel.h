// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/spec.h"

#include <cstdint>
#include <string>
#include <variant>

namespace unroll::nodes::cfc {

/// Whether the kernel cfc_steps knows these options.
inline bool hasKernel(const Params& params)
{
    return std::get<std::string>(params.at("mode")) != "pure" &&
           std::get<std::int64_t>(params.at("backbone_layers")) == 1 &&
           std::get<std::string>(params.at("backbone_activation")) != "gelu";
}

} // namespace unroll::nodes::cfc
