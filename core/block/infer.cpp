// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/infer.h"

#include "core/block/state_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>

namespace unroll {

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

template <class T>
const T& held(const Params& params, const std::string& name)
{
    auto found = params.find(name);
    assert(found != params.end() && std::holds_alternative<T>(found->second) &&
           "a spec reads a parameter it does not declare");
    return std::get<T>(found->second);
}

Diagnostic mistake(Severity severity, const std::string& where, const std::string& code, const std::string& sentence)
{
    Diagnostic diagnostic;
    diagnostic.severity = severity;
    diagnostic.where = where;
    diagnostic.code = code;
    diagnostic.sentence = sentence;
    return diagnostic;
}

std::string joined(const std::string& path, const std::string& name)
{
    return path.empty() || name.empty() ? path + name : path + "." + name;
}

} // namespace

std::string nodePath(const Diagnostic& diagnostic)
{
    return joined(diagnostic.groupName, diagnostic.nodeName);
}

std::string placeOf(const Diagnostic& diagnostic)
{
    return joined(nodePath(diagnostic), diagnostic.where);
}

bool hasErrors(const std::vector<Diagnostic>& diagnostics)
{
    return std::any_of(diagnostics.begin(), diagnostics.end(),
                       [](const Diagnostic& d) { return d.severity == Severity::Error; });
}

bool isPerStep(PortType type)
{
    return type == PortType::Tokens || type == PortType::Sequence || type == PortType::Mask ||
           type == PortType::Targets || type == PortType::TargetValues;
}

const char* portTypeWord(PortType type)
{
    switch (type) {
    case PortType::Tokens: return "tokens";
    case PortType::Sequence: return "a sequence";
    case PortType::Vector: return "a vector";
    case PortType::State: return "a state";
    case PortType::Mask: return "a mask";
    case PortType::Targets: return "targets";
    case PortType::TargetValues: return "target values";
    case PortType::Loss: return "a loss";
    case PortType::Table: return "a table";
    }
    return "?";
}

std::int64_t Shape::size() const
{
    return type == PortType::Tokens || type == PortType::Targets ? classes : width;
}

std::string Shape::text() const
{
    switch (type) {
    case PortType::Tokens:
    case PortType::Targets: return fmt::format("[T, B] of {}", classes);
    case PortType::Sequence:
    case PortType::TargetValues: return fmt::format("[T, B, {}]", width);
    case PortType::Vector: return fmt::format("[B, {}]", width);
    case PortType::State: return fmt::format("state of {}", stateNumbers(*this));
    case PortType::Mask: return "[T, B]";
    case PortType::Loss: return "loss";
    case PortType::Table: return fmt::format("[{}, {}]", rows, width);
    }
    return "?";
}

std::int64_t InferScope::integer(const std::string& param) const
{
    return held<std::int64_t>(m_params, param);
}
double InferScope::real(const std::string& param) const
{
    return held<double>(m_params, param);
}
bool InferScope::boolean(const std::string& param) const
{
    return held<bool>(m_params, param);
}
const std::string& InferScope::text(const std::string& param) const
{
    return held<std::string>(m_params, param);
}

const Shape* InferScope::input(const std::string& port) const
{
    auto found = m_inputs.find(port);
    return found == m_inputs.end() ? nullptr : &found->second;
}

void InferScope::error(const std::string& portOrParam, const std::string& code, const std::string& sentence)
{
    m_diagnostics.push_back(mistake(Severity::Error, portOrParam, code, sentence));
}

void InferScope::warning(const std::string& portOrParam, const std::string& code, const std::string& sentence)
{
    m_diagnostics.push_back(mistake(Severity::Warning, portOrParam, code, sentence));
}

void InferScope::offerParam(const std::string& title, const std::string& param, ParamValue value)
{
    assert(!m_diagnostics.empty());
    m_offers.push_back({m_diagnostics.size() - 1, title, param, std::move(value)});
}

void InferScope::offerWidth(const std::string& port, std::int64_t width)
{
    assert(!m_diagnostics.empty());
    m_offers.push_back({m_diagnostics.size() - 1, "", port, WidthOffer{width}});
}

void InferScope::offerRemoval(const std::string& port)
{
    assert(!m_diagnostics.empty());
    m_offers.push_back({m_diagnostics.size() - 1, "", port, RemovalOffer{}});
}

std::int64_t product(std::initializer_list<std::int64_t> sizes)
{
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end())
        return 0;
    std::int64_t result = 1;
    for (const std::int64_t size : sizes)
        if (__builtin_mul_overflow(result, size, &result))
            return kMost;
    return result;
}

std::int64_t sum(std::initializer_list<std::int64_t> sizes)
{
    std::int64_t result = 0;
    for (const std::int64_t size : sizes)
        if (__builtin_add_overflow(result, size, &result))
            return kMost;
    return result;
}

Cost& Cost::operator+=(const Cost& other)
{
    parameters = sum({parameters, other.parameters});
    forwardFlops += other.forwardFlops;
    backwardFlops += other.backwardFlops;
    activationBytes += other.activationBytes;
    workspaceBytes = std::max(workspaceBytes, other.workspaceBytes);
    forwardElements += other.forwardElements;
    backwardElements += other.backwardElements;
    return *this;
}

std::int64_t CostScope::integer(const std::string& param) const
{
    return held<std::int64_t>(params, param);
}
double CostScope::real(const std::string& param) const
{
    return held<double>(params, param);
}
bool CostScope::boolean(const std::string& param) const
{
    return held<bool>(params, param);
}
const std::string& CostScope::text(const std::string& param) const
{
    return held<std::string>(params, param);
}

std::int64_t CostScope::dimension(const std::string& port) const
{
    for (const auto* shapes : {&inputs, &outputs})
        if (auto found = shapes->find(port); found != shapes->end())
            return found->second.size();
    return 0;
}

std::int64_t WeightScope::integer(const std::string& param) const
{
    return held<std::int64_t>(params, param);
}
double WeightScope::real(const std::string& param) const
{
    return held<double>(params, param);
}
bool WeightScope::boolean(const std::string& param) const
{
    return held<bool>(params, param);
}
const std::string& WeightScope::text(const std::string& param) const
{
    return held<std::string>(params, param);
}

std::int64_t WeightScope::dimension(const std::string& port) const
{
    const auto found = inputs.find(port);
    return found == inputs.end() ? 0 : found->second.size();
}

} // namespace unroll
