// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/hint.h"

#include "app/studio/theme/metrics.h"

#include <QHBoxLayout>
#include <algorithm>

namespace unroll {

namespace {

constexpr int widest = 420;
constexpr int staysFor = 8000; ///< ms

} // namespace

Hint::Hint(QWidget* parent) : QFrame(parent), m_words(new QLabel), m_button(new QPushButton)
{
    setProperty("fill", "error");
    m_words->setWordWrap(true);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(space::s, space::xs, space::s, space::xs);
    row->setSpacing(space::m);
    row->addWidget(m_words, 1);
    row->addWidget(m_button);
    m_away.setSingleShot(true);
    connect(&m_away, &QTimer::timeout, this, &QWidget::hide);
    connect(m_button, &QPushButton::clicked, this, [this] {
        hide();
        if (const auto mend = std::move(m_mend))
            mend();
    });
    hide();
}

void Hint::showAt(const QPoint& at, const QString& words)
{
    m_button->hide();
    m_away.stop();
    setAttribute(Qt::WA_TransparentForMouseEvents);
    place(at, words);
}

void Hint::offerAt(const QPoint& at, const QString& words, const QString& title, std::function<void()> mend)
{
    m_mend = std::move(mend);
    m_button->setText(title);
    m_button->setVisible(!title.isEmpty());
    setAttribute(Qt::WA_TransparentForMouseEvents, false);
    place(at, words);
    m_away.start(staysFor);
}

/// As wide as the words ask; below and right of the cursor, where there is room.
void Hint::place(const QPoint& at, const QString& words)
{
    m_words->setText(words);
    const int wanted = m_words->fontMetrics().horizontalAdvance(words) + 2;
    m_words->setFixedWidth(std::min(wanted, widest));
    m_words->setFixedHeight(m_words->heightForWidth(m_words->width()));
    adjustSize();
    const QRect room = parentWidget()->rect();
    const QPoint wish = at + QPoint(space::l, space::l);
    move(std::max(0, std::min(wish.x(), room.width() - width() - space::s)),
         std::max(0, wish.y() + height() <= room.height() ? wish.y() : at.y() - height() - space::s));
    show();
    raise();
}

} // namespace unroll
