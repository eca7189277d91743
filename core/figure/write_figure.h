// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/figure/figure_picture.h"
#include "core/figure/figure_source.h"
#include "core/lens/figure.h"

#include <filesystem>
#include <optional>
#include <string_view>

namespace unroll {

/// Files that a figure can be written as.
enum class FigureFile { Npz, Csv, Json, Png, Svg };

/// By the ending of the name, ".npz"; nothing for any other.
std::optional<FigureFile> figureFileOf(const std::filesystem::path& path);
/// ".npz, .csv, .json, .png or .svg".
std::string_view figureEndings();
bool isPicture(FigureFile file);

/// The figure as the file that the ending of its name says, which appears whole or not at all, with a mark of its kind
/// (format/own_mark.h): in CSV a last line "# unroll:...", in JSON a last member "mark", in SVG a comment behind the
/// document. `theme` is for pictures.
Result<void> writeFigure(const std::filesystem::path& path, const Figure& figure, const FigureSource& source,
                         FigureTheme theme, std::string_view kind);

/// The numbers alone, as numpy's archive, whatever the ending.
Result<void> writeFigureArrays(const std::filesystem::path& path, const Figure& figure, const FigureSource& source,
                               std::string_view kind);

} // namespace unroll
