// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/curves/curve_reasons.h"

#include "app/studio/theme/translated.h"

#include <QStringList>

namespace unroll {

namespace {

/// The first run that can ends the search; else the reason of the first.
template <class Reason>
QString ofNone(const ShownRun& run, std::span<const ShownRun> others, const Reason& reason)
{
    QString first;
    const auto can = [&](const ShownRun& one) {
        if (one.curves.empty())
            return false;
        const QString why = reason(one);
        if (first.isEmpty())
            first = why;
        return why.isEmpty();
    };
    if (can(run))
        return {};
    for (const ShownRun& other : others)
        if (can(other))
            return {};
    return first;
}

} // namespace

/// Runs of earlier versions do not say what their loss is of; they have perplexities among their figures only where it
/// is of classes.
QString whyNotShown(const ShownRun& run, const CurveChoice& choice)
{
    using Scale = CurveChoice::Scale;
    const RunMeasures& is = run.measures;
    if (choice.scale == Scale::AsMeasured)
        return {};
    if (!is.isKnown())
        return run.curves.find("val/ppl") != nullptr ? QString() : tr("its loss unit is unknown");
    if (!is.isTokenLoss())
        return tr("its loss is in %1").arg(QString::fromStdString(is.lossUnit));
    if (choice.scale == Scale::Bits && is.token.empty())
        return tr("its tokens are not characters");
    return {};
}

QString whyNotOver(const ShownRun& run, XUnit unit)
{
    if (run.curves.clock().has(unit))
        return {};
    if (unit == XUnit::Flops)
        return tr("its FLOPs per token are unknown");
    return run.measures.isKnown() ? tr("its data have no epochs: they are generated endlessly")
                                  : tr("its epoch length is unknown");
}

QString whyLeftOut(const ShownRun& run, const CurveChoice& choice, XUnit unit)
{
    const QString why = whyNotShown(run, choice);
    return why.isEmpty() ? whyNotOver(run, unit) : why;
}

QString whyNoneShown(const ShownRun& run, std::span<const ShownRun> others, const CurveChoice& choice)
{
    return ofNone(run, others, [&](const ShownRun& one) { return whyNotShown(one, choice); });
}

QString whyNoneOver(const ShownRun& run, std::span<const ShownRun> others, XUnit unit)
{
    return ofNone(run, others, [&](const ShownRun& one) { return whyNotOver(one, unit); });
}

std::string lossUnitOf(const ShownRun& run, std::span<const ShownRun> others)
{
    if (run.measures.isKnown())
        return run.measures.lossUnit;
    for (const ShownRun& other : others)
        if (other.measures.isKnown())
            return other.measures.lossUnit;
    return {};
}

QString leftOutText(const ShownRun& run, std::span<const ShownRun> others, const CurveChoice& choice, XUnit unit)
{
    QStringList all;
    const auto add = [&](const ShownRun& one, const QString& name) {
        const QString why = one.curves.empty() ? QString() : whyLeftOut(one, choice, unit);
        if (!why.isEmpty())
            all << tr("%1 (%2)").arg(name, why);
    };
    add(run, tr("this run"));
    for (const ShownRun& other : others)
        add(other, other.name);
    return all.isEmpty() ? QString() : tr("Left out: %1.").arg(all.join(", "));
}

} // namespace unroll
