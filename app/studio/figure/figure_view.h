// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/figure/figure_painter.h"
#include "app/studio/theme/column_scroll.h"
#include "app/studio/theme/elided_label.h"

#include <QWidget>

class QLabel;
class QBoxLayout;
class QVBoxLayout;

namespace unroll {

class Appearance;
class FigurePanelView;
class FigureTableView;

/// Paints any figure: its one line on top, what was found, panels one under another with tables below them, and at the
/// foot what is pointed at. It scrolls where they do not fit. What the views of a window share comes by setShared()
/// alone.
class FigureView : public QWidget {
    Q_OBJECT
public:
    explicit FigureView(const Appearance& appearance, QWidget* parent = nullptr);

    void setFigure(std::shared_ptr<const Figure> figure); ///< not null
    const std::shared_ptr<const Figure>& figure() const { return m_figure; }
    bool isEmpty() const { return !m_figure; }
    /// The cursor, the span and the selected units; the mark is each panel's own.
    void setShared(const FigurePainter::Hand& shared);

    const std::vector<FigurePanelView*>& panels() const { return m_panels; }
    const std::vector<FigureTableView*>& tables() const { return m_tables; }
    QString shows() const;                                ///< the line on top
    QString reading() const { return m_reading->text(); } ///< what is pointed at
    const Appearance& appearance() const { return m_appearance; }

Q_SIGNALS:
    void stepPointed(std::int64_t step);
    void stepHeld(std::int64_t step);
    void released();
    void spanBrushed(std::int64_t from, std::int64_t to); ///< -1: none any more
    /// Empty names: of what the figure is about.
    void unitsChosen(const std::string& node, const std::string& signal, const std::vector<std::int64_t>& units);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    bool isLike(const Figure& figure) const;
    void build(const Figure& figure);
    void dropBody();
    std::size_t addRow(const std::vector<FigurePanel>& panels, std::size_t first);
    FigurePanelView* makePanel();
    void turnRows();
    void addTable();
    void fill();
    void read(const QString& words);

    const Appearance& m_appearance;
    std::shared_ptr<const Figure> m_figure;
    QLabel* m_shows = nullptr; ///< it wraps: all of it is to be read
    QLabel* m_findings = nullptr;
    ColumnScroll* m_scroll;
    QWidget* m_body = nullptr;
    QVBoxLayout* m_column = nullptr;
    ElidedLabel* m_reading;
    std::vector<QBoxLayout*> m_rows; ///< of square panels
    std::vector<QWidget*> m_places;  ///< that the last of these rows lack
    std::vector<FigurePanelView*> m_panels;
    std::vector<FigureTableView*> m_tables;
    std::vector<QLabel*> m_tableTitles; ///< of each; hidden where it has none
    FigurePainter::Hand m_shared;
};

} // namespace unroll
