// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/hint.h"

#include "app/studio/theme/metrics.h"

#include <QHBoxLayout>
#include <algorithm>
#include <limits>

namespace unroll {

namespace {

constexpr int kWidestHint = 420;
constexpr int kStaysFor = 8000; ///< ms
constexpr int kFarthest = 160;  ///< px from the cursor
constexpr int kPriceOfFar = 20; ///< square pixels that may be hidden to stand a pixel nearer

/// Below the cursor and above it, to its right, to its left and in its middle, at a distance; the first is what is
/// wished.
QList<QPoint> cornersAround(const QPoint& at, const QSize& size, int distance)
{
    QList<QPoint> corners;
    for (const int y : {at.y() + distance, at.y() - distance - size.height()})
        for (const int x : {at.x() + space::l, at.x() - space::l - size.width(), at.x() - size.width() / 2})
            corners << QPoint(x, y);
    return corners;
}

} // namespace

Hint::Hint(Hidden hidden, QWidget* parent)
    : QFrame(parent), m_hidden(std::move(hidden)), m_words(new QLabel), m_button(new QPushButton)
{
    setObjectName("hint");
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
    m_away.start(kStaysFor);
}

/// As wide as the words ask.
void Hint::place(const QPoint& at, const QString& words)
{
    m_words->setText(words);
    const int wanted = m_words->fontMetrics().horizontalAdvance(words) + 2;
    m_words->setFixedWidth(std::min(wanted, kWidestHint));
    m_words->setFixedHeight(m_words->heightForWidth(m_words->width()));
    adjustSize();
    move(bestCorner(at));
    show();
    raise();
}

/// Inside the parent, beside the cursor, never under it.
QPoint Hint::bestCorner(const QPoint& at) const
{
    const QSize room = parentWidget()->size() - size() - QSize(space::s, space::s);
    const auto inside = [&](const QPoint& corner) {
        return QPoint(std::clamp(corner.x(), 0, std::max(0, room.width())),
                      std::clamp(corner.y(), 0, std::max(0, room.height())));
    };
    QPoint best = inside(at + QPoint(space::l, space::l));
    double least = std::numeric_limits<double>::infinity();
    for (int distance = space::l; distance <= kFarthest; distance += space::l)
        for (const QPoint& wish : cornersAround(at, size(), distance)) {
            const QRect place(inside(wish), size());
            const double price = m_hidden(place) + kPriceOfFar * distance;
            if (price < least && !place.contains(at)) {
                least = price;
                best = place.topLeft();
            }
        }
    return best;
}

} // namespace unroll
