// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/answers/likely_bars.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>

namespace unroll {

namespace {

constexpr double kMostLabel = 120; ///< px

} // namespace

LikelyBars::LikelyBars(const Appearance& appearance, QWidget* parent) : QWidget(parent), m_appearance(appearance)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Likeliest"));
    connect(&appearance, &Appearance::changed, this, [this] {
        updateGeometry();
        update();
    });
}

double LikelyBars::rowHeight() const
{
    return QFontMetricsF(m_appearance.font(Type::Mono)).height() + 4;
}

QSize LikelyBars::sizeHint() const
{
    return {300, static_cast<int>(kRows * rowHeight()) + 2};
}

void LikelyBars::setAnswer(const StepAnswer& answer)
{
    m_answer = answer;
    QStringList words;
    for (const ClassChance& each : answer.likeliest)
        words << tr("%1: %2").arg(QString::fromStdString(each.label)).arg(each.probability, 0, 'g', 3);
    setAccessibleDescription(words.join(", "));
    update();
}

void LikelyBars::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = m_appearance.theme();
    const QFontMetricsF mono(m_appearance.font(Type::Mono)), text(m_appearance.font(Type::Caption));
    double label = 2 * mono.horizontalAdvance('m');
    for (const ClassChance& each : m_answer.likeliest)
        label = std::max(label, std::min(kMostLabel, mono.horizontalAdvance(QString::fromStdString(each.label))));
    const double numbers = text.horizontalAdvance(QStringLiteral("0.0000")) + space::s;
    const QRectF bars(label + space::s, 0, std::max(8.0, width() - label - space::s - numbers), height());
    double top = 1;
    for (const ClassChance& each : m_answer.likeliest) {
        const bool came = each.label == m_answer.came;
        const QString name = mono.elidedText(QString::fromStdString(each.label), Qt::ElideRight, label);
        painter.setFont(m_appearance.font(Type::Mono));
        painter.setPen(theme[Theme::Role::Text]);
        painter.drawText(QRectF(0, top, label, rowHeight()), Qt::AlignRight | Qt::AlignVCenter, name);
        const QRectF rail(bars.left(), top + 2, bars.width(), rowHeight() - 4);
        painter.fillRect(rail, theme[Theme::Role::Field]);
        const double share = std::clamp(each.probability, 0.0, 1.0);
        const QRectF bar(rail.left(), rail.top(), std::max(1.0, share * rail.width()), rail.height());
        painter.fillRect(bar, theme[came ? Theme::Role::ChartValidation : Theme::Role::ChartTrain]);
        painter.setFont(m_appearance.font(Type::Caption));
        painter.setPen(theme[came ? Theme::Role::Text : Theme::Role::TextDim]);
        painter.drawText(QRectF(bars.right() + space::xs, top, numbers, rowHeight()), Qt::AlignLeft | Qt::AlignVCenter,
                         QString::number(each.probability, 'f', 3));
        if (came) { // by shape too: colours alone tell nothing to some
            painter.setPen(QPen(theme[Theme::Role::Text], 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(rail.adjusted(0.5, 0.5, -0.5, -0.5));
        }
        top += rowHeight();
    }
}

} // namespace unroll
