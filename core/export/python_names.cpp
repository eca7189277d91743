// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/python_names.h"

#include "core/base/utf8.h"

#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <regex>
#include <sstream>

namespace unroll {
namespace {

const std::set<std::string>& keywords()
{
    static const std::set<std::string> words{"False",  "None",   "True",  "and",      "as",     "assert",  "async",
                                             "await",  "break",  "class", "continue", "def",    "del",     "elif",
                                             "else",   "except", "for",   "from",     "global", "finally", "if",
                                             "import", "in",     "is",    "not",      "or",     "lambda",  "pass",
                                             "raise",  "return", "try",   "nonlocal", "while",  "with",    "yield"};
    return words;
}

/// What nn.Module 2.x has as public attributes: a child of that name would be refused or hide it.
const std::set<std::string>& moduleAttributes()
{
    static const std::set<std::string> words{"T_destination",
                                             "add_module",
                                             "apply",
                                             "bfloat16",
                                             "buffers",
                                             "call_super_init",
                                             "children",
                                             "compile",
                                             "cpu",
                                             "cuda",
                                             "double",
                                             "dump_patches",
                                             "eval",
                                             "extra_repr",
                                             "float",
                                             "forward",
                                             "get_buffer",
                                             "get_extra_state",
                                             "get_parameter",
                                             "get_submodule",
                                             "half",
                                             "ipu",
                                             "load_state_dict",
                                             "modules",
                                             "mtia",
                                             "named_buffers",
                                             "named_children",
                                             "named_modules",
                                             "named_parameters",
                                             "parameters",
                                             "register_backward_hook",
                                             "register_buffer",
                                             "register_forward_hook",
                                             "register_forward_pre_hook",
                                             "register_full_backward_hook",
                                             "register_full_backward_pre_hook",
                                             "register_load_state_dict_post_hook",
                                             "register_load_state_dict_pre_hook",
                                             "register_module",
                                             "register_parameter",
                                             "register_state_dict_post_hook",
                                             "register_state_dict_pre_hook",
                                             "requires_grad_",
                                             "set_extra_state",
                                             "set_submodule",
                                             "share_memory",
                                             "state_dict",
                                             "to",
                                             "to_empty",
                                             "train",
                                             "training",
                                             "type",
                                             "xpu",
                                             "zero_grad"};
    return words;
}

std::string realLiteral(double value)
{
    if (std::isnan(value))
        return "float('nan')";
    if (std::isinf(value))
        return value > 0 ? "float('inf')" : "float('-inf')";
    std::string text = fmt::format("{}", value);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string escaped(char32_t point)
{
    if (point == '\\' || point == '\'')
        return {'\\', static_cast<char>(point)};
    if (point == '\n')
        return "\\n";
    if (point >= 0x20 && point < 0x7f)
        return {static_cast<char>(point)};
    if (point < 0x100)
        return fmt::format("\\x{:02x}", static_cast<std::uint32_t>(point));
    if (point < 0x10000)
        return fmt::format("\\u{:04x}", static_cast<std::uint32_t>(point));
    return fmt::format("\\U{:08x}", static_cast<std::uint32_t>(point));
}

} // namespace

std::string pythonString(const std::string& text)
{
    std::string result = "'";
    for (std::size_t at = 0; at < text.size();) {
        const DecodedCharacter character = decodeUtf8(text, at);
        result += escaped(character.point);
        at += character.length;
    }
    return result + "'";
}

std::string pythonLiteral(const ParamValue& value)
{
    if (const bool* flag = std::get_if<bool>(&value))
        return *flag ? "True" : "False";
    if (const std::int64_t* integer = std::get_if<std::int64_t>(&value))
        return fmt::format("{}", *integer);
    if (const double* real = std::get_if<double>(&value))
        return realLiteral(*real);
    return pythonString(std::get<std::string>(value));
}

std::string pythonClassName(const std::string& nodeName)
{
    std::string result;
    bool wordBegins = true;
    for (char c : nodeName) {
        if (c != '_')
            result += wordBegins ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        wordBegins = c == '_';
    }
    return result;
}

bool PythonNames::isFree(const std::string& name) const
{
    return keywords().count(name) == 0 && m_taken.count(name) == 0;
}

std::string PythonNames::take(std::string wish)
{
    while (!isFree(wish))
        wish += "_";
    m_taken.insert(wish);
    return wish;
}

std::set<std::string> pythonGlobals(const std::string& text)
{
    static const std::regex definition("(?:class|def) (\\w+)");
    static const std::regex import("(?:from [\\w.]+ )?import (?:[\\w.]+ as )?(\\w+)");
    static const std::regex variable("(\\w+) =");
    std::set<std::string> names;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        for (const std::regex* form : {&definition, &import, &variable})
            if (std::smatch found; std::regex_search(line, found, *form, std::regex_constants::match_continuous))
                names.insert(found[1]);
    return names;
}

PythonAttributes::PythonAttributes(const Graph& graph)
{
    PythonNames names(moduleAttributes());
    std::vector<const Node*> renamed;
    const auto add = [&](const Node& node) {
        Entry entry{names.take(node.name), nullptr, false};
        if (node.group) {
            entry.inner = std::make_shared<const PythonAttributes>(*node.group->graph);
            entry.numbered = node.group->repeat > 1 && !node.group->sharedWeights;
        }
        m_nodes.emplace(node.name, std::move(entry));
    };
    for (const auto& [id, node] : graph.nodes) // who can keep their name come first
        if (names.isFree(node->name))
            add(*node);
        else
            renamed.push_back(node.get());
    for (const Node* node : renamed)
        add(*node);
}

const std::string& PythonAttributes::of(const std::string& node) const
{
    return m_nodes.at(node).attribute;
}

const PythonAttributes& PythonAttributes::inside(const std::string& group) const
{
    return *m_nodes.at(group).inner;
}

std::string PythonAttributes::weightName(const std::string& weight) const
{
    const std::size_t dot = weight.find('.');
    const auto found = m_nodes.find(weight.substr(0, dot));
    if (found == m_nodes.end() || dot == std::string::npos)
        return weight;
    const Entry& node = found->second;
    if (node.inner == nullptr)
        return node.attribute + weight.substr(dot);
    const std::size_t end = node.numbered ? weight.find('.', dot + 1) : dot;
    if (end == std::string::npos)
        return weight;
    return node.attribute + weight.substr(dot, end + 1 - dot) + node.inner->weightName(weight.substr(end + 1));
}

std::string pythonCall(const std::string& indent, const std::string& head, const std::vector<std::string>& arguments)
{
    std::string line = indent + head + "(";
    const std::string hanging(line.size(), ' ');
    std::string text;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string piece = arguments[i] + (i + 1 < arguments.size() ? "," : ")");
        if (i > 0 && line.size() + 1 + piece.size() > kPythonColumns) {
            text += line + "\n";
            line = hanging + piece;
        } else {
            line += (i > 0 ? " " : "") + piece;
        }
    }
    return text + line + (arguments.empty() ? ")" : "");
}

} // namespace unroll
