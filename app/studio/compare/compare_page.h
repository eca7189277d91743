// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/compare/second_side.h"
#include "app/studio/figure/figure_view.h"
#include "app/studio/lenses/figure_save_button.h"
#include "app/studio/theme/empty_state.h"
#include "core/figure/compared.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QStackedWidget>
#include <QToolButton>

namespace unroll {

/// Both sides of a lens, with what there is to choose above them: beside each other or as difference, units matched,
/// the edits of a touched side.
class ComparePage : public QWidget {
    Q_OBJECT
public:
    /// `matches`: units can be matched.
    ComparePage(const Appearance& appearance, const QString& title, bool matches, QWidget* parent = nullptr);
    ~ComparePage() override;

    void setSide(const SecondSide& side);     ///< whose edits can be typed
    void setFigure(ShownFigure shown);        ///< with one
    void setEmpty(const QString& sentence);   ///< in place of a figure: what is waited for, or why there is none
    void setEditWrong(const QString& reason); ///< empty: all is well

    const CompareWish& wish() const { return m_wish; }
    void setWish(const CompareWish& wish); ///< wished() is not told
    bool isEmpty() const { return m_pages->currentIndex() == 0; }
    FigureView& view() const { return *m_view; }
    FigureSaveButton& saving() const { return *m_save; }
    QLineEdit& edit() const { return *m_edit; }
    QString sentence() const { return m_sentence; } ///< while it is empty

Q_SIGNALS:
    void wished();
    void editGiven(const QString& edit);
    void left(); ///< no comparison any more

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    QWidget* bar(const Appearance& appearance, bool matches);
    QToolButton* wayButton(const QString& words, const QString& tip, CompareWay way);

    FigureView* m_view;
    EmptyState* m_empty;
    QStackedWidget* m_pages;
    QToolButton *m_beside, *m_difference;
    QCheckBox* m_match;
    QLineEdit* m_edit;
    FigureSaveButton* m_save;
    QString m_sentence;
    CompareWish m_wish;
};

} // namespace unroll
