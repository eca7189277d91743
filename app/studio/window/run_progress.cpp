// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/run_progress.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/number_text.h"

#include <QPainter>
#include <algorithm>
#include <iterator>

namespace unroll {

namespace {

/// The widest words each place must hold; that of the steps is as wide as those of the run ask.
constexpr const char* kWidest[] = {"Interrupted", "000,000 / 000,000", "000.0 k tokens/s", "00 min 00 s left",
                                   "cpu, 000 threads"};

constexpr std::size_t kLinesShown = 12; ///< of the log, the newest

/// A line each: what the run is on, where it is written, what was noted. Empty before the first run.
QString detailsOf(const Snapshot& snapshot)
{
    QStringList lines;
    if (!snapshot.device.empty())
        lines << RunProgress::tr("Device: %1").arg(QString::fromStdString(snapshot.device));
    if (!snapshot.runFolder.empty())
        lines << RunProgress::tr("Run folder: %1").arg(QString::fromStdString(snapshot.runFolder));
    const std::size_t count = snapshot.log.size();
    for (std::size_t i = count - std::min(count, kLinesShown); i < count; ++i)
        lines << QString::fromStdString(snapshot.log[i]);
    return lines.join('\n');
}

} // namespace

RunProgress::RunProgress(const Appearance& appearance, QWidget* parent) : QWidget(parent), m_appearance(appearance)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    show(Snapshot{}, 0);
}

void RunProgress::show(const Snapshot& snapshot, std::int64_t stepsPlanned)
{
    m_state = snapshot.state;
    const std::int64_t steps = snapshot.steps > 0 ? snapshot.steps : stepsPlanned;
    switch (m_state) {
    case RunState::Idle: m_stateWord = tr("Ready"); break;
    case RunState::Building: m_stateWord = tr("Starting"); break;
    case RunState::Running: m_stateWord = tr("Running"); break;
    case RunState::Paused: m_stateWord = tr("Paused"); break;
    case RunState::Finished: m_stateWord = tr("Finished"); break;
    case RunState::Stopped: m_stateWord = tr("Stopped"); break;
    case RunState::Failed: m_stateWord = tr("Failed"); break;
    case RunState::Interrupted: m_stateWord = tr("Interrupted"); break;
    case RunState::Unknown: break; // of folders alone
    }
    m_steps = tr("%1 / %2").arg(countText(snapshot.step), countText(steps));
    m_allSteps = tr("%1 / %2").arg(countText(steps), countText(steps));
    const bool moving = m_state == RunState::Running && snapshot.tokensPerSecond > 0;
    m_speed = moving ? tr("%1 tokens/s").arg(scaledText(snapshot.tokensPerSecond)) : QString();
    m_left = moving && snapshot.secondsLeft > 0 ? tr("%1 left").arg(durationText(snapshot.secondsLeft)) : QString();
    m_share = steps > 0 ? std::clamp(static_cast<double>(snapshot.step) / static_cast<double>(steps), 0.0, 1.0) : 0;
    m_device = QString::fromStdString(snapshot.device);
    setAccessibleName(shownText());
    if (const QString details = detailsOf(snapshot); details != accessibleDescription()) {
        setAccessibleDescription(details);
        setToolTip(details.isEmpty()
                       ? QString()
                       : QStringLiteral("<p style='white-space:pre-wrap'>%1</p>").arg(details.toHtmlEscaped()));
    }
    update();
}

QString RunProgress::shownText() const
{
    QStringList parts{m_stateWord, tr("step %1").arg(m_steps)};
    for (const QString& part : {m_speed, m_left})
        if (!part.isEmpty())
            parts << part;
    if (!m_device.isEmpty())
        parts << tr("on %1").arg(m_device);
    return parts.join(QStringLiteral(", "));
}

QSize RunProgress::sizeHint() const
{
    const QFontMetrics text(m_appearance.font(Type::Body));
    int width = space::l;
    for (const char* words : kWidest)
        width += text.horizontalAdvance(QString::fromLatin1(words)) + space::xl;
    return {width, text.height() + 14};
}

QColor RunProgress::stateColor() const
{
    const Theme& theme = m_appearance.theme();
    switch (m_state) {
    case RunState::Running: return theme[Theme::Role::Good];
    case RunState::Building:
    case RunState::Paused: return theme[Theme::Role::Warning];
    case RunState::Finished: return theme[Theme::Role::Accent];
    case RunState::Failed: return theme[Theme::Role::Error];
    case RunState::Interrupted: return theme[Theme::Role::Warning];
    case RunState::Idle:
    case RunState::Stopped:
    case RunState::Unknown: break;
    }
    return theme[Theme::Role::TextDim];
}

void RunProgress::paintEvent(QPaintEvent*)
{
    const Theme& theme = m_appearance.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(m_appearance.font(Type::Body));
    const double middle = height() / 2.0;
    painter.setPen(Qt::NoPen);
    painter.setBrush(stateColor());
    painter.drawEllipse(QPointF(space::s, middle), 4, 4);
    double x = space::l + space::xs;
    const QString* places[] = {&m_stateWord, &m_steps, &m_speed, &m_left, &m_device};
    for (std::size_t i = 0; i < std::size(places); ++i) {
        if (places[i]->isEmpty())
            continue;
        const QFontMetrics text = painter.fontMetrics();
        int width = text.horizontalAdvance(QString::fromLatin1(kWidest[i]));
        if (places[i] == &m_steps)
            width = std::max(width, text.horizontalAdvance(m_allSteps));
        painter.setPen(theme[i < 2 ? Theme::Role::Text : Theme::Role::TextDim]);
        if (x + width <= this->width())
            painter.drawText(QRectF(x, 0, width + space::s, height()), Qt::AlignLeft | Qt::AlignVCenter, *places[i]);
        x += width + space::l;
    }
    painter.setPen(Qt::NoPen);
    const QRectF line(space::xs, height() - 4, width() - 2 * space::xs, 3);
    painter.setBrush(theme[Theme::Role::Pressed]);
    painter.drawRoundedRect(line, 1.5, 1.5);
    if (m_share <= 0)
        return;
    painter.setBrush(theme[Theme::Role::Accent]);
    painter.drawRoundedRect(QRectF(line.left(), line.top(), std::max(3.0, line.width() * m_share), 3), 1.5, 1.5);
}

} // namespace unroll
