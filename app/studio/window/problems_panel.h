// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/window/problem_delegate.h"
#include "app/studio/window/problems_model.h"

#include <QListView>
#include <QStackedWidget>

namespace unroll {

/// The list of everything that is wrong. A click goes to the node; a click on the fix mends.
class ProblemsPanel : public QWidget {
    Q_OBJECT
public:
    ProblemsPanel(Document& document, const Problems& problems, const Appearance& appearance,
                  QWidget* parent = nullptr);

    bool isEmpty() const { return m_pages->currentIndex() == 0; }
    QListView& view() const { return *m_view; }

Q_SIGNALS:
    void nodeAsked(const unroll::GroupPath& group, unroll::NodeId node);

private:
    void goTo(const QModelIndex& index);
    void mend(const QModelIndex& index);
    void refresh();

    Document& m_document;
    const Problems& m_problems;
    ProblemsModel* m_model;
    ProblemDelegate* m_delegate;
    QStackedWidget* m_pages;
    QListView* m_view;
};

} // namespace unroll
