// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/option_values.h"

#include "core/base/nearest.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <optional>

namespace unroll::cli {
namespace {

template <class T>
std::optional<T> numberIn(const std::string& text, T least, T most)
{
    T value{};
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (parsed.ec != std::errc() || parsed.ptr != end || !(value >= least && value <= most))
        return {};
    return value;
}

template <class T>
CLI::Option* addNumber(CLI::App& verb, const std::string& name, std::function<void(T)> take, T least, T most,
                       const std::string& wanted, const std::string& help)
{
    const auto store = [take = std::move(take), least, most](const std::string& text) {
        take(*numberIn(text, least, most));
    };
    const auto fault = [least, most, wanted, name](const std::string& text) {
        return numberIn(text, least, most) ? std::string()
                                           : fmt::format("{} must be {}; it is '{}'", name.substr(2), wanted, text);
    };
    return verb.add_option_function<std::string>(name, store, help)
        ->check(CLI::Validator(fault, ""))
        ->type_name("NUMBER");
}

/// Options that may be empty: texts.
bool mayBeEmpty(const std::string& option)
{
    return option == "--prompt" || option == "--text" || option == "--sample" || option == "--stop";
}

/// No name, number or path that somebody means: spaces alone are a variable of a script that was not set.
bool isBlank(const std::string& word)
{
    return word.find_first_not_of(" \t\n\r") == std::string::npos;
}

std::vector<std::string> verbNames(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const CLI::App* verb : app.get_subcommands({}))
        names.push_back(verb->get_name());
    return names;
}

std::vector<std::string> optionNames(const CLI::App& verb)
{
    std::vector<std::string> names;
    for (const CLI::Option* option : verb.get_options())
        for (const std::string& name : option->get_lnames())
            names.push_back("--" + name);
    return names;
}

} // namespace

CLI::Validator oneOf(std::vector<std::string> names)
{
    const auto fault = [names](const std::string& word) {
        if (std::find(names.begin(), names.end(), word) != names.end())
            return std::string();
        const auto near = nearestNames(word, names);
        return fmt::format("'{}' is not one of {}{}", word, fmt::join(names, ", "),
                           near.empty() ? std::string() : suggestion(word, names));
    };
    return {fault, fmt::format("{{{}}}", fmt::join(names, ","))};
}

CLI::Option* addWhole(CLI::App& verb, const char* name, std::function<void(std::int64_t)> take, std::int64_t least,
                      std::int64_t most, const std::string& help)
{
    const std::string wanted = fmt::format("a whole number from {} to {}", least, most);
    return addNumber<std::int64_t>(verb, name, std::move(take), least, most, wanted, help);
}

CLI::Option* addSeed(CLI::App& verb, std::function<void(std::uint64_t)> take, const std::string& help)
{
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    return addNumber<std::uint64_t>(verb, "--seed", std::move(take), 0, most,
                                    fmt::format("a whole number from 0 to {}", most), help);
}

CLI::Option* addReal(CLI::App& verb, const char* name, std::function<void(double)> take, const std::string& help)
{
    return addNumber<double>(verb, name, std::move(take), 0, std::numeric_limits<double>::max(),
                             "a number of at least 0", help);
}

CLI::Option* addShare(CLI::App& verb, const char* name, std::function<void(double)> take, const std::string& help)
{
    return addNumber<double>(verb, name, std::move(take), 0, 1, "a number from 0 to 1", help);
}

Words commandWords(int argc, char** argv)
{
    Words result;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const std::string before = result.words.empty() ? std::string() : result.words.back();
        const std::size_t equals = word.find('=');
        const bool joined =
            word.starts_with("--") && equals > 2 && equals != std::string::npos && isBlank(word.substr(equals + 1));
        const std::string option = joined ? word.substr(0, equals) : before;
        if ((joined || isBlank(word)) && !mayBeEmpty(option) && result.fault.empty())
            result.fault = option.starts_with("--") ? option + " expects a value; it is empty" : "an argument is empty";
        if (joined)
            result.words.push_back(option);
        result.words.push_back(joined ? word.substr(equals + 1) : word);
    }
    return result;
}

/// The parser's "--tokens: At Most 1 required but received 2" and "--tokens: 1 required NUMBER missing" in plain words.
static std::string countFault(const CLI::App& verb, const std::string& message)
{
    if (message.ends_with(" missing"))
        return message.substr(0, message.find(':')) + " expects a value; none is given";
    for (const CLI::Option* option : verb.get_options())
        if (option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw &&
            option->get_items_expected_max() == 1 && option->count() > 1)
            return fmt::format("{}: given {} times; give it once", option->get_name(), option->count());
    return message;
}

std::string parseFault(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words)
{
    const auto chosen = app.get_subcommands();
    const auto first =
        std::find_if(words.begin(), words.end(), [](const auto& word) { return !word.starts_with('-'); });
    if (chosen.empty() && first != words.end())
        return fmt::format("there is no command named '{}'{}", *first, suggestion(*first, verbNames(app)));
    if (chosen.empty())
        return (words.empty() ? "a command is required"
                              : words.front() + " is not an option of unroll-cli itself: give a command first") +
               suggestion({}, verbNames(app));
    const CLI::App& verb = *chosen.front();
    const std::string message =
        error.what(); // "The following arguments were not expected: second --stepz=3", the first comes last
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch))
        return countFault(verb, message);
    if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError))
        return message;
    const std::string word = message.substr(message.rfind(' ') + 1), extra = word.substr(0, word.find('='));
    if (!extra.starts_with('-'))
        return fmt::format("'{}' is one argument too many for {}{}", extra, verb.get_name(),
                           word != extra && verb.get_option_no_throw("--set") != nullptr
                               ? ": each --set takes one value, and may be given again"
                               : "");
    return fmt::format("{} has no option {}{}", verb.get_name(), extra, suggestion(extra, optionNames(verb)));
}

} // namespace unroll::cli
