// SPDX-License-Identifier: GPL-3.0-or-later
// What the specs of the blocks say of options, for the Python package: libunroll_rules.so, opened by ctypes. No torch.
#include "core/block/registry.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace unroll {
namespace {

using Option = nlohmann::json;

ParamValue valueOf(const Option& option)
{
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (option.is_boolean())
        return option.get<bool>();
    if (option.is_number_integer() && !(option.is_number_unsigned() && option.get<std::uint64_t>() > kMost))
        return option.get<std::int64_t>();
    if (option.is_number())
        return option.get<double>();
    return option.is_string() ? option.get<std::string>() : option.dump();
}

/// At a port of this type, of so many features or classes; nothing else of it is wrong.
Shape shapeAt(const PortSpec& port, std::int64_t size)
{
    return {.type = port.type, .width = size, .classes = size, .shares = true};
}

/// What is wrong, as a sentence: with one option, else with those that there are together. Empty: nothing.
std::string faultOf(const BlockSpec& spec, const Option& options)
{
    Params given;
    std::map<std::string, Shape> inputs;
    for (const auto& [name, option] : options.items()) {
        const ParamValue value = valueOf(option);
        const auto size = std::find_if(spec.dimensions.begin(), spec.dimensions.end(),
                                       [&](const DimensionSpec& each) { return each.name == name; });
        const bool isSize = size != spec.dimensions.end();
        const ParamSpec ofSize{.name = name, .type = ParamType::Int, .defaultValue = std::int64_t{1}, .minimum = 1};
        const ParamSpec* const param = isSize ? &ofSize : spec.param(name);
        if (param == nullptr)
            continue;
        if (std::string fault = paramFault(*param, value); !fault.empty())
            return fault;
        if (isSize)
            inputs[size->port] =
                shapeAt(*spec.input(size->port), std::get<std::int64_t>(*asParamOf(ParamType::Int, value)));
        else
            given[name] = value;
    }
    const Params params = spec.withDefaults(given);
    InferScope scope(params, inputs, nullptr);
    if (spec.infer)
        spec.infer(scope);
    const std::vector<Diagnostic>& found = scope.diagnostics();
    const auto isTable = [&](const std::string& port) { // whose rows are not known before it is there
        return spec.input(port) != nullptr && spec.input(port)->type == PortType::Table;
    };
    const auto error = std::find_if(found.begin(), found.end(), [&](const Diagnostic& each) {
        return each.severity == Severity::Error && !isTable(each.where);
    });
    return error == found.end() ? std::string() : error->sentence;
}

} // namespace
} // namespace unroll

/// `options`: a JSON object of what the class of this block is made with; what is missing has its default. The sentence
/// stands until the thread asks again; empty: nothing is wrong, or there is no such block.
extern "C" __attribute__((visibility("default"))) const char* unroll_option_fault(const char* block,
                                                                                  const char* options)
{
    static const unroll::BlockRegistry registry = unroll::allSpecs();
    thread_local std::string words;
    const unroll::BlockSpec* const spec = registry.find(block);
    const auto read = nlohmann::json::parse(options, nullptr, /*allow_exceptions=*/false);
    words = read.is_discarded() ? "an option is no text" : spec == nullptr ? "" : unroll::faultOf(*spec, read);
    return words.c_str();
}
