// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
class ParseError;
class Validator;
} // namespace CLI

namespace unroll::cli {

// Numbers are read as a user means them and as nothing else: all of the text, in decimal, a point for the comma, within
// the bounds. What is not is refused in words at the command line.

CLI::Option* addWhole(CLI::App& verb, const char* name, std::function<void(std::int64_t)> take, std::int64_t least,
                      std::int64_t most, const std::string& help);
/// 0 to 2^64 - 1.
CLI::Option* addSeed(CLI::App& verb, std::function<void(std::uint64_t)> take, const std::string& help);
/// A finite number of at least 0.
CLI::Option* addReal(CLI::App& verb, const char* name, std::function<void(double)> take, const std::string& help);
/// 0 to 1.
CLI::Option* addShare(CLI::App& verb, const char* name, std::function<void(double)> take, const std::string& help);

/// One of the names; what is near another word is offered.
CLI::Validator oneOf(std::vector<std::string> names);

/// The words of the command line, the program's name left out, with "--data=x" as it is and a value that is empty in a
/// word of its own. The error is a sentence: an argument that is empty, or spaces alone, says nothing, but for a text.
struct Words {
    std::vector<std::string> words;
    std::string fault; ///< empty: none
};
Words commandWords(int argc, char** argv);

/// What the parser could not make sense of, with what may have been meant.
std::string parseFault(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words);

} // namespace unroll::cli
