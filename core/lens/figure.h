// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// One axis of a panel.
struct FigureAxis {
    std::string title;              ///< with its unit: "AUC", "steps back"; may be empty
    std::optional<double> low = {}; ///< nothing: what the values need
    std::optional<double> high = {};
    bool log = false;   ///< values that are not positive are left out and counted
    bool steps = false; ///< positions are steps of the reading: linked with the cursor, labelled by its tokens
    std::vector<std::string> labels = {}; ///< of the positions 0, 1, 2, ...; empty: numbers
};

/// Values over a pair of axes. NaN is a gap.
struct FigureSeries {
    enum class Kind { Line, Points, Bars };
    std::string name; ///< in the legend, and of the array in files
    Kind kind = Kind::Line;
    std::vector<double> x;
    std::vector<double> y;
    std::vector<double> low = {}; ///< an interval about each y (a band of a line, whiskers else); empty: none
    std::vector<double> high = {};
    std::vector<std::int64_t> units = {}; ///< the unit that each point stands for; empty: none. A click selects it
    std::vector<double> shade = {};       ///< a value in 0..1 for each point, drawn as colour; empty: one colour
    std::vector<std::string> notes = {};  ///< words shown at each point when it is pointed at; empty: its numbers
    bool dim = false;                     ///< a reference (chance level, baseline): drawn behind, in grey
};

/// A matrix of values, row 0 on top.
struct FigureCells {
    enum class Scale {
        Signed,  ///< zero neutral, symmetric range
        Bounded, ///< -1..1
        Share,   ///< 0..1
        Positive ///< 0 .. largest
    };
    std::string name;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<float> values; ///< values[row * columns + column]
    Scale scale = Scale::Signed;
    std::vector<std::int64_t> units = {}; ///< of each row; empty: none
    /// Of Signed and Positive: the size that the colours reach to, so that two matrices have one scale; 0: what the
    /// values need.
    double reach = 0;
    double period = 0; ///< of values that go round, as phases do; 0: they do not
};

/// A circle of reference about a point, in the units of the axes.
struct FigureCircle {
    double x = 0, y = 0, radius = 1;
    std::string label = {};
};

/// A line of reference across the panel: where one of the axes has this value.
struct FigureRule {
    bool vertical = false;
    double at = 0;
    std::string label = {};
};

/// One pair of axes with what is drawn over it, from the back to the front: cells, circles, rules, series.
struct FigurePanel {
    std::string id; ///< short, of its arrays in files: "loss_by_step"
    std::string title;
    FigureAxis x = {};
    FigureAxis y = {};
    std::optional<FigureCells> cells = {}; ///< cell (row, column) is centred on (column, row); y runs downwards then
    std::vector<FigureSeries> series = {};
    std::vector<FigureCircle> circles = {};
    std::vector<FigureRule> rules = {};
    bool square = false; ///< a unit of x is as long as a unit of y
    double height = 1;   ///< beside other panels', which stand one under another
};

/// Ranked rows, in words.
struct FigureTable {
    struct Row {
        std::vector<std::string> cells;     ///< as they are shown
        std::string node = {}, signal = {}; ///< what a click selects; empty: nothing
        std::vector<std::int64_t> units = {};
        std::optional<std::int64_t> step = {};
    };
    std::string id;
    std::string title;
    std::vector<std::string> columns;
    std::vector<Row> rows;
};

/// Numbers that are not drawn, or are drawn rounded, for files.
struct FigureArray {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<double> values;         ///< row by row
    std::vector<std::string> axes = {}; ///< what each dimension counts, "step", "head", "key", "value"; may be empty
};

/// What a lens draws, as plain values: the studio paints it, the command line writes it (npz, csv, json, svg, png).
/// What is drawn and what is written are the same numbers.
struct Figure {
    /// One line: what it shows, of which data and how many steps, and how to read it.
    std::string shows;
    std::vector<std::string> findings = {}; ///< sentences, the most telling first
    std::vector<FigurePanel> panels = {};   ///< one under another
    std::vector<FigureTable> tables = {};
    std::vector<FigureArray> arrays = {};
    std::int64_t missing = 0; ///< values that are NaN or infinite, of all that were examined
};

} // namespace unroll
