// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/cost_text.h"

#include "app/studio/theme/number_text.h"
#include "app/studio/theme/translated.h"

namespace unroll {

namespace {

/// "38 %"; empty where there is nothing to share.
QString shareText(double part, double whole)
{
    if (part <= 0 || whole <= 0)
        return {};
    const double percent = 100 * part / whole;
    return (percent < 1 ? tr("under 1 %") : tr("%1 %").arg(qRound(percent))).replace(' ', QChar::Nbsp);
}

QString withShare(const QString& words, const QString& share)
{
    return share.isEmpty() ? words : tr("%1 (%2)").arg(words, share);
}

QString flopsText(double flops, double whole)
{
    return withShare(tr("%1 FLOP/token").arg(scaledText(flops)), shareText(flops, whole));
}

QString parametersText(std::int64_t count, std::int64_t whole)
{
    const QString share = shareText(static_cast<double>(count), static_cast<double>(whole));
    return withShare(countText(count), share.isEmpty() ? share : tr("%1 of all").arg(share));
}

} // namespace

QList<std::pair<QString, QString>> costRows(const Cost& node, const Cost& whole)
{
    const QString bytes = tr("%1 per token").arg(bytesText(node.activationBytes));
    return {{tr("parameters"), parametersText(node.parameters, whole.parameters)},
            {tr("forward"), flopsText(node.forwardFlops, whole.forwardFlops)},
            {tr("backward"), flopsText(node.backwardFlops, whole.backwardFlops)},
            {tr("activations"), withShare(bytes, shareText(node.activationBytes, whole.activationBytes))}};
}

} // namespace unroll
