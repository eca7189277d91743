// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/figure/figure_view.h"

#include "app/studio/figure/figure_panel_view.h"
#include "app/studio/figure/figure_table_view.h"
#include "app/studio/figure/figure_text.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/plain_label.h"

#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

constexpr int kLeastLines = 2;         ///< that are seen in the lowest window
constexpr int kStretchOfOne = 100;     ///< of a panel whose height is 1
constexpr std::size_t kMostBeside = 4; ///< square panels in a row
constexpr int kWiderBeside = 2;        ///< times as wide as a square panel: what shares its row

/// The panel after a square one, in its row. Panels over steps have one above the other, so that their steps meet.
bool canStandBeside(const std::vector<FigurePanel>& panels, std::size_t index)
{
    const auto overSteps =
        std::count_if(panels.begin(), panels.end(), [](const FigurePanel& panel) { return panel.x.steps; });
    return index < panels.size() && (!panels[index].x.steps || overSteps == 1);
}

/// Square panels of a row, of so many in all: rows as even as can be.
std::size_t besideOf(std::size_t squares)
{
    if (squares == kMostBeside)
        return 2;
    const std::size_t rows = (squares + kMostBeside - 1) / kMostBeside;
    return (squares + rows - 1) / rows;
}

/// The place of a panel that a row lacks: as wide as those above it.
class EmptyPlace final : public QWidget {
public:
    explicit EmptyPlace(const QSize& like) : m_like(like)
    {
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    }
    QSize sizeHint() const override { return m_like; }

private:
    QSize m_like;
};

QWidget* inset(QWidget* widget)
{
    auto* row = new QWidget;
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(space::m, 0, space::m, 0);
    line->addWidget(widget);
    return row;
}

} // namespace

FigureView::FigureView(const Appearance& appearance, QWidget* parent)
    : QWidget(parent), m_appearance(appearance), m_scroll(new ColumnScroll(tr("Figure"))), m_reading(new ElidedLabel)
{
    m_reading->setObjectName("reading");
    m_reading->setProperty("tone", "dim");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::xs, 0, space::s);
    column->setSpacing(space::xs);
    column->addWidget(m_scroll, 1);
    column->addWidget(inset(m_reading));
    appearance.follow(*m_scroll, [this] { m_scroll->setMinimumHeight(kLeastLines * fontMetrics().height()); });
    connect(&appearance, &Appearance::changed, this, [this] {
        if (m_figure)
            fill();
    });
}

QString FigureView::shows() const
{
    return m_shows != nullptr ? m_shows->text() : QString();
}

void FigureView::setFigure(std::shared_ptr<const Figure> figure)
{
    if (!m_figure || !isLike(*figure))
        build(*figure);
    m_figure = std::move(figure);
    fill();
}

/// The same parts: they are filled again, and what has the keyboard or was scrolled stays so.
bool FigureView::isLike(const Figure& figure) const
{
    const auto samePanel = [](const FigurePanel& a, const FigurePanel& b) {
        return a.id == b.id && a.square == b.square;
    };
    const auto sameTable = [](const FigureTable& a, const FigureTable& b) { return a.id == b.id; };
    return std::equal(figure.panels.begin(), figure.panels.end(), m_figure->panels.begin(), m_figure->panels.end(),
                      samePanel) &&
           std::equal(figure.tables.begin(), figure.tables.end(), m_figure->tables.begin(), m_figure->tables.end(),
                      sameTable);
}

/// Its parts may be those that ask for another figure, from within an event: they go when that is over, and are not
/// heard of any more.
void FigureView::dropBody()
{
    for (FigurePanelView* panel : m_panels)
        panel->disconnect(this);
    for (FigureTableView* table : m_tables)
        table->disconnect(this);
    QWidget* const body = m_scroll->takeWidget();
    if (body == nullptr)
        return;
    body->setParent(this);
    body->hide();
    body->deleteLater();
}

void FigureView::build(const Figure& figure)
{
    dropBody();
    m_panels.clear();
    m_tables.clear();
    m_tableTitles.clear();
    m_rows.clear();
    m_places.clear();
    m_body = new QWidget;
    m_body->setObjectName("scrollBody");
    m_column = new QVBoxLayout(m_body);
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(space::s);
    m_shows = plainLabel({});
    m_shows->setObjectName("shows");
    m_shows->setProperty("tone", "dim");
    m_column->addWidget(inset(m_shows));
    m_findings = plainLabel({});
    m_findings->setObjectName("findings");
    m_column->addWidget(inset(m_findings));
    for (std::size_t i = 0; i < figure.panels.size();)
        i += addRow(figure.panels, i);
    for (std::size_t i = 0; i < figure.tables.size(); ++i)
        addTable();
    if (figure.panels.empty() && figure.tables.empty())
        m_column->addStretch(1);
    turnRows();
    m_scroll->setWidget(m_body);
}

/// Square panels stand side by side where there is more width than height.
void FigureView::turnRows()
{
    const bool wide = width() >= height();
    for (QBoxLayout* row : m_rows)
        row->setDirection(wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    for (QWidget* place : m_places)
        place->setVisible(wide);
}

void FigureView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    turnRows();
}

/// One panel, square ones in rows, or one of them with what follows beside it; how many.
std::size_t FigureView::addRow(const std::vector<FigurePanel>& panels, std::size_t first)
{
    std::size_t squares = 0;
    while (first + squares < panels.size() && panels[first + squares].square)
        ++squares;
    const int stretch = std::max(1, static_cast<int>(std::lround(panels[first].height * kStretchOfOne)));
    const bool shares = squares == 1 && canStandBeside(panels, first + 1);
    if (squares < 2 && !shares) {
        m_column->addWidget(makePanel(), stretch);
        return 1;
    }
    const std::size_t count = shares ? 2 : squares, beside = shares ? 2 : besideOf(squares);
    for (std::size_t i = 0; i < count; i += beside) {
        auto* row = new QBoxLayout(QBoxLayout::LeftToRight);
        row->setSpacing(0);
        m_rows.push_back(row);
        for (std::size_t k = i; k < i + beside; ++k)
            if (k < count)
                row->addWidget(makePanel(), shares && k > 0 ? kWiderBeside : 1);
            else
                row->addWidget(m_places.emplace_back(new EmptyPlace(m_panels.back()->sizeHint())), 1);
        m_column->addLayout(row, stretch);
    }
    return count;
}

FigurePanelView* FigureView::makePanel()
{
    auto* view = new FigurePanelView(m_appearance);
    m_panels.push_back(view);
    connect(view, &FigurePanelView::pointed, this, &FigureView::read);
    connect(view, &FigurePanelView::stepPointed, this, &FigureView::stepPointed);
    connect(view, &FigurePanelView::stepHeld, this, &FigureView::stepHeld);
    connect(view, &FigurePanelView::released, this, &FigureView::released);
    connect(view, &FigurePanelView::spanBrushed, this, &FigureView::spanBrushed);
    connect(view, &FigurePanelView::unitsChosen, this,
            [this](const std::vector<std::int64_t>& units) { Q_EMIT unitsChosen({}, {}, units); });
    connect(view, &FigurePanelView::shown, this, [this, view](const QPoint& at) {
        const QPoint place = view->mapTo(m_body, at);
        m_scroll->ensureVisible(place.x(), place.y(), 0, space::xl);
    });
    return view;
}

void FigureView::addTable()
{
    auto* title = plainLabel({});
    m_appearance.dress(*title, Type::Strong);
    m_column->addWidget(inset(title));
    m_tableTitles.push_back(title);
    auto* view = new FigureTableView(m_appearance);
    m_tables.push_back(view);
    m_column->addWidget(inset(view), kStretchOfOne);
    connect(view, &FigureTableView::pointed, this, &FigureView::read);
    connect(view, &FigureTableView::rowChosen, this, [this](const FigureTable::Row& row) {
        if (row.step)
            Q_EMIT stepHeld(*row.step);
        if (!row.units.empty())
            Q_EMIT unitsChosen(row.node, row.signal, row.units);
    });
}

/// All panels have the margins of the one that needs the most.
void FigureView::fill()
{
    m_shows->setText(showsText(*m_figure));
    QStringList findings;
    for (const std::string& finding : m_figure->findings)
        findings << QString::fromStdString(finding);
    m_findings->setText(findings.join('\n'));
    m_findings->parentWidget()->setVisible(!findings.isEmpty());
    const std::int64_t steps = stepCount(*m_figure);
    FigureMargins margins;
    for (std::size_t i = 0; i < m_panels.size(); ++i) {
        const FigureMargins own = FigurePlot(m_figure, i, steps).leastMargins(m_appearance);
        margins = {std::max(margins.left, own.left), std::max(margins.right, own.right)};
    }
    for (std::size_t i = 0; i < m_panels.size(); ++i) {
        m_panels[i]->setFigure(m_figure, i, steps, margins);
        m_panels[i]->setShared(m_shared);
    }
    for (std::size_t i = 0; i < m_tables.size(); ++i) {
        m_tables[i]->setTable(m_figure->tables[i]);
        m_tableTitles[i]->setText(QString::fromStdString(m_figure->tables[i].title));
        m_tableTitles[i]->parentWidget()->setVisible(!m_figure->tables[i].title.empty());
    }
}

void FigureView::setShared(const FigurePainter::Hand& shared)
{
    m_shared = shared;
    for (FigurePanelView* panel : m_panels)
        panel->setShared(shared);
}

void FigureView::read(const QString& words)
{
    m_reading->setText(words);
}

} // namespace unroll
