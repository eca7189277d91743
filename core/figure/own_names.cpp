// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/own_names.h"

#include <algorithm>
#include <cctype>

namespace unroll {

namespace {

bool isOfName(char letter)
{
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// Ids of arrays and panels have what they are of before the path: "histogram_body.2.lstm".
bool beginsAt(const std::string& text, std::size_t at)
{
    return at == 0 || text[at - 1] == '_' || !(isOfName(text[at - 1]) || text[at - 1] == '.');
}

class Renaming {
public:
    Renaming(const std::string& path, const std::string& name) : m_path(path), m_name(name) {}

    void operator()(std::string& text) const
    {
        for (std::size_t at = text.find(m_path); at != std::string::npos; at = text.find(m_path, at)) {
            const std::size_t end = at + m_path.size();
            const bool isWhole = beginsAt(text, at) && (end == text.size() || !isOfName(text[end]));
            if (isWhole)
                text.replace(at, m_path.size(), m_name);
            at += isWhole ? m_name.size() : 1;
        }
    }
    void operator()(std::vector<std::string>& texts) const
    {
        for (std::string& text : texts)
            (*this)(text);
    }

private:
    const std::string& m_path;
    const std::string& m_name;
};

void rename(FigurePanel& panel, const Renaming& renamed)
{
    renamed(panel.id);
    renamed(panel.title);
    renamed(panel.x.labels);
    renamed(panel.y.labels);
    if (panel.cells)
        renamed(panel.cells->name);
    for (FigureSeries& series : panel.series) {
        renamed(series.name);
        renamed(series.notes);
    }
}

} // namespace

std::string ownName(const std::string& path)
{
    std::size_t end = path.size();
    while (end > 0) {
        const std::size_t dot = path.rfind('.', end - 1);
        const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
        const auto isDigit = [](char letter) { return letter >= '0' && letter <= '9'; };
        if (!std::all_of(path.begin() + static_cast<std::ptrdiff_t>(begin),
                         path.begin() + static_cast<std::ptrdiff_t>(end), isDigit))
            return path.substr(begin, end - begin);
        end = begin == 0 ? 0 : begin - 1;
    }
    return path;
}

Figure renamedNode(Figure figure, const std::string& path, const std::string& name)
{
    if (path.empty())
        return figure;
    const Renaming renamed(path, name);
    for (FigurePanel& panel : figure.panels)
        rename(panel, renamed);
    for (FigureTable& table : figure.tables) {
        renamed(table.id);
        renamed(table.title);
        for (FigureTable::Row& row : table.rows)
            renamed(row.cells);
    }
    for (FigureArray& array : figure.arrays)
        renamed(array.name);
    return figure;
}

} // namespace unroll
