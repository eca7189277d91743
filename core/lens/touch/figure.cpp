// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/touch/touch.h"

#include "core/base/signed_number.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace unroll {

namespace {

std::vector<double> stepNumbers(std::size_t count)
{
    std::vector<double> numbers;
    for (std::size_t i = 0; i < count; ++i)
        numbers.push_back(static_cast<double>(i));
    return numbers;
}

FigureSeries line(const std::string& name, const std::vector<double>& values, bool dim)
{
    return {.name = name, .kind = FigureSeries::Kind::Line, .x = stepNumbers(values.size()), .y = values, .dim = dim};
}

FigurePanel stepPanel(const TouchData& data, const std::string& id, const std::string& title, const std::string& unit)
{
    FigurePanel panel{.id = id, .title = title};
    panel.x = {.title = "step", .low = {}, .high = {}, .log = false, .steps = true, .labels = data.characters};
    panel.y.title = unit;
    return panel;
}

std::string placeOf(const TouchData& data, std::int64_t step)
{
    const auto index = static_cast<std::size_t>(step);
    return index < data.characters.size() ? fmt::format("step {} (\"{}\")", step + 1, data.characters[index])
                                          : fmt::format("step {}", step + 1);
}

void addPanels(const TouchData& data, Figure& figure)
{
    FigurePanel loss = stepPanel(data, "loss_by_step", "Loss at each step", data.lossUnit);
    loss.series = {line("untouched", data.before, true), line("touched", data.after, false)};
    loss.rules.push_back({true, static_cast<double>(data.step), "step listed"});
    figure.panels.push_back(std::move(loss));
    if (!data.divergence.empty()) {
        FigurePanel change =
            stepPanel(data, "change_by_step", "How far the prediction changes at each step", "KL divergence, nats");
        change.y.low = 0;
        if (data.firstChanged < 0) // zeros have no scale of their own
            change.y.high = 1;
        change.series = {line("KL(untouched || touched)", data.divergence, false)};
        figure.panels.push_back(std::move(change));
    }
    for (std::size_t i = 0; i < data.columns.size(); ++i) {
        const TouchedColumn& column = data.columns[i];
        FigurePanel told =
            stepPanel(data, fmt::format("prediction_{}", i), "Prediction of " + column.column, column.column);
        told.series = {line("actual", column.right, true), line("untouched", column.before, true),
                       line("touched", column.after, false)};
        figure.panels.push_back(std::move(told));
    }
}

/// Two digits, of 100 and more all before the point.
std::string differenceText(double difference)
{
    const double size = std::abs(difference);
    return size >= 99.5 && size < 1e6 ? fmt::format("{:+.0f}", difference) : signedNumber(difference, 2);
}

/// Four digits behind the point, of huge ones four in all.
std::string lossText(double loss)
{
    return std::abs(loss) < 1e6 ? fixedNumber(loss, 4) : fmt::format("{:.4g}", loss);
}

void addTables(const TouchData& data, Figure& figure)
{
    if (!data.chances.empty()) {
        FigureTable table{.id = "likeliest",
                          .title = "Likeliest answers at " + placeOf(data, data.step),
                          .columns = {"answer", "untouched", "touched", "difference"},
                          .rows = {}};
        for (const TouchedChance& chance : data.chances)
            table.rows.push_back(
                {.cells = {chance.label, fmt::format("{:.3f}", chance.before), fmt::format("{:.3f}", chance.after),
                           differenceText(chance.after - chance.before)},
                 .step = data.step});
        figure.tables.push_back(std::move(table));
    }
    if (!data.writtenBefore.empty() || !data.writtenAfter.empty())
        figure.tables.push_back(
            {.id = "written",
             .title = "Written after the reading, the likeliest token each time",
             .columns = {"", "text"},
             .rows = {{.cells = {"untouched", data.writtenBefore}}, {.cells = {"touched", data.writtenAfter}}}});
}

std::string lossSentence(const TouchData& data)
{
    const double difference = data.meanAfter - data.meanBefore;
    if (data.asking == 0)
        return "This reading has no targets, so there is no loss.";
    if (!std::isfinite(difference))
        return fmt::format("The loss is not finite: {:.4g} untouched, {:.4g} touched.", data.meanBefore,
                           data.meanAfter);
    const std::string before = lossText(data.meanBefore), after = lossText(data.meanAfter);
    const std::string course = before == after
                                   ? "stays at " + after
                                   : fmt::format("{} from {} to {}", difference > 0 ? "rises" : "falls", before, after);
    return fmt::format("The mean loss over {} step{} {} {} ({}; {} in all).", data.asking, data.asking == 1 ? "" : "s",
                       course, data.lossUnit, differenceText(difference),
                       differenceText(difference * static_cast<double>(data.asking)));
}

std::string answerSentence(const TouchData& data)
{
    const auto by = [](auto side) {
        return [side](const TouchedChance& a, const TouchedChance& b) { return a.*side < b.*side; };
    };
    const auto before = std::max_element(data.chances.begin(), data.chances.end(), by(&TouchedChance::before));
    const auto after = std::max_element(data.chances.begin(), data.chances.end(), by(&TouchedChance::after));
    const std::string place = placeOf(data, data.step);
    if (before == after)
        return fmt::format("At {} the likeliest answer stays \"{}\" ({:.2f}, touched {:.2f}).", place, before->label,
                           before->before, before->after);
    return fmt::format(
        "At {} the likeliest answer changes from \"{}\" ({:.2f}, touched {:.2f}) to \"{}\" ({:.2f}, untouched "
        "{:.2f}).",
        place, before->label, before->before, before->after, after->label, after->after, after->before);
}

void addFindings(const TouchData& data, Figure& figure)
{
    if (data.edits.empty())
        figure.findings.push_back("Nothing is changed: write an edit, such as lstm.h[3] = 0 from 40.");
    else if (data.firstChanged < 0)
        figure.findings.push_back("No prediction of this reading changes.");
    else {
        figure.findings.push_back(lossSentence(data));
        figure.findings.push_back("The first prediction to change is that at " + placeOf(data, data.firstChanged) +
                                  ".");
        if (!data.chances.empty())
            figure.findings.push_back(answerSentence(data));
    }
    if (!data.edits.empty() && !data.writtenBefore.empty())
        figure.findings.push_back(data.writtenBefore == data.writtenAfter ? "What it writes afterwards stays the same."
                                                                          : "It writes another text afterwards.");
    figure.findings.insert(figure.findings.end(), data.notes.begin(), data.notes.end());
}

} // namespace

Figure TouchData::figure() const
{
    Figure figure;
    figure.shows =
        fmt::format("Loss and predictions over {} step{} of {}, untouched and with {}; where the lines differ, the "
                    "edit has an effect.",
                    steps, steps == 1 ? "" : "s", of.empty() ? "the reading" : of, edits.empty() ? "no edit" : edits);
    addFindings(*this, figure);
    addPanels(*this, figure);
    addTables(*this, figure);
    figure.arrays.push_back({"mean_loss", {2}, {meanBefore, meanAfter}});
    figure.missing = missing;
    return figure;
}

} // namespace unroll
