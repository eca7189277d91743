// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/matrix_view.h"

#include "app/studio/lenses/state/heat_image.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "core/lens/unit_name.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

namespace unroll {

namespace {

constexpr double kLeastSmall = 22, kMostSmall = 44; ///< px
constexpr double kGap = 4;
constexpr double kBarWide = 10, kBarText = 44; ///< px, across: the colours and the numbers beside them
constexpr double kMostLengthy = 2; ///< a side over the other as drawn; cells of longer matrices are not square

QString barText(float value)
{
    return QString::number(static_cast<double>(value), 'g', 3).replace('-', QChar(0x2212));
}

} // namespace

MatrixView::MatrixView(const HeatMapData& shown, const Appearance& appearance, QWidget* parent)
    : QWidget(parent),
      m_data(shown),
      m_appearance(appearance),
      m_colours(ColourMap::diverging(appearance.theme().divergingMap()))
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Matrices"));
    connect(&appearance, &Appearance::changed, this, [this] {
        m_colours = ColourMap::diverging(m_appearance.theme().divergingMap());
        update();
    });
}

std::int64_t MatrixView::shownStep() const
{
    return m_step >= 0 && m_step < m_data.cells().steps ? m_step : m_data.cells().steps - 1;
}

void MatrixView::setStep(std::int64_t step)
{
    m_step = step;
    setAccessibleDescription(m_data.isEmpty() ? QString() : m_data.stepText(shownStep()));
    update();
}

void MatrixView::setSpan(const StepSpan& span)
{
    m_span = span;
    update();
}

/// Two thirds of the height for the large ones.
QRectF MatrixView::large() const
{
    const double line = QFontMetricsF(m_appearance.font(Type::Caption)).height() + space::xs;
    const double across = width() - 3 * space::m - kBarWide - kBarText;
    return QRectF(space::m, space::s + line, std::max(0.0, across), 0.6 * (height() - 2 * line) - space::s);
}

QRectF MatrixView::bar() const
{
    return QRectF(large().right() + space::m, large().top(), kBarWide, large().height());
}

QString MatrixView::nameOf(std::int64_t matrix) const
{
    return QString::fromStdString(namesOf(m_data.signal()).matrix(matrix));
}

QRectF MatrixView::strip() const
{
    const double line = QFontMetricsF(m_appearance.font(Type::Caption)).height() + space::xs;
    const double top = large().bottom() + space::s;
    return QRectF(space::m, top, width() - 2 * space::m, std::max(0.0, height() - top - line - space::xs));
}

QRectF MatrixView::placeOf(std::int64_t matrix) const
{
    const QRectF room = large();
    const double across = (room.width() - static_cast<double>(count() - 1) * space::l) / static_cast<double>(count());
    const QSizeF size = within(std::max(0.0, across), room.height());
    return QRectF({room.left() + static_cast<double>(matrix) * (size.width() + space::l), room.top()}, size);
}

/// As large as there is room; its cells are square unless the matrix is lengthy.
QSizeF MatrixView::within(double width, double height) const
{
    if (count() == 0)
        return {0, 0};
    const double lengthy =
        std::clamp(static_cast<double>(columns()) / static_cast<double>(rows()), 1 / kMostLengthy, kMostLengthy);
    const double across = std::min(width, height * lengthy);
    return {across, across / lengthy};
}

/// As large as it can be with every step in its place; where even the least one has no room for all, that.
double MatrixView::smallSide() const
{
    for (double side = kMostSmall; side > kLeastSmall; side -= 2)
        if (roomFor(side) >= m_data.cells().steps)
            return side;
    return kLeastSmall;
}

std::int64_t MatrixView::across(double side) const
{
    const double width = within(side, side).width();
    return std::max<std::int64_t>(1, static_cast<std::int64_t>((strip().width() + kGap) / (width + kGap)));
}

std::int64_t MatrixView::roomFor(double side) const
{
    const auto lines = static_cast<std::int64_t>((strip().height() + kGap) / (within(side, side).height() + kGap));
    return std::max<std::int64_t>(1, lines) * across(side);
}

std::int64_t MatrixView::every() const
{
    const std::int64_t room = roomFor(smallSide());
    return std::max<std::int64_t>(1, (m_data.cells().steps + room - 1) / room);
}

QRectF MatrixView::smallPlaceOf(std::int64_t step) const
{
    if (step % every() != 0)
        return {};
    const double side = smallSide();
    const QSizeF size = within(side, side);
    const std::int64_t index = step / every();
    return QRectF({strip().left() + static_cast<double>(index % across(side)) * (size.width() + kGap),
                   strip().top() + static_cast<double>(index / across(side)) * (size.height() + kGap)},
                  size);
}

/// Row 0 on top.
QImage MatrixView::imageOf(std::int64_t step, std::int64_t matrix) const
{
    const std::int64_t high = rows(), wide = columns();
    HeatCells cells{wide, high, std::vector<float>(static_cast<std::size_t>(high * wide)), 0};
    for (std::int64_t row = 0; row < high; ++row)
        for (std::int64_t column = 0; column < wide; ++column)
            cells.values[static_cast<std::size_t>(column * high + row)] =
                m_data.drawn().at(step, (matrix * high + row) * wide + column);
    return heatImage(cells, m_data.scale(), m_colours, m_appearance.theme()[Theme::Role::HeatMissing].rgb());
}

void MatrixView::paintEvent(QPaintEvent*)
{
    if (count() == 0)
        return;
    QPainter painter(this);
    painter.setFont(m_appearance.font(Type::Caption));
    paintLarge(painter);
    paintBar(painter);
    paintStrip(painter);
    if (hasFocus()) {
        painter.setPen(QPen(m_appearance.theme()[Theme::Role::Focus], 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void MatrixView::paintLarge(QPainter& painter) const
{
    const Theme& theme = m_appearance.theme();
    const double line = QFontMetricsF(painter.font()).height();
    for (std::int64_t matrix = 0; matrix < count(); ++matrix) {
        const QRectF place = placeOf(matrix);
        if (place.width() < 4)
            continue;
        painter.drawImage(place, imageOf(shownStep(), matrix));
        painter.setBrush(Qt::NoBrush);
        const bool isChosen = matrix == chosen() && count() > 1;
        painter.setPen(QPen(theme[isChosen ? Theme::Role::Accent : Theme::Role::HeatFrame], isChosen ? 2 : 1));
        painter.drawRect(place.adjusted(-0.5, -0.5, 0.5, 0.5));
        if (matrix == chosen())
            paintCell(painter, place);
        painter.setPen(theme[Theme::Role::TextDim]);
        const QString words = count() > 1 ? nameOf(matrix) : m_data.stepText(shownStep());
        painter.drawText(QRectF(place.left(), place.top() - line - 2,
                                std::max(place.width(), 300.0 / static_cast<double>(count())), line),
                         Qt::AlignLeft | Qt::AlignVCenter, words);
    }
}

/// The one scale of all matrices: its colours, and the values at its ends and in its middle.
void MatrixView::paintBar(QPainter& painter) const
{
    const QRectF bar = this->bar();
    const QFontMetricsF text(painter.font());
    if (bar.height() < 3 * text.height())
        return;
    const HeatScale& scale = m_data.scale();
    QImage strip(1, 256, QImage::Format_RGB32);
    for (int i = 0; i < 256; ++i)
        strip.setPixel(0, 255 - i, m_colours[i]);
    painter.drawImage(bar, strip);
    painter.setPen(m_appearance.theme()[Theme::Role::HeatFrame]);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(bar.adjusted(-0.5, -0.5, 0.5, 0.5));
    painter.setPen(m_appearance.theme()[Theme::Role::TextDim]);
    for (const float share : {0.0f, 0.5f, 1.0f}) {
        const double at = std::clamp(bar.bottom() - static_cast<double>(share) * bar.height(),
                                     bar.top() + text.height() / 2, bar.bottom() - text.height() / 2);
        painter.drawText(QRectF(bar.right() + space::xs, at - text.height() / 2, kBarText, text.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, barText(scale.low + share * (scale.high - scale.low)));
    }
}

void MatrixView::paintCell(QPainter& painter, const QRectF& place) const
{
    const std::int64_t wide = columns();
    if (m_cell < 0 || m_cell >= rows() * wide)
        return;
    const QSizeF cell(place.width() / static_cast<double>(wide), place.height() / static_cast<double>(rows()));
    const QPointF corner = place.topLeft() + QPointF(cell.width() * static_cast<double>(m_cell % wide),
                                                     cell.height() * static_cast<double>(m_cell / wide));
    for (const auto& [role, width] : {std::pair{Theme::Role::Panel, 4.0}, {Theme::Role::Text, 1.6}}) {
        painter.setPen(QPen(m_appearance.theme()[role], width));
        painter.drawRect(QRectF(corner, cell));
    }
}

void MatrixView::paintStrip(QPainter& painter) const
{
    const Theme& theme = m_appearance.theme();
    double bottom = strip().top();
    for (std::int64_t step = 0; step < m_data.cells().steps; step += every()) {
        const QRectF place = smallPlaceOf(step);
        painter.drawImage(place, imageOf(step, chosen()));
        if (m_span.has(step))
            painter.fillRect(QRectF(place.left(), place.bottom() + 1, place.width(), 2), theme[Theme::Role::Accent]);
        bottom = std::max(bottom, place.bottom());
    }
    const std::int64_t shown = shownStep() - shownStep() % every();
    painter.setBrush(Qt::NoBrush);
    for (const auto& [role, width] : {std::pair{Theme::Role::Panel, 4.0}, {Theme::Role::Text, 1.6}}) {
        painter.setPen(QPen(theme[role], width));
        painter.drawRect(smallPlaceOf(shown));
    }
    painter.setPen(theme[Theme::Role::TextDim]);
    const MatrixAxes& axes = m_data.signal().axes;
    const QString which = (count() > 1 ? tr("%1 at each step, a row is a %2, a column a %3").arg(nameOf(chosen()))
                                       : tr("at each step, a row is a %1, a column a %2"))
                              .arg(QString::fromStdString(axes.row), QString::fromStdString(axes.column));
    painter.drawText(QRectF(strip().left(), bottom + 2, strip().width(), QFontMetricsF(painter.font()).height()),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     every() > 1 ? tr("%1, 1 in %2 shown").arg(which).arg(every()) : which);
}

std::optional<HeatMapCell> MatrixView::cellAt(const QPointF& position) const
{
    for (std::int64_t matrix = 0; matrix < count(); ++matrix) {
        const QRectF place = placeOf(matrix);
        if (!place.contains(position))
            continue;
        const auto index = [](double share, std::int64_t n) {
            return std::clamp<std::int64_t>(static_cast<std::int64_t>(share * static_cast<double>(n)), 0, n - 1);
        };
        const std::int64_t row = index((position.y() - place.top()) / place.height(), rows());
        const std::int64_t column = index((position.x() - place.left()) / place.width(), columns());
        return HeatMapCell{shownStep(), (matrix * rows() + row) * columns() + column};
    }
    return std::nullopt;
}

std::optional<std::int64_t> MatrixView::stepAt(const QPointF& position) const
{
    for (std::int64_t step = 0; count() > 0 && step < m_data.cells().steps; step += every())
        if (smallPlaceOf(step).adjusted(-kGap / 2, -kGap / 2, kGap / 2, kGap / 2).contains(position))
            return step;
    return std::nullopt;
}

void MatrixView::mouseMoveEvent(QMouseEvent* event)
{
    const auto cell = cellAt(event->position());
    const auto step = stepAt(event->position());
    if (step && m_brush.isUnderWay() && event->buttons() & Qt::LeftButton)
        brush(m_brush.to(*step));
    if (std::exchange(m_cell, -1) >= 0)
        update();
    Q_EMIT stepPointed(step.value_or(-1));
    Q_EMIT pointedAt(cell ? m_data.describe(*cell) : step ? m_data.stepText(*step) : QString());
}

void MatrixView::mousePressEvent(QMouseEvent* event)
{
    m_brush.end();
    if (const auto step = stepAt(event->position()); step && event->modifiers() & Qt::ShiftModifier) {
        m_brush.begin(*step);
        brush(m_brush.to(*step));
    } else if (step)
        Q_EMIT stepHeld(*step);
    if (const auto cell = cellAt(event->position())) {
        m_chosen = cell->unit / (rows() * columns());
        update();
    }
}

void MatrixView::mouseReleaseEvent(QMouseEvent*)
{
    m_brush.end();
}

void MatrixView::leaveEvent(QEvent*)
{
    Q_EMIT stepPointed(-1);
    Q_EMIT pointedAt({});
}

bool MatrixView::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key >= Qt::Key_Home && key <= Qt::Key_Down) { // Home, End and the arrows
            event->accept();
            return true;
        }
    }
    return QWidget::event(event);
}

/// Where a key leads along the steps; nothing: nowhere.
std::optional<std::int64_t> MatrixView::led(int key) const
{
    const std::int64_t last = m_data.cells().steps - 1;
    switch (key) {
    case Qt::Key_Left: return std::max<std::int64_t>(0, shownStep() - 1);
    case Qt::Key_Right: return std::min(last, shownStep() + 1);
    case Qt::Key_Home: return 0;
    case Qt::Key_End: return last;
    default: return std::nullopt;
    }
}

/// From value to value of the chosen matrix, which is told as where the pointer is. False: no such key.
bool MatrixView::moveCell(int key)
{
    if (count() == 0 || key < Qt::Key_Left || key > Qt::Key_Down)
        return false;
    const std::int64_t wide = columns(), all = rows() * wide;
    const bool isNew = m_cell < 0 || m_cell >= all;
    const auto moved = [&](std::int64_t from, std::int64_t n, int back, int on) {
        return std::clamp<std::int64_t>(from + (key == on ? 1 : 0) - (key == back ? 1 : 0), 0, n - 1);
    };
    m_cell = isNew ? 0
                   : moved(m_cell / wide, rows(), Qt::Key_Up, Qt::Key_Down) * wide +
                         moved(m_cell % wide, wide, Qt::Key_Left, Qt::Key_Right);
    const QString words = m_data.describe({shownStep(), chosen() * all + m_cell});
    setAccessibleDescription(words);
    Q_EMIT pointedAt(words);
    update();
    return true;
}

/// Along the steps, and from matrix to matrix; with Ctrl from value to value. Escape lets the step go first, then the
/// span.
void MatrixView::keyPressEvent(QKeyEvent* event)
{
    if (event->modifiers() & Qt::ControlModifier && moveCell(event->key()))
        return;
    if (event->key() == Qt::Key_Escape && (m_step >= 0 || !m_span.isEmpty())) {
        m_brush.end();
        return m_step >= 0 ? released() : brush({});
    }
    const bool brushes = event->modifiers() & Qt::ShiftModifier;
    if (const auto step = count() > 0 ? led(event->key()) : std::nullopt) {
        const std::int64_t before = m_step;
        if (!brushes)
            m_brush.end();
        Q_EMIT stepHeld(*step);
        if (brushes)
            brush(m_brush.by(before, *step));
    } else if (count() > 0 && (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down)) {
        m_chosen = std::clamp<std::int64_t>(chosen() + (event->key() == Qt::Key_Up ? -1 : 1), 0, count() - 1);
        update();
    } else
        QWidget::keyPressEvent(event);
}

} // namespace unroll
