// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/inspector_panel.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

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
    connect(&document, &Document::fileChanged, this, [this] {
        if (m_card != nullptr)
            m_card->refresh();
    });
    connect(&appearance, &Appearance::changed, this, &InspectorPanel::refresh);
    showSelection();
}

std::vector<const Node*> InspectorPanel::selected() const
{
    std::vector<const Node*> nodes;
    for (const NodeId id : m_scene.selection())
        if (const Node* node = m_scene.shown().find(id))
            nodes.push_back(node);
    return nodes;
}

bool InspectorPanel::isShown(const std::vector<const Node*>& nodes) const
{
    if (nodes.empty())
        return m_card != nullptr;
    if (nodes.size() > 1)
        return m_several != nullptr && m_several->isOf(m_scene.path(), nodes);
    return m_page != nullptr && m_page->node() == nodes.front()->id && m_page->block() == nodes.front()->block &&
           m_page->path() == m_scene.path();
}

void InspectorPanel::showSelection()
{
    const bool same = isShown(selected());
    if (!same) {
        // takeWidget and deleteLater: the change may come from an editor inside the page that is about to go.
        if (QWidget* old = takeWidget())
            old->deleteLater();
        QWidget* body = bodyOf(selected()); // a field that lost the focus may have made an edit
        body->setObjectName("scrollBody");
        setWidget(body);
    }
    refresh();
    if (!same)
        revealFault();
}

QWidget* InspectorPanel::bodyOf(const std::vector<const Node*>& nodes)
{
    m_page = nullptr;
    m_several = nullptr;
    m_card = nullptr;
    if (nodes.size() == 1)
        return m_page = pageOf(*nodes.front());
    if (nodes.empty())
        return m_card = new ExperimentCard(m_document, m_appearance);
    m_several = new SeveralPage(m_document, m_appearance, m_scene.path(), nodes);
    connect(m_several, &SeveralPage::paramAsked, this, &InspectorPanel::goToParam);
    return m_several;
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
    connect(page, &NodePage::unrollAsked, this, &InspectorPanel::unrollAsked);
    connect(page, &NodePage::paramAsked, this, &InspectorPanel::goToParam);
    return page;
}

/// Shows the node and puts the cursor into the parameter's field.
void InspectorPanel::goToParam(const GroupPath& path, NodeId node, const std::string& param)
{
    Q_EMIT nodeAsked(path, node);
    if (m_page == nullptr || m_page->node() != node || m_page->path() != path)
        return;
    if (ParamEditor* field = m_page->form().editor(param)) {
        field->setFocus();
        QMetaObject::invokeMethod(
            m_page, [this, field] { ensureWidgetVisible(field, 0, 3 * space::xl); }, Qt::QueuedConnection);
    }
}

void InspectorPanel::refresh()
{
    const auto nodes = selected();
    if (!isShown(nodes))
        return; // the scene has not told yet
    if (m_card != nullptr)
        m_card->refresh();
    else if (m_several != nullptr)
        m_several->refresh(nodes, m_problems);
    else
        m_page->refresh(*nodes.front(), m_scene.level().checkedNode(*nodes.front()),
                        m_problems.at(m_page->path(), m_page->node()));
}

void InspectorPanel::renameSelected()
{
    QLineEdit* field = m_page != nullptr ? &m_page->nameField() : m_card != nullptr ? &m_card->titleField() : nullptr;
    if (field == nullptr)
        return;
    field->setFocus();
    field->selectAll();
}

} // namespace unroll
