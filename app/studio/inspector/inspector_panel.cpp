// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/inspector_panel.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/number_text.h"

namespace unroll {

InspectorPanel::InspectorPanel(Document& document, const Problems& problems, GraphScene& scene,
                               const Appearance& appearance, QWidget* parent)
    : ColumnScroll(tr("Inspector"), parent),
      m_document(document),
      m_problems(problems),
      m_scene(scene),
      m_appearance(appearance)
{
    connect(&scene, &GraphScene::selectionChanged, this, &InspectorPanel::showSelection);
    connect(&scene, &GraphScene::pathChanged, this, &InspectorPanel::showSelection);
    connect(&document, &Document::graphChanged, this, &InspectorPanel::showSelection);
    connect(&problems, &Problems::changed, this, &InspectorPanel::refresh);
    connect(&document, &Document::fileChanged, this, &InspectorPanel::fillOverview);
    connect(&appearance, &Appearance::changed, this, &InspectorPanel::refresh);
    showSelection();
}

void InspectorPanel::showSelection()
{
    const auto selected = m_scene.selection();
    const Node* node = selected.size() == 1 ? m_scene.shown().find(*selected.begin()) : nullptr;
    const bool same = node != nullptr && m_page != nullptr && m_page->node() == node->id &&
                      m_page->block() == node->block && m_page->path() == m_scene.path();
    if (!same && (node != nullptr || m_page != nullptr || widget() == nullptr)) {
        // takeWidget and deleteLater: the change may come from an editor inside the page that is about to go.
        if (QWidget* old = takeWidget())
            old->deleteLater();
        m_page = node != nullptr ? pageOf(*node) : nullptr;
        QWidget* body = m_page != nullptr ? m_page : overview();
        body->setObjectName("scrollBody");
        setWidget(body);
    }
    refresh();
    if (!same)
        revealFault();
}

/// Once the page is laid out.
void InspectorPanel::revealFault()
{
    if (m_page == nullptr || m_page->firstWrong() == nullptr)
        return;
    const auto reveal = [this, page = m_page] {
        if (QWidget* field = page->firstWrong())
            ensureWidgetVisible(field, 0, 3 * space::xl); // with what it says below it
    };
    QMetaObject::invokeMethod(m_page, reveal, Qt::QueuedConnection);
}

NodePage* InspectorPanel::pageOf(const Node& node)
{
    auto* page = new NodePage(m_document, m_appearance, m_scene.path(), node);
    connect(page, &NodePage::enterAsked, this, [this, id = node.id] { m_scene.enter(id); });
    connect(page, &NodePage::unpackAsked, this,
            [this, id = node.id] { m_scene.applyAndSelect(edits::unpackGroup(id)); });
    return page;
}

void InspectorPanel::refresh()
{
    if (m_page == nullptr)
        return fillOverview();
    const Node* node = m_scene.shown().find(m_page->node());
    if (node == nullptr)
        return;
    m_page->refresh(*node, m_scene.checkedNode(*node), m_problems.at(m_page->path(), node->id));
}

QWidget* InspectorPanel::overview()
{
    auto* body = new QWidget;
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(space::m, space::m, space::m, space::m);
    column->setSpacing(space::s);
    m_title = new QLabel;
    m_title->setFont(m_appearance.font(Type::Title));
    m_title->setWordWrap(true);
    m_summary = new QLabel;
    m_summary->setWordWrap(true);
    m_totals = new QLabel;
    m_totals->setWordWrap(true);
    auto* hint = new QLabel(tr("Select a node to see its parameters, shapes and cost."));
    hint->setWordWrap(true);
    hint->setProperty("tone", "dim");
    column->addWidget(m_title);
    column->addWidget(m_summary);
    column->addWidget(sectionHeading(tr("In total"), m_appearance));
    column->addWidget(m_totals);
    column->addSpacing(space::s);
    column->addWidget(hint);
    column->addStretch();
    return body;
}

void InspectorPanel::fillOverview()
{
    if (m_page != nullptr || m_title == nullptr)
        return;
    m_title->setText(m_document.title());
    m_summary->setText(m_document.summary());
    m_summary->setVisible(!m_document.summary().isEmpty());
    const CheckedGraph& checked = *m_document.checked();
    if (checked.nodes.empty())
        return m_totals->setText(m_document.graph().nodes.empty() ? tr("The graph is empty.") : tr("Being checked …"));
    const double flops = checked.cost.forwardFlops + checked.cost.backwardFlops;
    QStringList lines{tr("%1 parameters").arg(countText(checked.cost.parameters)),
                      tr("%1 FLOP a token, forward and backward").arg(scaledText(flops))};
    if (checked.trainingBytes > 0)
        lines << tr("about %1 of memory to train").arg(bytesText(static_cast<double>(checked.trainingBytes)));
    m_totals->setText(lines.join('\n'));
}

void InspectorPanel::renameSelected()
{
    if (m_page == nullptr)
        return;
    m_page->nameField().setFocus();
    m_page->nameField().selectAll();
}

} // namespace unroll
