// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/write_figure.h"

#include "core/base/sha256.h"
#include "core/figure/figure_arrays.h"
#include "core/figure/figure_csv.h"
#include "core/figure/figure_json.h"
#include "core/format/atomic_file.h"
#include "core/format/npz.h"
#include "core/format/own_mark.h"
#include "core/format/png.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace unroll {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<std::string_view, FigureFile>, 5> kEndings = {{{".npz", FigureFile::Npz},
                                                                              {".csv", FigureFile::Csv},
                                                                              {".json", FigureFile::Json},
                                                                              {".png", FigureFile::Png},
                                                                              {".svg", FigureFile::Svg}}};
constexpr int kAnyWidth = 1 << 24; ///< rows of numbers stay on one line

std::string jsonText(const Figure& figure, const FigureSource& source, std::string_view kind)
{
    std::string text = writeJson(figureJson(figure, source), kAnyWidth);
    while (text.ends_with('}') || text.ends_with('\n')) { // the document's last brace, on a line of its own
        const bool brace = text.ends_with('}');
        text.pop_back();
        if (brace)
            break;
    }
    while (text.ends_with('\n'))
        text.pop_back();
    text += ",\n  \"mark\": \"";
    return text + format::ownMark(kind, sha256(text)) + "\"}\n";
}

Result<std::string> svgText(const Figure& figure, const FigureSource& source, FigureTheme theme, std::string_view kind)
{
    auto text = figureSvg(figure, source, theme);
    if (!text)
        return text;
    *text += "<!-- ";
    return *text + format::ownMark(kind, sha256(*text)) + " -->\n";
}

Result<std::string> textOf(FigureFile file, const Figure& figure, const FigureSource& source, FigureTheme theme,
                           std::string_view kind)
{
    switch (file) {
    case FigureFile::Csv: return format::markedText(figureCsv(figure), kind, "# ");
    case FigureFile::Json: return jsonText(figure, source, kind);
    case FigureFile::Svg: return svgText(figure, source, theme, kind);
    case FigureFile::Npz:
    case FigureFile::Png: break;
    }
    auto png = figurePng(figure, source, theme);
    return png ? format::markedPng(std::move(*png), kind) : png;
}

} // namespace

std::optional<FigureFile> figureFileOf(const fs::path& path)
{
    for (const auto& [ending, file] : kEndings)
        if (path.extension() == ending)
            return file;
    return std::nullopt;
}

std::string_view figureEndings()
{
    return ".npz, .csv, .json, .png or .svg";
}

bool isPicture(FigureFile file)
{
    return file == FigureFile::Png || file == FigureFile::Svg;
}

Result<void> writeFigureArrays(const fs::path& path, const Figure& figure, const FigureSource& source,
                               std::string_view kind)
{
    const std::vector<format::OwnedTensor> arrays = figureArrays(figure, source);
    std::vector<format::TensorView> views;
    for (const format::OwnedTensor& array : arrays)
        views.push_back(array.view());
    const auto written = format::writeNpz(path, views, format::systemCalls(), kind);
    return written ? Result<void>() : tl::unexpected(written.error());
}

Result<void> writeFigure(const fs::path& path, const Figure& figure, const FigureSource& source, FigureTheme theme,
                         std::string_view kind)
{
    const auto file = figureFileOf(path);
    if (!file)
        return fail("expected a name that ends in " + std::string(figureEndings()), path.string());
    if (*file == FigureFile::Npz)
        return writeFigureArrays(path, figure, source, kind);
    const auto text = textOf(*file, figure, source, theme, kind);
    return text ? format::writeFileAtomically(path, *text) : fail(text.error().message, path.string());
}

} // namespace unroll
