// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/spec_text.h"

#include "app/studio/theme/number_text.h"
#include "app/studio/theme/translated.h"

#include <QStringList>
#include <cmath>

namespace unroll {

namespace {

QString withUnit(const QString& words, const ParamSpec& spec)
{
    return spec.unit.empty() ? words : words + ' ' + QString::fromStdString(spec.unit);
}

QString boundText(double bound)
{
    constexpr double exact = 1e15;
    if (std::floor(bound) == bound && std::abs(bound) < exact)
        return countText(static_cast<std::int64_t>(bound));
    return exactText(bound);
}

QString either(QStringList words)
{
    const QString last = words.takeLast();
    return words.isEmpty() ? last : tr("%1 or %2").arg(words.join(", "), last);
}

QString choiceText(const std::vector<ChoiceSpec>& choices)
{
    QStringList words;
    for (const ChoiceSpec& choice : choices)
        words << QString::fromStdString(choice.value);
    return either(words);
}

} // namespace

QString paramRangeText(const ParamSpec& spec)
{
    if (!spec.choices.empty())
        return choiceText(spec.choices);
    if (spec.minimum && spec.maximum)
        return withUnit(tr("%1 to %2").arg(boundText(*spec.minimum), boundText(*spec.maximum)), spec);
    if (spec.minimum)
        return withUnit(tr("at least %1").arg(boundText(*spec.minimum)), spec);
    if (spec.maximum)
        return withUnit(tr("at most %1").arg(boundText(*spec.maximum)), spec);
    return {};
}

QString paramDefaultText(const ParamSpec& spec)
{
    return withUnit(paramValueText(spec.defaultValue), spec);
}

QString paramConditionText(const ParamSpec& spec)
{
    QStringList conditions;
    for (const Condition& condition : spec.when) {
        QStringList choices;
        for (const std::string& choice : condition.choices)
            choices << (choice == "true" ? tr("on") : choice == "false" ? tr("off") : QString::fromStdString(choice));
        conditions << nameText(condition.param) + ' ' + either(choices);
    }
    return conditions.isEmpty() ? QString() : tr("Applies with %1").arg(either(conditions));
}

QString paramHelp(const ParamSpec& spec)
{
    QStringList lines{QString::fromStdString(spec.help)};
    if (const QString range = paramRangeText(spec); !range.isEmpty())
        lines << (spec.choices.empty() ? tr("Range: %1") : tr("Choices: %1")).arg(range);
    lines << tr("Default: %1").arg(paramDefaultText(spec));
    if (const QString condition = paramConditionText(spec); !condition.isEmpty())
        lines << condition;
    return lines.join('\n');
}

QString choiceHelp(const ParamSpec& spec, const ParamValue& value)
{
    const auto* text = std::get_if<std::string>(&value);
    const ChoiceSpec* choice = text != nullptr ? spec.choice(*text) : nullptr;
    return choice != nullptr ? QString::fromStdString(choice->explanation) : QString();
}

QString optionsMarkdown(const std::vector<ParamSpec>& params)
{
    QStringList lines;
    for (const ParamSpec& param : params) {
        if (param.choices.empty())
            continue;
        lines << QStringLiteral("- **%1**: %2").arg(nameText(param.name), QString::fromStdString(param.help));
        for (const ChoiceSpec& choice : param.choices)
            lines << QStringLiteral("    - `%1`: %2")
                         .arg(QString::fromStdString(choice.value), QString::fromStdString(choice.explanation));
    }
    return lines.join('\n');
}

} // namespace unroll
