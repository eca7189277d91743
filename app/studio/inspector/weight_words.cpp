// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/weight_words.h"

#include "app/studio/inspector/number_field.h"

#include <QCoreApplication>
#include <QStringList>

namespace unroll {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("WeightWords", text);
}

QString decayWords(const std::optional<bool>& decay)
{
    if (!decay)
        return tr("weight decay where it has two or more dimensions");
    return *decay ? tr("weight decay") : tr("no weight decay");
}

QString ruleWords(const WeightRule& rule)
{
    QStringList words{decayWords(rule.decay)};
    if (rule.learningRateScale != 1)
        words << tr("learning rate × %1").arg(NumberField::textOf(rule.learningRateScale));
    if (!rule.clipGroup.empty())
        words << tr("gradient clipped with the group %1").arg(QString::fromStdString(rule.clipGroup));
    return tr("%1: %2.").arg(QString::fromStdString(rule.name), words.join(", "));
}

} // namespace

QString weightWords(const BlockSpec& spec)
{
    QStringList lines;
    for (const WeightRule& rule : spec.weightRules)
        lines << ruleWords(rule);
    lines << (lines.isEmpty() ? tr("Weight decay where they have two or more dimensions; learning rate and clipping "
                                   "as in Training.")
                              : tr("Others: weight decay where they have two or more dimensions; learning rate and "
                                   "clipping as in Training."));
    return lines.join('\n');
}

} // namespace unroll
