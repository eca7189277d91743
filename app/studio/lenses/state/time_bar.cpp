// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/time_bar.h"

#include "app/studio/theme/metrics.h"
#include "app/studio/theme/number_text.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <algorithm>

namespace unroll {

TimeBar::TimeBar(QWidget* parent)
    : QWidget(parent), m_follow(new QToolButton), m_looks(new QSlider(Qt::Horizontal)), m_words(new QLabel)
{
    m_follow->setText(tr("live"));
    m_follow->setCheckable(true);
    m_follow->setChecked(true);
    m_follow->setObjectName("toggle");
    m_follow->setAccessibleName(tr("Live: show the newest snapshot"));
    m_follow->setToolTip(tr("Show the newest snapshot during training; when off, the one shown now stays"));
    m_looks->setAccessibleName(tr("Training time"));
    m_looks->setToolTip(tr("Scroll through the snapshots of this run; the one chosen stays"));
    m_looks->setRange(0, 0);
    m_words->setProperty("tone", "dim");
    // Steps count up all the time: their room does not change.
    m_words->setMinimumWidth(m_words->fontMetrics().horizontalAdvance(tr("step %1, held").arg(countText(100000))));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::s);
    row->addWidget(m_follow);
    row->addWidget(m_looks, 1);
    row->addWidget(m_words);
    connect(m_follow, &QToolButton::toggled, this, [this](bool follows) {
        showStep();
        Q_EMIT followingChanged(follows);
    });
    connect(m_looks, &QSlider::valueChanged, this,
            [this](int value) { Q_EMIT lookChosen(static_cast<std::size_t>(value)); });
}

void TimeBar::setLooks(std::size_t kept, std::size_t index, std::int64_t step)
{
    const QSignalBlocker quiet(m_looks); // the slider follows, nobody moved it
    m_looks->setRange(0, std::max(0, static_cast<int>(kept) - 1));
    m_looks->setValue(static_cast<int>(index));
    m_looks->setEnabled(kept > 1);
    m_step = step;
    showStep();
}

void TimeBar::showStep()
{
    const QString step = countText(m_step);
    m_words->setText(isFollowing() ? tr("step %1").arg(step) : tr("step %1, held").arg(step));
    m_looks->setAccessibleDescription(m_words->text());
}

} // namespace unroll
