// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/race_table.h"

#include "core/format/atomic_file.h"
#include "core/runs/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <variant>

namespace unroll {
namespace {

using TableCell = std::variant<std::monostate, std::int64_t, double, std::string>;

struct RaceTable {
    std::vector<std::string> heads;
    std::vector<std::vector<TableCell>> rows;
};

TableCell realCell(const std::optional<double>& value)
{
    return value ? TableCell(*value) : TableCell();
}

TableCell wholeCell(const std::optional<double>& value)
{
    return value && std::isfinite(*value) ? TableCell(static_cast<std::int64_t>(std::llround(*value))) : TableCell();
}

RaceTable tableOf(const std::vector<RaceRow>& rows)
{
    constexpr double kMega = 1e6;
    const bool diverged = std::any_of(rows.begin(), rows.end(), [](const RaceRow& row) { return row.diverged > 0; });
    RaceTable table{{"lane", "width", "parameters", "FLOPs/token", "state", "runs"}, {}};
    if (diverged)
        table.heads.emplace_back("diverged");
    for (const char* head : {"loss", "low", "high", "bits", "best", "accuracy", "tokens/s", "memory MB", "seconds"})
        table.heads.emplace_back(head);
    const bool refused = std::any_of(rows.begin(), rows.end(), [](const RaceRow& row) { return !row.refused.empty(); });
    if (refused)
        table.heads.emplace_back("refused");
    for (const RaceRow& row : rows) {
        std::vector<TableCell> cells{row.lane, row.width};
        const bool runs = row.refused.empty();
        cells.push_back(runs ? TableCell(row.parameters) : TableCell());
        cells.push_back(runs ? wholeCell(row.flops) : TableCell());
        cells.push_back(runs ? wholeCell(row.state) : TableCell());
        cells.emplace_back(fmt::format("{}/{}", row.done, row.runs));
        if (diverged)
            cells.emplace_back(static_cast<std::int64_t>(row.diverged));
        for (const auto& value : {row.loss, row.low, row.high, row.bits, row.best, row.accuracy})
            cells.push_back(realCell(value));
        cells.push_back(wholeCell(row.tokensPerSecond));
        cells.push_back(wholeCell(row.memory ? std::optional(*row.memory / kMega) : std::nullopt));
        cells.push_back(realCell(row.seconds));
        if (refused)
            cells.emplace_back(row.refused);
        table.rows.push_back(std::move(cells));
    }
    return table;
}

std::string plainCell(const TableCell& cell, int digits, const char* unknown = "n/a")
{
    if (const auto* whole = std::get_if<std::int64_t>(&cell))
        return std::to_string(*whole);
    if (const auto* real = std::get_if<double>(&cell))
        return fmt::format("{:.{}g}", *real, digits);
    const auto* words = std::get_if<std::string>(&cell);
    return words != nullptr ? *words : unknown;
}

std::string csvCell(const TableCell& cell)
{
    std::string text = plainCell(cell, 17, "");
    if (text.find_first_of(",\"\n\r") == std::string::npos)
        return text;
    std::string quoted = "\"";
    for (const char sign : text)
        quoted += sign == '"' ? "\"\"" : std::string(1, sign);
    return quoted + '"';
}

std::string markdownCell(const std::string& text)
{
    std::string escaped;
    for (const char sign : text)
        escaped += sign == '|' ? "\\|" : std::string(1, sign);
    return escaped;
}

std::string latexCell(const std::string& text)
{
    static const std::map<char, std::string> kSigns{{'\\', R"(\textbackslash{})"},
                                                    {'&', R"(\&)"},
                                                    {'%', R"(\%)"},
                                                    {'$', R"(\$)"},
                                                    {'#', R"(\#)"},
                                                    {'_', R"(\_)"},
                                                    {'{', R"(\{)"},
                                                    {'}', R"(\})"},
                                                    {'~', R"(\textasciitilde{})"},
                                                    {'^', R"(\textasciicircum{})"}};
    std::string escaped;
    for (const char sign : text) {
        const auto found = kSigns.find(sign);
        escaped += found != kSigns.end() ? found->second : std::string(1, sign);
    }
    return escaped;
}

std::string csvText(const RaceTable& table)
{
    std::string text = fmt::format("{}\n", fmt::join(table.heads, ","));
    for (const auto& row : table.rows) {
        std::vector<std::string> cells;
        for (const TableCell& cell : row)
            cells.push_back(csvCell(cell));
        text += fmt::format("{}\n", fmt::join(cells, ","));
    }
    return text;
}

std::string markdownText(const RaceTable& table)
{
    std::string text = fmt::format("| {} |\n| ", fmt::join(table.heads, " | "));
    text += fmt::format("{} |\n", fmt::join(std::vector<std::string>(table.heads.size(), "---"), " | "));
    for (const auto& row : table.rows) {
        std::vector<std::string> cells;
        for (const TableCell& cell : row)
            cells.push_back(markdownCell(plainCell(cell, 6)));
        text += fmt::format("| {} |\n", fmt::join(cells, " | "));
    }
    return text;
}

std::string latexText(const RaceTable& table)
{
    std::string columns;
    for (std::size_t column = 0; column < table.heads.size(); ++column)
        columns += std::any_of(table.rows.begin(), table.rows.end(),
                               [&](const auto& row) { return std::holds_alternative<std::string>(row[column]); })
                       ? 'l'
                       : 'r';
    std::vector<std::string> heads;
    for (const std::string& head : table.heads)
        heads.push_back(latexCell(head));
    std::string text =
        fmt::format("\\begin{{tabular}}{{{}}}\n\\toprule\n{} \\\\\n\\midrule\n", columns, fmt::join(heads, " & "));
    for (const auto& row : table.rows) {
        std::vector<std::string> cells;
        for (const TableCell& cell : row)
            cells.push_back(latexCell(plainCell(cell, 4)));
        text += fmt::format("{} \\\\\n", fmt::join(cells, " & "));
    }
    return text + "\\bottomrule\n\\end{tabular}\n";
}

std::string alignedText(const RaceTable& table)
{
    std::vector<std::vector<std::string>> lines{table.heads};
    for (const auto& row : table.rows) {
        lines.emplace_back();
        for (const TableCell& cell : row)
            lines.back().push_back(plainCell(cell, 6));
    }
    std::string text;
    for (const auto& line : lines) {
        std::string joined;
        for (std::size_t column = 0; column < line.size(); ++column) {
            std::size_t width = 0;
            for (const auto& other : lines)
                width = std::max(width, other[column].size());
            joined += fmt::format("{}{:<{}}", column == 0 ? "" : "  ", line[column], width);
        }
        joined.erase(joined.find_last_not_of(' ') + 1);
        text += joined + '\n';
    }
    return text;
}

Json unknownOr(const std::optional<double>& value)
{
    return value ? Json(*value) : Json();
}

std::string jsonText(const std::vector<RaceRow>& rows)
{
    std::string text;
    for (const RaceRow& row : rows) {
        Json line = raceRowJson(row);
        line.add("kind", "lane");
        text += writeJson(line, 0) + '\n';
    }
    return text;
}

} // namespace

std::optional<RaceTableFormat> raceTableFormat(std::string_view word)
{
    constexpr std::pair<std::string_view, RaceTableFormat> kWords[] = {{"text", RaceTableFormat::Text},
                                                                       {"csv", RaceTableFormat::Csv},
                                                                       {"json", RaceTableFormat::Json},
                                                                       {"markdown", RaceTableFormat::Markdown},
                                                                       {"latex", RaceTableFormat::Latex}};
    for (const auto& [name, format] : kWords)
        if (word == name)
            return format;
    return {};
}

Json raceRowJson(const RaceRow& row)
{
    Json json{JsonObject{}};
    json.add("lane", row.lane);
    json.add("block", row.wish);
    json.add("width", row.width);
    json.add("parameters", row.parameters);
    json.add("FLOPs/token", row.flops);
    json.add("state", row.state);
    json.add("runs", fmt::format("{}/{}", row.done, row.runs));
    json.add("diverged", static_cast<std::int64_t>(row.diverged));
    for (const auto& [name, value] :
         {std::pair("loss", row.loss), std::pair("low", row.low), std::pair("high", row.high),
          std::pair("bits", row.bits), std::pair("best", row.best), std::pair("accuracy", row.accuracy),
          std::pair("tokens/s", row.tokensPerSecond), std::pair("memory", row.memory),
          std::pair("seconds", row.seconds)})
        json.add(name, unknownOr(value));
    json.add("unit", row.lossUnit);
    if (!row.refused.empty())
        json.add("refused", row.refused);
    return json;
}

std::string raceTable(const std::vector<RaceRow>& rows, RaceTableFormat format)
{
    switch (format) {
    case RaceTableFormat::Csv: return csvText(tableOf(rows));
    case RaceTableFormat::Json: return jsonText(rows);
    case RaceTableFormat::Markdown: return markdownText(tableOf(rows));
    case RaceTableFormat::Latex: return latexText(tableOf(rows));
    default: return alignedText(tableOf(rows));
    }
}

std::string raceFootnote(const RaceResults& results)
{
    const Race& race = results.race;
    std::string unit;
    for (const RaceRow& row : raceRows(results))
        if (unit.empty() && !row.lossUnit.empty())
            unit = ", " + row.lossUnit;
    std::string note =
        fmt::format("{} of {}, {}; {} steps of {} tokens, {} seeds. loss: mean over seeds{}; low, high: its 95 % "
                    "bootstrap interval.",
                    race.node, race.experiment, race.match == "none" ? "not matched" : "matched by " + race.match,
                    race.steps, race.tokens, race.seeds.size(), unit);
    if (const std::string frame = frameNote(race); !frame.empty())
        note += fmt::format("\n{}", frame);
    for (const std::string& warning : raceWarnings(race))
        note += fmt::format("\nwarning: {}", warning);
    return note;
}

Json raceEndJson(const RaceResults& results, const std::string& state)
{
    const Race& race = results.race;
    Json seeds{JsonArray{}}, lanes{JsonArray{}};
    for (const std::uint64_t seed : race.seeds)
        seeds.push(std::to_string(seed));
    for (const RaceRow& row : raceRows(results))
        lanes.push(raceRowJson(row));
    Json line{JsonObject{}};
    line.add("kind", "end");
    line.add("state", state);
    line.add("out", std::filesystem::absolute(results.folder).string());
    line.add("experiment", race.experiment);
    line.add("node", race.node);
    line.add("match", race.match);
    line.add("target", race.target);
    line.add("seeds", seeds);
    line.add("left", static_cast<std::int64_t>(results.runCount() - results.doneCount()));
    line.add("lanes", lanes);
    if (const auto sentences = raceWarnings(race); !sentences.empty()) {
        Json warnings{JsonArray{}};
        for (const std::string& sentence : sentences)
            warnings.push(sentence);
        line.add("warnings", warnings);
    }
    return line;
}

Result<void> writeRaceFiles(const RaceResults& results)
{
    const std::vector<RaceRow> rows = raceRows(results);
    for (const auto& [name, text] : {std::pair("table.csv", raceTable(rows, RaceTableFormat::Csv)),
                                     std::pair("table.md", raceTable(rows, RaceTableFormat::Markdown)),
                                     std::pair("table.tex", raceTable(rows, RaceTableFormat::Latex)),
                                     std::pair("curves.csv", raceCurvesCsv(results))})
        if (auto written = format::writeFileAtomically(results.folder / name, text); !written)
            return written;
    return {};
}

std::string raceCurvesCsv(const RaceResults& results)
{
    struct Measured {
        std::vector<double> validation, accuracy, train, seconds;
    };
    const auto mean = [](const std::vector<double>& values) { return values.empty() ? "" : csvCell(meanOf(values)); };
    std::string text = "lane,step,tokens,seeds,val/loss,low,high,seconds,FLOP,val/acc,train/loss\n";
    for (const RaceLaneResults& lane : results.lanes) {
        std::map<std::pair<std::int64_t, std::int64_t>, Measured> at;
        for (const RaceRun& run : lane.runs)
            for (const RaceSample& sample : run.samples) {
                if (!std::isfinite(sample.validation))
                    continue;
                Measured& here = at[{sample.step, sample.tokens}];
                here.validation.push_back(sample.validation);
                here.seconds.push_back(sample.seconds);
                if (std::isfinite(sample.accuracy))
                    here.accuracy.push_back(sample.accuracy);
                if (std::isfinite(sample.train))
                    here.train.push_back(sample.train);
            }
        for (const auto& [place, values] : at) {
            const bool several = values.validation.size() > 1;
            const Interval interval = several ? bootstrapInterval(values.validation) : Interval{};
            text += fmt::format("{},{},{},{},{},{},{},{},{:.0f},{},{}\n", lane.lane.name, place.first, place.second,
                                values.validation.size(), mean(values.validation), several ? csvCell(interval.low) : "",
                                several ? csvCell(interval.high) : "", mean(values.seconds),
                                static_cast<double>(place.second) * lane.lane.flops, mean(values.accuracy),
                                mean(values.train));
        }
    }
    return text;
}

} // namespace unroll
