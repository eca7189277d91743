// SPDX-License-Identifier: GPL-3.0-or-later
// What a node has to do with groups: the one around that shows and sets its parameters, and what it shows where it is
// one.
#include "app/studio/inspector/node_page.h"

#include "app/studio/inspector/spec_text.h"
#include "core/check/ports.h"

namespace unroll {

ParamElsewhere setByGroup(const Graph& top, const ShownParam& setter, const std::string& param)
{
    GroupPath path = setter.path;
    path.push_back(setter.group);
    const QString group = QString::fromStdString(groupNames(top, path)), value = paramValueText(*setter.value);
    const QString words =
        setter.param.name == param
            ? NodePage::tr("Set by group %1: %2").arg(group, value)
            : NodePage::tr("Set by group %1, as %2: %3").arg(group, nameText(setter.param.name), value);
    return {*setter.value, words, NodePage::tr("Go to %1").arg(group)};
}

void NodePage::promote(const std::string& param, bool shown)
{
    m_document.apply(shown ? edits::showParam(m_path, m_node, param) : edits::takeBackParam(m_path, m_node, param));
}

GroupPath NodePage::inner() const
{
    GroupPath path = m_path;
    path.push_back(m_node);
    return path;
}

void NodePage::connectPromoted()
{
    using edits::Promoted;
    PromotedList& list = m_group->promoted();
    connect(&list, &PromotedList::renameAsked, this,
            [this](Promoted kind, const std::string& name, const std::string& to) {
                apply(edits::renamePromoted(m_node, kind, name, to));
            });
    connect(&list, &PromotedList::moveAsked, this, [this](Promoted kind, const std::string& name, int by) {
        apply(edits::movePromoted(m_node, kind, name, by));
    });
    connect(&list, &PromotedList::takeBackAsked, this, &NodePage::takeBack);
}

/// All that goes by the name, in one step.
void NodePage::takeBack(edits::Promoted kind, const std::string& name)
{
    const Graph* graph = &m_document.graph();
    for (const NodeId id : m_path)
        graph = graph->find(id)->group->graph.get();
    const Group& group = *graph->find(m_node)->group;
    std::vector<GraphEdit> parts;
    const auto addPorts = [&](const std::vector<PromotedPort>& ports, const auto& demote) {
        for (const PromotedPort& port : ports)
            if (port.name == name)
                parts.push_back(edits::inside(m_path, demote(m_node, port)));
    };
    if (kind == edits::Promoted::Input)
        addPorts(group.inputs, edits::demoteInput);
    if (kind == edits::Promoted::Output)
        addPorts(group.outputs, edits::demoteOutput);
    if (kind == edits::Promoted::Param)
        for (const PromotedParam& param : group.params)
            if (param.name == name)
                parts.push_back(group.graph->find(param.node) != nullptr
                                    ? edits::takeBackParam(inner(), param.node, param.param)
                                    : edits::inside(m_path, edits::demoteParam(m_node, param)));
    m_document.apply(edits::sequence("Remove " + name, std::move(parts)));
}

void NodePage::showSetters()
{
    const Graph& top = m_document.graph();
    std::map<std::string, QString> shownAs;
    std::map<std::string, ParamElsewhere> elsewhere;
    m_setters.clear();
    for (const ParamSpec& spec : m_form->specs()) {
        const auto shown = shownParams(top, m_path, m_node, spec.name);
        if (!shown.empty())
            shownAs[spec.name] = nameText(shown.front().param.name);
        if (const auto setter = setterOf(top, m_path, m_node, spec.name)) {
            m_setters.emplace(spec.name, *setter);
            elsewhere.emplace(spec.name, setByGroup(top, *setter, spec.name));
        }
    }
    m_form->setElsewhere(std::move(elsewhere));
    const std::string around = groupNames(top, m_path);
    m_form->setPromotable(QString::fromStdString(around.substr(around.rfind('.') + 1)), shownAs);
}

/// Of a group that sets none: parameters of one name whose nodes have different values.
std::set<std::string> NodePage::mixedParams(const Node& node) const
{
    std::set<std::string> mixed;
    if (!node.group)
        return mixed;
    std::map<std::string, ParamValue> first;
    for (const PromotedParam& shown : node.group->params) {
        const Node* inside = node.group->graph->find(shown.node);
        if (inside == nullptr || node.params.contains(shown.name))
            continue;
        for (const ParamSpec& spec : paramsOf(*inside, m_document.registry())) {
            const auto own = inside->params.find(spec.name);
            const ParamValue& value = own == inside->params.end() ? spec.defaultValue : own->second;
            if (spec.name == shown.param && !(first.emplace(shown.name, value).first->second == value))
                mixed.insert(shown.name);
        }
    }
    return mixed;
}

} // namespace unroll
