// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/python_parts.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <tuple>

namespace unroll {
namespace {

bool isImport(const std::string& line)
{
    return line.starts_with("import ") || line.starts_with("from ");
}

bool isOfTorch(const std::string& line)
{
    return line.starts_with("import torch") || line.starts_with("from torch");
}

std::string filled(std::string text, const PythonWords& words)
{
    for (const auto& [word, put] : words)
        for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + put.size()))
            text.replace(at, word.size(), put);
    return text;
}

} // namespace

PythonFile pythonFile(const std::string& text)
{
    std::istringstream lines(text);
    PythonFile file;
    std::string& kept = file.body;
    std::string line;
    bool inDocstring = false;
    while (std::getline(lines, line)) {
        if (inDocstring || (kept.empty() && line.starts_with("\"\"\""))) {
            const std::size_t closing = line.find("\"\"\"", inDocstring ? 0 : 3);
            inDocstring = closing == std::string::npos;
        } else if (isImport(line)) {
            if (!line.starts_with("from ."))
                file.imports.push_back(line);
        } else if (!line.starts_with("# SPDX") && !(kept.empty() && line.empty())) {
            kept += line + "\n";
        }
    }
    while (kept.size() > 1 && kept[kept.size() - 2] == '\n')
        kept.pop_back();
    return file;
}

void PythonParts::addFile(const char* text, const PythonWords& words)
{
    const PythonFile file = pythonFile(text);
    needImports(file.imports);
    add(filled(file.body, words));
}

void PythonParts::addOnce(const std::string& text)
{
    if (std::find(m_parts.begin(), m_parts.end(), text) == m_parts.end())
        add(text);
}

std::string PythonParts::joined() const
{
    return fmt::format("{}", fmt::join(m_parts, "\n\n"));
}

std::string importBlock(const std::set<std::string>& lines)
{
    const auto key = [](const std::string& line) {
        return std::tuple(isOfTorch(line), line.starts_with("from"), line);
    };
    std::vector<std::string> sorted(lines.begin(), lines.end());
    std::sort(sorted.begin(), sorted.end(),
              [&](const std::string& a, const std::string& b) { return key(a) < key(b); });
    std::string block;
    for (const std::string& line : sorted) {
        if (isOfTorch(line) && !block.empty() && block.find("torch") == std::string::npos)
            block += "\n";
        block += line + "\n";
    }
    return block;
}

} // namespace unroll
