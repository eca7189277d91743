// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/problems_panel.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/empty_state.h"

#include <QVBoxLayout>

namespace unroll {

ProblemsPanel::ProblemsPanel(Document& document, const Problems& problems, const Appearance& appearance,
                             QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_problems(problems),
      m_model(new ProblemsModel(problems, appearance, this)),
      m_delegate(new ProblemDelegate(appearance, this)),
      m_pages(new QStackedWidget),
      m_view(new QListView)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    m_pages->addWidget(new EmptyState(
        appearance, "check", tr("No problems"),
        tr("Errors and warnings of the graph and the run are listed here; click one to go to its node.")));
    m_pages->addWidget(m_view);
    column->addWidget(m_pages);
    m_view->setAccessibleName(tr("Problems"));
    m_view->setModel(m_model);
    m_view->setItemDelegate(m_delegate);
    m_view->setResizeMode(QListView::Adjust);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_view->setMouseTracking(true);
    m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    connect(m_delegate, &ProblemDelegate::rowClicked, this, &ProblemsPanel::goTo);
    connect(m_delegate, &ProblemDelegate::fixClicked, this, &ProblemsPanel::mend);
    connect(m_view, &QListView::activated, this, &ProblemsPanel::goTo);
    connect(&problems, &Problems::changed, this, &ProblemsPanel::refresh);
    refresh();
}

void ProblemsPanel::goTo(const QModelIndex& index)
{
    const Diagnostic diagnostic = m_model->at(index.row());
    if (diagnostic.node != 0)
        Q_EMIT nodeAsked(diagnostic.group, diagnostic.node);
}

void ProblemsPanel::mend(const QModelIndex& index)
{
    const Diagnostic diagnostic = m_model->at(index.row()); // a copy: the edit remakes the list
    if (diagnostic.fix)
        m_document.mend(*diagnostic.fix);
}

void ProblemsPanel::refresh()
{
    m_pages->setCurrentIndex(m_problems.all().empty() ? 0 : 1);
}

} // namespace unroll
