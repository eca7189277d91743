// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of the registry set up for tests: parameters, input shapes, inputs. Nothing here names a block.
#pragma once

#include "core/block/registry.h"
#include "core/model/block.h"
#include "core/model/builders.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace unroll::contract {

/// The registry and the builders, made once.
const BlockRegistry& registry();
const Builders& builders();

/// Ids of the blocks of the registry that `chosen` is true of.
std::vector<std::string> blocksWhere(const std::function<bool(const BlockSpec&)>& chosen);
/// Ids of the blocks that compute (everything but data blocks and groups).
std::vector<std::string> computingBlocks();
std::vector<std::string> recurrentBlocks();
std::vector<std::string> learningBlocks(); ///< computing blocks with weights, or inputs that a gradient goes back to
std::vector<std::string> roundingBlocks(); ///< computing blocks whose gradients go straight through a rounding
std::vector<std::string> smoothBlocks();   ///< the other computing blocks that gradients go through

/// The name of a test of one block.
inline std::string blockName(const ::testing::TestParamInfo<std::string>& test)
{
    return test.param;
}

/// A block with parameters and the shapes at its inputs, optional ones included; a table that is optional may be left
/// out.
struct BlockCase {
    const BlockSpec* spec = nullptr;
    Params params; ///< complete
    std::map<std::string, Shape> inputs;

    std::string text() const; ///< "sru bidirectional=true x=12": what differs from the first case
    bool hasInput(const std::string& port) const { return spec->input(port) != nullptr; }
    bool fitsPorts() const; ///< all inputs that must be wired are, and no others than the node has
};

/// Parameters near the defaults with small sizes, each option in turn, several input widths, and random mixtures; those
/// that the spec refuses take the values that it offers instead, or are left out.
std::vector<BlockCase> casesOf(const std::string& block);

/// Cases of sizes that statistics can be made of, with every parameter in turn, also those of initial values and
/// training.
std::vector<BlockCase> freshCasesOf(const std::string& block);

/// Which random choice of values it is.
struct Mixture {
    std::string block;
    std::uint32_t seed = 0;   ///< of a list of mixtures of the block
    std::uint32_t number = 0; ///< in it
};
/// The parameters with other values for some of those that may change. Each has a draw of its own by its name, so that
/// a block with one parameter more has the others as before.
Params mixed(const std::vector<ParamSpec>& changing, Params params, const Mixture& mixture);

/// What the spec's infer says of a case.
struct Inferred {
    std::map<std::string, Shape> outputs;
    std::vector<Diagnostic> diagnostics;
    std::optional<std::pair<std::string, ParamValue>> offer; ///< the first value offered for a parameter
};
Inferred infer(const BlockCase& blockCase);
Cost costOf(const BlockCase& blockCase, std::int64_t steps = 5); ///< a token of a sequence of so many steps

/// Builds the block with weights drawn by a generator of `seed`; trained weights are shaken, so that none is zero or
/// one by construction.
std::unique_ptr<Block> build(const BlockCase& blockCase, std::uint64_t seed = 1, at::ScalarType dtype = at::kDouble);
std::unique_ptr<Block> buildUnshaken(const BlockCase& blockCase, std::uint64_t seed, at::ScalarType dtype);

struct InputOptions {
    std::int64_t steps = 5;
    std::int64_t sequences = 3;
    bool state = true;
    bool mask = true;
    at::ScalarType dtype = at::kDouble;
    std::uint64_t seed = 7;
};
/// Random inputs, one Value a port; states within -1 to 1, as every block can make them. About a third of the steps is
/// masked where a mask is wanted, and of the targets not scored.
std::vector<Value> inputsOf(const BlockCase& blockCase, const Block& block, const InputOptions& options = {});

/// The value at an input or output port.
at::Tensor& tensorAt(std::vector<Value>& values, const std::vector<PortSpec>& ports, const std::string& port);

/// The floating tensors among values, in order.
std::vector<at::Tensor> floats(const std::vector<Value>& values);
/// Those among the inputs of a block that gradients flow into (all but PortSpec::onlyCounted).
std::vector<at::Tensor> readFloats(const BlockSpec& spec, const std::vector<Value>& inputs);

at::Generator generatorOf(std::uint64_t seed);

/// Largest difference, relative to the largest element of `want` (or 1 where that is smaller). Infinite where shapes
/// differ.
double difference(const at::Tensor& got, const at::Tensor& want);

} // namespace unroll::contract
