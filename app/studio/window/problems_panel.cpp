// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/problems_panel.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/empty_state.h"

#include <QHeaderView>
#include <QVBoxLayout>

namespace unroll {

ProblemsPanel::ProblemsPanel(Document& document, const Problems& problems, const Appearance& appearance, QWidget* parent)
    : QWidget(parent), m_document(document), m_problems(problems), m_model(new ProblemsModel(problems, appearance, this)), m_pages(new QStackedWidget),
      m_view(new QTreeView)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    m_pages->addWidget(new EmptyState(appearance, "check", tr("No problems"), tr("Mistakes in the graph and troubles of a run are listed here; a click goes to the node.")));
    m_pages->addWidget(m_view);
    column->addWidget(m_pages);
    m_view->setModel(m_model);
    m_view->setRootIsDecorated(false);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->header()->setStretchLastSection(false);
    m_view->header()->setSectionResizeMode(ProblemsModel::Sentence, QHeaderView::Stretch);
    m_view->header()->setSectionResizeMode(ProblemsModel::Where, QHeaderView::ResizeToContents);
    m_view->header()->setSectionResizeMode(ProblemsModel::FixTitle, QHeaderView::ResizeToContents);
    connect(m_view, &QTreeView::clicked, this, &ProblemsPanel::clicked);
    connect(&problems, &Problems::changed, this, &ProblemsPanel::refresh);
    refresh();
}

void ProblemsPanel::clicked(const QModelIndex& index)
{
    const Diagnostic diagnostic = m_model->at(index.row());
    if (index.column() == ProblemsModel::FixTitle && diagnostic.fix)
        m_document.apply(diagnostic.fix->edit);
    else if (diagnostic.node != 0)
        Q_EMIT nodeAsked(diagnostic.group, diagnostic.node);
}

void ProblemsPanel::refresh()
{
    m_pages->setCurrentIndex(m_problems.all().empty() ? 0 : 1);
}

} // namespace unroll
