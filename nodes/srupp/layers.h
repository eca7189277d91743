// SPDX-License-Identifier: GPL-3.0-or-later
// Of a stack of SRU++ layers what each of them is: which attends, what it reads. Standard library only.
#pragma once

#include "core/block/spec.h"

#include <cstdint>
#include <map>
#include <string>

namespace unroll::nodes::srupp {

/// Whether layer `index` of `count`, from 0, attends: of one layer always; else where it is one of the last `last`, or
/// without `last` each `every`-th one, as in the package.
inline bool isAttending(std::int64_t index, std::int64_t count, std::int64_t every, std::int64_t last)
{
    if (count == 1)
        return true;
    return last > 0 ? count - index <= last : (index + 1) % every == 0;
}

/// The block's parameters as those of one of its layers. The last of several has no dropout in its highway.
inline Params layerParams(const Params& params, std::int64_t index)
{
    const auto integer = [&](const char* name) { return std::get<std::int64_t>(params.at(name)); };
    const std::int64_t count = integer("num_layers");
    Params own = params;
    own["num_layers"] = std::int64_t{1};
    if (!isAttending(index, count, integer("attention_every_n_layers"), integer("attention_last_n_layers")))
        own["attention"] = std::string("none");
    if (count > 1 && index == count - 1)
        own["dropout"] = 0.0;
    return own;
}

/// Whether some layer looks at later steps, by attention.
inline bool looksAhead(const Params& params)
{
    const auto integer = [&](const char* name) { return std::get<std::int64_t>(params.at(name)); };
    if (std::get<std::string>(params.at("attention")) != "full")
        return false;
    const std::int64_t count = integer("num_layers");
    for (std::int64_t layer = 0; layer < count; ++layer)
        if (isAttending(layer, count, integer("attention_every_n_layers"), integer("attention_last_n_layers")))
            return true;
    return false;
}

/// What it reads: the first the block's x, the others the layer below, whose y is `width` wide.
inline std::map<std::string, Shape> layerInputs(std::map<std::string, Shape> inputs, std::int64_t width,
                                                std::int64_t index)
{
    if (index > 0)
        inputs["x"] = {.type = PortType::Sequence, .width = width};
    return inputs;
}

/// Before the names of its weights, of several: "layers.0.".
inline std::string layerPrefix(std::int64_t index)
{
    return "layers." + std::to_string(index) + ".";
}

} // namespace unroll::nodes::srupp
