// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/run/kept_text.h"

#include "app/studio/theme/translated.h"

#include <QStringList>
#include <map>

namespace unroll {

namespace {

constexpr qsizetype kNamed = 4; ///< entries of a list in the sentence

std::string nodeOf(const std::string& weight)
{
    return weight.substr(0, weight.rfind('.'));
}

QString weightShapeText(const std::vector<std::int64_t>& shape)
{
    QStringList sizes;
    for (const std::int64_t size : shape)
        sizes << QString::number(size);
    return sizes.isEmpty() ? tr("one number") : sizes.join(QStringLiteral(" × "));
}

QString changeText(const Misfit& misfit)
{
    if (!misfit.wantedForm.empty())
        return tr("%1 → %2").arg(QString::fromStdString(misfit.foundForm), QString::fromStdString(misfit.wantedForm));
    return misfit.reason.empty() ? tr("%1 → %2").arg(weightShapeText(misfit.found), weightShapeText(misfit.wanted))
                                 : QString::fromStdString(misfit.reason);
}

std::map<std::string, std::size_t> countByNode(const std::vector<std::string>& weights)
{
    std::map<std::string, std::size_t> counts;
    for (const std::string& weight : weights)
        ++counts[nodeOf(weight)];
    return counts;
}

/// Nodes where all their tensors are in the list, else tensors.
QStringList placesOf(const std::vector<std::string>& weights, const std::map<std::string, std::size_t>& all)
{
    const auto here = countByNode(weights);
    QStringList places;
    for (const std::string& weight : weights) {
        const std::string node = nodeOf(weight);
        const QString place = QString::fromStdString(here.at(node) == all.at(node) ? node : weight);
        if (places.isEmpty() || places.back() != place)
            places << place;
    }
    return places;
}

QString listed(const QStringList& entries)
{
    if (entries.size() <= kNamed)
        return entries.join(QStringLiteral(", "));
    return tr("%1 and %2 more").arg(entries.mid(0, kNamed).join(QStringLiteral(", "))).arg(entries.size() - kNamed);
}

void addPart(QStringList& lines, const QString& heading, const QStringList& entries)
{
    if (entries.isEmpty())
        return;
    if (!lines.isEmpty())
        lines << QString();
    lines << heading << entries;
}

QStringList plain(const std::vector<std::string>& weights)
{
    QStringList names;
    for (const std::string& weight : weights)
        names << QString::fromStdString(weight);
    return names;
}

} // namespace

QString keptSentence(const WeightReport& report)
{
    if (report.loaded.size() == report.inModel())
        return tr("Reused all %1 tensors.").arg(report.inModel());
    if (report.taken() == 0)
        return tr("None of the %1 tensors matches by name and shape: all are re-initialised.").arg(report.inModel());
    std::vector<std::string> all = report.loaded;
    for (const SymbolMatch& match : report.bySymbol)
        all.push_back(match.name);
    all.insert(all.end(), report.missing.begin(), report.missing.end());
    QStringList fresh;
    for (const Misfit& misfit : report.mismatched) {
        all.push_back(misfit.name);
        fresh << tr("%1 (%2)").arg(QString::fromStdString(misfit.name), changeText(misfit));
    }
    const auto counts = countByNode(all);
    fresh << placesOf(report.missing, counts);
    QStringList kept;
    for (const SymbolMatch& match : report.bySymbol)
        kept << tr("%1 (%2 by symbol)").arg(QString::fromStdString(match.name), QString::fromStdString(match.counts()));
    kept << placesOf(report.loaded, counts);
    const QString words =
        tr("Reused %1 of %2 tensors: %3.").arg(report.taken()).arg(report.inModel()).arg(listed(kept));
    return fresh.isEmpty() ? words : words + tr(" Re-initialised: %1.").arg(listed(fresh));
}

QString keptDetails(const WeightReport& report)
{
    QStringList fresh;
    for (const Misfit& misfit : report.mismatched)
        fresh << tr("%1: %2").arg(QString::fromStdString(misfit.name), changeText(misfit));
    for (const std::string& weight : report.missing)
        fresh << tr("%1: not in the run or file it starts from").arg(QString::fromStdString(weight));
    QStringList lines;
    addPart(lines, tr("Notes"), plain(report.notes));
    QStringList matched;
    for (const SymbolMatch& match : report.bySymbol)
        matched << QString::fromStdString(match.text());
    addPart(lines, tr("Reused by symbol"), matched);
    addPart(lines, tr("Reused, %1 of %2").arg(report.taken()).arg(report.inModel()), plain(report.loaded));
    addPart(lines, tr("Re-initialised"), fresh);
    addPart(lines, tr("Not in the new model"), plain(report.unexpected));
    return lines.join('\n');
}

} // namespace unroll
