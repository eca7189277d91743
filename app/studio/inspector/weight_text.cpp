// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/weight_text.h"

#include "app/studio/theme/metrics.h"
#include "app/studio/theme/translated.h"

#include <QStringList>

namespace unroll {

namespace {

QString escaped(const std::string& text)
{
    return QString::fromStdString(text).toHtmlEscaped();
}

/// Never broken within brackets.
QString weightShapeText(const WeightSpec& weight, bool known)
{
    const QString symbols = escaped(weight.symbols()).replace(' ', QChar::Nbsp);
    const QString sizes = escaped(weight.sizesText()).replace(' ', QChar::Nbsp);
    return known ? tr("%1 = %2").arg(symbols, sizes) : symbols;
}

QString beginningText(const WeightSpec& weight, bool known)
{
    const QString words = tr("Initial value: %1").arg(escaped(weight.initialText(known)));
    return weight.source.empty() ? words : tr("%1 (%2)").arg(words, escaped(weight.source));
}

/// "Weight decay, learning rate × 0.1".
QString trainedText(const WeightSpec& weight)
{
    QString words = escaped(weight.trainingText());
    words[0] = words[0].toUpper();
    return words;
}

} // namespace

QString weightsText(const std::vector<WeightSpec>& weights, const QColor& dim)
{
    const bool known = sizesAreKnown(weights);
    QStringList rows;
    for (const WeightSpec& weight : weights)
        rows << QStringLiteral("<p style='margin:0 0 %1px 0'>%2 %3<br><span style='color:%4'>%5. %6.</span></p>")
                    .arg(space::s)
                    .arg(escaped(weight.name), weightShapeText(weight, known), dim.name(), beginningText(weight, known),
                         trainedText(weight));
    return rows.join(QString());
}

} // namespace unroll
