// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/signal_views.h"

#include "app/studio/theme/appearance.h"

#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace unroll {

namespace {

constexpr std::size_t kUsualLines = 5;

} // namespace

SignalViews::SignalViews(const Appearance& appearance, ReadingCursor& cursor, QWidget* parent)
    : QWidget(parent),
      m_appearance(appearance),
      m_cursor(cursor),
      m_map(new HeatMapView(appearance)),
      m_lines(new UnitLines(m_map->data(), appearance)),
      m_text(new TokenText(appearance)),
      m_matrices(new MatrixView(m_map->data(), appearance)),
      m_pages(new QStackedWidget)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_pages);
    for (QWidget* page : std::initializer_list<QWidget*>{m_map, m_lines, m_text, m_matrices})
        m_pages->addWidget(page);
    listenTo(*m_map);
    const auto hold = [this](std::int64_t step) { m_cursor.hold(step); };
    const auto point = [this](std::int64_t step) { m_cursor.pointAt(step); };
    const auto release = [this] { m_cursor.release(); };
    connect(m_lines, &UnitLines::stepHeld, this, hold);
    connect(m_lines, &UnitLines::stepPointed, this, point);
    connect(m_lines, &UnitLines::released, this, release);
    connect(m_lines, &UnitLines::pointedAt, this, &SignalViews::pointedAt);
    connect(m_matrices, &MatrixView::stepHeld, this, hold);
    connect(m_matrices, &MatrixView::stepPointed, this, point);
    connect(m_matrices, &MatrixView::released, this, release);
    connect(m_matrices, &MatrixView::pointedAt, this, &SignalViews::pointedAt);
    connect(m_text, &TokenText::stepHeld, this, hold);
    connect(m_text, &TokenText::stepPointed, this, point);
    connect(m_text, &TokenText::stepPointed, this,
            [this](std::int64_t step) { Q_EMIT pointedAt(step < 0 ? QString() : wordsAt(step)); });
    connect(m_text, &TokenText::released, this, release);
    connect(m_text, &TokenText::spanBrushed, &cursor, &ReadingCursor::setSpan);
    connect(m_map, &HeatMapView::spanBrushed, &cursor, &ReadingCursor::setSpan);
    connect(m_lines, &UnitLines::spanBrushed, &cursor, &ReadingCursor::setSpan);
    connect(m_matrices, &MatrixView::spanBrushed, &cursor, &ReadingCursor::setSpan);
    connect(&cursor, &ReadingCursor::changed, this, &SignalViews::follow);
    connect(&cursor, &ReadingCursor::selectionChanged, this, &SignalViews::fill);
    connect(&appearance, &Appearance::changed, this, &SignalViews::fillText);
}

void SignalViews::listenTo(HeatMapView& map)
{
    connect(&map, &HeatMapView::pointedAt, this, &SignalViews::pointedAt);
    connect(&map, &HeatMapView::stepPointed, this, [this](std::int64_t step) { m_cursor.pointAt(step); });
    connect(&map, &HeatMapView::stepsChanged, this, &SignalViews::stepsChanged);
    connect(&map, &HeatMapView::unitClicked, this, &SignalViews::select);
    connect(&map, &HeatMapView::marksChanged, this, [this](bool byClick) {
        const auto marked = m_map->marked();
        if (!marked)
            return m_cursor.release();
        if (!byClick)
            select(marked->unit, false);
        m_cursor.hold(marked->step);
    });
}

/// A unit that is among several selected ones leaves them as they are.
void SignalViews::select(std::int64_t unit, bool adds)
{
    const SignalFrame& signal = m_map->data().signal();
    ReadingCursor::Selection now = m_cursor.selection();
    auto& units = now.units;
    const bool ours = now.node == signal.node && now.signal == signal.signal;
    const auto found = std::find(units.begin(), units.end(), unit);
    if (ours && !adds && found != units.end())
        return;
    if (!ours || !adds)
        units.clear();
    if (!adds || found == units.end() || !ours)
        units.push_back(unit);
    else
        units.erase(found);
    m_cursor.select({signal.node, signal.signal, units});
}

/// Those that the signal has: what was selected may be of another one, or of another run.
std::vector<std::int64_t> SignalViews::selected() const
{
    if (m_map->isEmpty())
        return {};
    const SignalFrame& signal = m_map->data().signal();
    const ReadingCursor::Selection& now = m_cursor.selection();
    if (!now.node.empty() && (now.node != signal.node || now.signal != signal.signal))
        return {};
    std::vector<std::int64_t> units = now.units;
    std::erase_if(units,
                  [width = m_map->data().cells().width](std::int64_t unit) { return unit < 0 || unit >= width; });
    return units;
}

std::vector<std::int64_t> SignalViews::units() const
{
    if (m_map->isEmpty())
        return {};
    if (auto chosen = selected(); !chosen.empty())
        return chosen;
    std::vector<std::int64_t> largest = unitRows(m_map->data().cells(), UnitOrder::Mean);
    largest.resize(std::min(largest.size(), kUsualLines));
    return largest;
}

QString SignalViews::shownText() const
{
    if (m_map->isEmpty() || m_drawing == StateDrawing::Map || m_drawing == StateDrawing::Matrix)
        return {};
    const auto drawn = units();
    if (m_drawing == StateDrawing::Text)
        return drawn.empty()  ? QString()
               : isSelected() ? tr("unit %1").arg(drawn.front())
                              : tr("unit %1, of the largest mean |value|").arg(drawn.front());
    if (!isSelected())
        return tr("the units of the largest mean |value|; click in the map to choose others, with Ctrl to add");
    return drawn.size() > UnitLines::kMost
               ? tr("the first %1 of %2 selected units").arg(UnitLines::kMost).arg(drawn.size())
               : tr("the selected units");
}

void SignalViews::setFrame(const std::shared_ptr<const ProbeFrame>& frame)
{
    m_map->setFrame(frame, 0);
    fill();
}

void SignalViews::fill()
{
    const auto drawn = units();
    m_map->setSelected(selected());
    m_lines->setUnits(drawn);
    m_lines->refresh();
    m_matrices->update();
    fillText();
    setDrawing(m_drawing);
}

void SignalViews::fillText()
{
    std::vector<TokenText::Token> tokens;
    const HeatMapData& shown = m_map->data();
    const auto drawn = units();
    const bool words = !m_map->isEmpty() && !shown.frame().characters.empty();
    for (std::int64_t step = 0; !drawn.empty() && step < shown.cells().steps; ++step) {
        const float value = shown.drawn().at(step, drawn.front());
        const float share = (value - shown.scale().low) / (shown.scale().high - shown.scale().low);
        TokenText::Token token;
        const auto index = static_cast<std::size_t>(step);
        token.text = !words                                    ? QString::number(step + 1)
                     : index < shown.frame().characters.size() ? QString::fromStdString(shown.frame().characters[index])
                                                               : QString();
        token.missing = !std::isfinite(value);
        if (!token.missing)
            token.ground = QColor(m_map->picture().colours(
                shown.scale().diverging)[static_cast<int>(std::clamp(share, 0.0f, 1.0f) * 255 + 0.5f)]);
        tokens.push_back(std::move(token));
    }
    m_text->setTokens(std::move(tokens), words && readsCharacters(shown.frame()));
}

QString SignalViews::wordsAt(std::int64_t step) const
{
    const auto drawn = units();
    const auto cell = drawn.empty() ? std::nullopt : m_map->data().inside(HeatMapCell{step, drawn.front()});
    return cell ? m_map->data().describe(*cell) : QString();
}

/// The step that all views have.
void SignalViews::follow()
{
    const std::int64_t step = m_cursor.step();
    if (m_wasHeld && !m_cursor.isHeld())
        m_map->unmark();
    m_wasHeld = m_cursor.isHeld();
    m_map->setStep(step, m_cursor.isHeld());
    m_lines->setStep(step);
    m_text->setStep(step);
    const StepSpan span{m_cursor.from(), m_cursor.to()};
    m_map->setSpan(span);
    m_lines->setSpan(span);
    m_text->setSpan(span.from, span.to);
    m_matrices->setSpan(span);
    m_matrices->setStep(step);
}

void SignalViews::setDrawing(StateDrawing drawing)
{
    m_drawing = drawing;
    const bool lacks = drawing == StateDrawing::Matrix && m_matrices->count() == 0;
    m_pages->setCurrentIndex(static_cast<int>(lacks ? StateDrawing::Map : drawing));
}

void SignalViews::setUnitScale(UnitScale scale)
{
    m_map->setUnitScale(scale);
    fill();
}

void SignalViews::showPhase(bool shown)
{
    m_map->showPhase(shown);
}

void SignalViews::shareSteps(const std::shared_ptr<AxisZoom>& steps)
{
    m_map->shareSteps(steps);
    m_lines->shareSteps(steps);
    m_lines->refresh();
}

void SignalViews::stepsMoved()
{
    m_map->stepsMoved();
    m_lines->refresh();
}

void SignalViews::setLeastHeight(int pixels)
{
    for (QWidget* view : std::initializer_list<QWidget*>{this, m_pages, m_map, m_lines, m_text, m_matrices})
        view->setMinimumHeight(pixels);
}

void SignalViews::setLabelled(bool labelled)
{
    m_map->setLabelled(labelled);
    m_lines->setLabelled(labelled);
}

} // namespace unroll
