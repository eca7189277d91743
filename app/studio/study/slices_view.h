// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/study/study_view_state.h"
#include "app/studio/theme/column_scroll.h"
#include "core/lens/figure.h"

#include <QGridLayout>
#include <QWidget>
#include <memory>

namespace unroll {

class Appearance;
class FigurePanelView;

/// Each setting of a study against its objective: panels in as many columns as there is room for. A click or Space
/// chooses the trial of a point, a double click or Enter opens its run.
class SlicesView : public QWidget {
    Q_OBJECT
public:
    explicit SlicesView(const Appearance& appearance, QWidget* parent = nullptr);

    void setPlot(const StudyPlot& plot, const StudyWatch& watch);
    const std::vector<FigurePanelView*>& panels() const { return m_panels; }

Q_SIGNALS:
    void pointedAt(const QString& words);
    void chosen(std::optional<std::int64_t> trial);
    void openAsked(std::int64_t trial);

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void build(std::size_t count);
    void arrange();
    std::optional<std::int64_t> trialOf(const FigurePanelView& panel) const;

    const Appearance& m_appearance;
    ColumnScroll* m_scroll;
    QWidget* m_body;
    QGridLayout* m_grid;
    std::vector<FigurePanelView*> m_panels;
    std::shared_ptr<const Figure> m_figure;
    int m_columns = 0;
};

} // namespace unroll
