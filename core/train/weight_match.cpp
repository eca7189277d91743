// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/weight_match.h"

#include "core/base/number_text.h"
#include "core/train/weight_names.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/tensor.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

namespace unroll {
namespace {

using Of = IndexRun::Of;

/// What numbers of this type in a file say, where a weight of `wanted` is looked for; empty: just those.
std::string typeFault(at::ScalarType found, at::ScalarType wanted)
{
    const bool same = at::isFloatingType(found) == at::isFloatingType(wanted) &&
                      (found == at::kBool) == (wanted == at::kBool) && !at::isComplexType(found);
    if (same)
        return {};
    return fmt::format("its type is {}, expected {}", typeName(found), typeName(wanted));
}

/// Whether a tensor's numbers are all within another type. What was NaN before is: a run that begins with it says so,
/// with the weight's name.
bool staysWhole(const at::Tensor& found, at::ScalarType type)
{
    const at::Tensor made = found.to(type);
    return found.is_floating_point() ? at::isfinite(made).equal(at::isfinite(found))
                                     : made.to(found.scalar_type()).equal(found);
}

constexpr const char* kQuantised = "quantised with unknown scale";

const char* entriesOf(std::size_t dimensions, std::size_t dimension)
{
    if (dimensions == 1)
        return "values";
    return dimension == 0 ? "rows" : dimension + 1 == dimensions ? "columns" : "slices";
}

void addPlain(std::int64_t count, std::vector<std::int64_t>& list, std::int64_t from)
{
    for (std::int64_t i = 0; i < count; ++i)
        list.push_back(from + i);
}

} // namespace

std::vector<WantedTensor> wantedOf(const std::vector<Weight>& weights)
{
    std::vector<WantedTensor> wanted;
    for (const Weight& weight : weights)
        wanted.push_back({weight.name, weight.tensor, weight.form, weight.meaning});
    return wanted;
}

std::vector<WantedTensor> wantedOf(const NamedTensors& tensors)
{
    std::vector<WantedTensor> wanted;
    for (const auto& [name, tensor] : tensors)
        wanted.push_back({name, tensor});
    return wanted;
}

WeightMatch::WeightMatch(const TensorFile& file, const std::vector<WantedTensor>& wanted, const MatchRules& rules)
    : m_wanted(wanted),
      m_rules(rules),
      m_there(legendFrom(file.metadata)),
      m_bySymbol(rules.legend.said() && m_there.said() && !(rules.legend == m_there))
{
    compareColumns();
    FoundNames found = findNames(file, wanted, rules);
    m_names = std::move(found.names);
    m_report.notes.insert(m_report.notes.end(), found.notes.begin(), found.notes.end());
    for (const WantedTensor& each : wanted)
        look(file, each);
    std::set<std::string> used;
    for (const auto& [here, there] : m_names)
        used.insert(there);
    list(file);
    const auto noteUnknown = [&](const auto& named) {
        for (const auto& [name, value] : named)
            if (used.count(name) == 0)
                m_report.unexpected.push_back(name);
    };
    noteUnknown(file.tensors);
    noteUnknown(file.unread);
    noteLegend();
}

/// Columns that are called otherwise on both sides, none the same, are taken one for another where there are as many:
/// one series mostly stands for another.
void WeightMatch::compareColumns()
{
    const auto compare = [&](const std::vector<std::string>& here, std::vector<std::string>& there, const char* whose) {
        const bool shared = std::any_of(here.begin(), here.end(), [&](const std::string& name) {
            return std::find(there.begin(), there.end(), name) != there.end();
        });
        if (shared || here.size() != there.size() || here.empty())
            return;
        m_report.notes.push_back(
            fmt::format("warning: the {} of the {} are named {} and here {}: they are matched by position", whose,
                        m_rules.there, listed(there, kWordsListed), listed(here, kWordsListed)));
        there = here;
    };
    if (!m_bySymbol || !m_rules.legend.numbers || !m_there.numbers)
        return;
    compare(m_rules.legend.read, m_there.read, "columns");
    if (!m_rules.legend.labels && !m_there.labels)
        compare(m_rules.legend.asked, m_there.asked, "target columns");
    m_bySymbol = !(m_rules.legend == m_there);
}

/// Both sides in words, for who has to find out why nothing fits.
void WeightMatch::list(const TensorFile& file)
{
    for (const WantedTensor& each : m_wanted)
        m_report.here.push_back(each.name + " " + shapeText(each.tensor.sizes().vec()));
    for (const auto& [name, tensor] : file.tensors) {
        const bool plain = tensor.scalar_type() == at::kFloat;
        m_report.there.push_back(fmt::format("{} {}{}", name, shapeText(tensor.sizes().vec()),
                                             plain ? "" : fmt::format(" {}", typeName(tensor.scalar_type()))));
    }
    for (const auto& [name, type] : file.unread)
        m_report.there.push_back(fmt::format("{} {}", name, type));
}

/// A type that does not tell values; others that are not of the wanted kind.
bool WeightMatch::refuseType(const TensorFile& file, const std::string& there, const WantedTensor& wanted)
{
    const auto unread = file.unread.find(there);
    const at::ScalarType into = wanted.tensor.scalar_type();
    const bool real = at::isFloatingType(into);
    std::string type;
    if (unread != file.unread.end())
        type = unread->second;
    else if (real && at::isIntegralType(file.tensors.at(there).scalar_type(), /*includeBool=*/true))
        type = typeName(file.tensors.at(there).scalar_type());
    std::string reason;
    if (!type.empty() && real && type != "C64") {
        m_quantised.push_back(fmt::format("{} ({})", there, type));
        reason = fmt::format("stored as {}, {}", type, kQuantised);
    } else if (!type.empty())
        reason = fmt::format("stored as {}, which is not supported", type);
    else if (std::string fault = typeFault(file.tensors.at(there).scalar_type(), into); !fault.empty())
        reason = std::move(fault);
    if (reason.empty())
        return false;
    m_report.mismatched.push_back({wanted.name, {}, wanted.tensor.sizes().vec(), std::move(reason)});
    return true;
}

/// A file that says nothing of the form is taken at the word of whoever chose it.
bool WeightMatch::refuseForm(const TensorFile& file, const std::string& there, const WantedTensor& wanted)
{
    auto found = file.metadata.find(formKey(there));
    if (found == file.metadata.end())
        found = file.metadata.find(formKey(wanted.name));
    if (wanted.form.empty() || found == file.metadata.end() || wanted.form == found->second)
        return false;
    m_report.mismatched.push_back({wanted.name, {}, {}, {}, found->second, wanted.form});
    return true;
}

void WeightMatch::look(const TensorFile& file, const WantedTensor& wanted)
{
    const auto name = m_names.find(wanted.name);
    if (name == m_names.end()) {
        m_report.missing.push_back(wanted.name);
        return;
    }
    if (refuseType(file, name->second, wanted))
        return;
    const at::Tensor& found = file.tensors.at(name->second);
    std::vector<Moves> moves = movesOf(wanted, found);
    const auto refuse = [&](std::string reason) {
        m_report.mismatched.push_back(
            {wanted.name, found.sizes().vec(), wanted.tensor.sizes().vec(), std::move(reason)});
    };
    const bool fits = found.dim() == wanted.tensor.dim() &&
                      std::equal(moves.begin(), moves.end(), found.sizes().begin(),
                                 [](const Moves& each, std::int64_t size) { return each.foundSize == size; });
    if (!fits)
        return refuse({});
    if (refuseForm(file, name->second, wanted))
        return;
    for (std::size_t d = 0; d < moves.size(); ++d) {
        if (moves[d].unclear)
            return refuse(fmt::format("the {} is of other data, and the meaning of its {} is unknown", m_rules.there,
                                      entriesOf(moves.size(), d)));
        if (!moves[d].asTheyLie && moves[d].to.empty())
            return refuse(fmt::format("none of its {} {} is a symbol of the {} too",
                                      wanted.tensor.size(static_cast<std::int64_t>(d)), entriesOf(moves.size(), d),
                                      m_rules.there));
    }
    if (m_rules.foreign && !staysWhole(found, wanted.tensor.scalar_type()))
        return refuse("it contains values too large for " + typeName(wanted.tensor.scalar_type()));
    take(wanted, found, std::move(moves));
}

/// The entries of one run that are in both legends. A run of all symbols here is one of all symbols there.
void WeightMatch::addRun(const IndexRun& run, Moves& moves) const
{
    const bool read = run.of == Of::Read;
    const auto &here = read ? m_rules.legend.read : m_rules.legend.asked, &there = read ? m_there.read : m_there.asked;
    const auto at = static_cast<std::int64_t>(moves.to.size()) + static_cast<std::int64_t>(moves.fresh.size());
    if (here.empty() || there.empty() || run.first + run.count > static_cast<std::int64_t>(here.size())) {
        addPlain(run.count, moves.to, at);
        addPlain(run.count, moves.from, moves.foundSize);
        moves.foundSize += run.count;
        return;
    }
    const bool all = run.first == 0 && run.count == static_cast<std::int64_t>(here.size());
    const std::int64_t count = all ? static_cast<std::int64_t>(there.size()) : run.count;
    const auto first = there.begin() + std::min<std::ptrdiff_t>(run.first, static_cast<std::ptrdiff_t>(there.size()));
    const auto last = first + std::min<std::ptrdiff_t>(count, there.end() - first);
    std::map<std::string_view, std::int64_t> places;
    for (auto symbol = first; symbol != last; ++symbol)
        places.emplace(*symbol, symbol - first);
    for (std::int64_t i = 0; i < run.count; ++i) {
        const std::string& symbol = here[static_cast<std::size_t>(run.first + i)];
        const auto place = m_rules.legend.numbers == m_there.numbers ? places.find(symbol) : places.end();
        if (place == places.end())
            moves.fresh.push_back(symbol);
        else {
            moves.to.push_back(at + i);
            moves.from.push_back(moves.foundSize + place->second);
        }
    }
    moves.foundSize += count;
}

/// Where the numbers go, along every dimension.
std::vector<WeightMatch::Moves> WeightMatch::movesOf(const WantedTensor& wanted, const at::Tensor& found) const
{
    std::vector<Moves> moves;
    for (std::size_t d = 0; d < static_cast<std::size_t>(wanted.tensor.dim()); ++d) {
        const std::int64_t size = wanted.tensor.size(static_cast<std::int64_t>(d));
        Moves each{{}, {}, size, {}};
        const bool named = m_bySymbol && d < wanted.meaning.size() &&
                           std::any_of(wanted.meaning[d].begin(), wanted.meaning[d].end(),
                                       [](const IndexRun& run) { return run.of != Of::Nothing; });
        if (named) {
            each.foundSize = 0;
            for (const IndexRun& run : wanted.meaning[d]) {
                if (run.of == Of::Unclear) { // of another legend, and nobody knows which is which
                    const auto dimension = static_cast<std::int64_t>(d);
                    each = {{}, {}, dimension < found.dim() ? found.size(dimension) : 0, {}, false, true};
                    break;
                }
                if (run.of == Of::Nothing) {
                    addPlain(run.count, each.to,
                             static_cast<std::int64_t>(each.to.size()) + static_cast<std::int64_t>(each.fresh.size()));
                    addPlain(run.count, each.from, each.foundSize);
                    each.foundSize += run.count;
                } else
                    addRun(run, each);
            }
            each.asTheyLie = !each.unclear && each.fresh.empty() && each.foundSize == size && each.to == each.from;
        }
        moves.push_back(std::move(each));
    }
    return moves;
}

void WeightMatch::take(const WantedTensor& wanted, const at::Tensor& found, std::vector<Moves> moves)
{
    SymbolMatch match{wanted.name, {}, 0, 0, {}};
    for (std::size_t d = 0; d < moves.size(); ++d) {
        if (moves[d].asTheyLie)
            continue;
        match.entries += (match.entries.empty() ? "" : " and ") + std::string(entriesOf(moves.size(), d));
        match.taken += static_cast<std::int64_t>(moves[d].to.size());
        match.all += wanted.tensor.size(static_cast<std::int64_t>(d));
        for (const std::string& symbol : moves[d].fresh)
            if (std::find(match.fresh.begin(), match.fresh.end(), symbol) == match.fresh.end())
                match.fresh.push_back(symbol);
    }
    if (match.entries.empty())
        m_report.loaded.push_back(wanted.name);
    else
        m_report.bySymbol.push_back(std::move(match));
    m_takes.push_back({wanted.tensor, found, std::move(moves)});
}

/// What of the legends is to be known beside the weights.
void WeightMatch::noteLegend()
{
    const bool columns = m_rules.legend.numbers;
    std::vector<std::string> indexed;
    for (const WantedTensor& each : m_wanted)
        if (!each.meaning.empty() &&
            std::find(m_report.loaded.begin(), m_report.loaded.end(), each.name) != m_report.loaded.end())
            indexed.push_back(each.name);
    if (m_rules.legend.said() && !m_there.said() && !indexed.empty())
        m_report.notes.push_back(fmt::format("warning: the {} does not record {} of its data, so {} {} matched by "
                                             "position: correct only if {} the same here",
                                             m_rules.there, columns ? "the columns" : "the alphabet",
                                             listed(indexed, kWordsListed), indexed.size() == 1 ? "is" : "are",
                                             columns ? "they are" : "it is"));
    if (m_bySymbol)
        m_report.notes.push_back(fmt::format("the {} is of data with {}: weights are matched by {}", m_rules.there,
                                             columns ? "other columns" : "another alphabet",
                                             columns ? "the columns' names" : "symbol"));
}

void WeightMatch::apply() const
{
    const at::NoGradGuard guard;
    for (const Take& each : m_takes) {
        at::Tensor into = each.into;
        if (std::all_of(each.moves.begin(), each.moves.end(), [](const Moves& m) { return m.asTheyLie; })) {
            into.copy_(each.from);
            continue;
        }
        at::Tensor part = each.from.to(into.device(), into.scalar_type());
        at::Tensor whole = into;
        std::vector<at::Tensor> places;
        for (std::size_t d = 0; d < each.moves.size(); ++d) {
            const Moves& moves = each.moves[d];
            const auto dimension = static_cast<std::int64_t>(d);
            const auto options = at::TensorOptions().dtype(at::kLong);
            const at::Tensor to =
                moves.asTheyLie ? at::arange(into.size(dimension), options) : at::tensor(moves.to, options);
            if (!moves.asTheyLie)
                part = part.index_select(dimension, at::tensor(moves.from, options).to(into.device()));
            std::vector<std::int64_t> shape(each.moves.size(), 1);
            shape[d] = to.numel();
            places.push_back(to.view(shape).to(into.device()));
        }
        c10::List<std::optional<at::Tensor>> indices;
        for (const at::Tensor& place : places)
            indices.push_back(place);
        whole.index_put_(indices, part);
    }
}

} // namespace unroll
