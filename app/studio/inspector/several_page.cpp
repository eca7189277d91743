// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/several_page.h"

#include "app/studio/inspector/node_page.h"
#include "app/studio/inspector/promoted_params.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/plain_label.h"
#include "core/check/ports.h"

#include <algorithm>

namespace unroll {

namespace {

constexpr qsizetype kMostNames = 24; ///< that are listed

const ParamSpec* byName(const std::vector<ParamSpec>& specs, const std::string& name)
{
    const auto found =
        std::find_if(specs.begin(), specs.end(), [&](const ParamSpec& spec) { return spec.name == name; });
    return found == specs.end() ? nullptr : &*found;
}

bool areOneKind(const ParamSpec& a, const ParamSpec& b)
{
    const auto isSame = [](const ChoiceSpec& x, const ChoiceSpec& y) { return x.value == y.value; };
    return a.type == b.type &&
           std::equal(a.choices.begin(), a.choices.end(), b.choices.begin(), b.choices.end(), isSame);
}

/// What holds of both.
void joinInto(ParamSpec& spec, const ParamSpec& other)
{
    const auto clearUnlessEqual = [](std::string& text, const std::string& also) {
        if (text != also)
            text.clear();
    };
    clearUnlessEqual(spec.help, other.help);
    clearUnlessEqual(spec.unit, other.unit);
    clearUnlessEqual(spec.group, other.group);
    clearUnlessEqual(spec.whenEmpty, other.whenEmpty);
    if (other.minimum && (!spec.minimum || *other.minimum > *spec.minimum))
        spec.minimum = other.minimum;
    if (other.maximum && (!spec.maximum || *other.maximum < *spec.maximum))
        spec.maximum = other.maximum;
    if (spec.suffixes != other.suffixes)
        spec.suffixes.clear();
    const auto isSame = [](const Condition& x, const Condition& y) {
        return x.param == y.param && x.choices == y.choices;
    };
    if (!std::equal(spec.when.begin(), spec.when.end(), other.when.begin(), other.when.end(), isSame))
        spec.when.clear();
    for (std::size_t i = 0; i < spec.choices.size(); ++i)
        clearUnlessEqual(spec.choices[i].explanation, other.choices[i].explanation);
}

std::vector<NodeId> idsOf(const std::vector<const Node*>& nodes)
{
    std::vector<NodeId> ids;
    for (const Node* node : nodes)
        ids.push_back(node->id);
    return ids;
}

} // namespace

std::vector<ParamSpec> SeveralPage::commonParams(const std::vector<const Node*>& nodes, const BlockRegistry& registry)
{
    std::vector<ParamSpec> common = paramsOf(*nodes.front(), registry);
    for (std::size_t i = 1; i < nodes.size(); ++i) {
        const std::vector<ParamSpec> also = paramsOf(*nodes[i], registry);
        std::erase_if(common, [&](const ParamSpec& spec) {
            const ParamSpec* other = byName(also, spec.name);
            return other == nullptr || !areOneKind(spec, *other);
        });
        for (ParamSpec& spec : common)
            joinInto(spec, *byName(also, spec.name));
    }
    return common;
}

SeveralPage::SeveralPage(Document& document, const Appearance& appearance, GroupPath path,
                         const std::vector<const Node*>& nodes, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_path(std::move(path)),
      m_nodes(idsOf(nodes)),
      m_form(new ParamForm(commonParams(nodes, document.registry()), appearance)),
      m_names(plainLabel({}))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::m, space::m, space::m, space::m);
    column->setSpacing(space::s);
    auto* title = new QLabel(tr("%1 nodes").arg(nodes.size()));
    appearance.dress(*title, Type::Title);
    column->addWidget(title);
    m_names->setProperty("tone", "dim");
    column->addWidget(m_names);
    column->addWidget(sectionHeading(tr("In common"), appearance));
    if (m_form->specs().empty())
        column->addWidget(plainLabel(tr("The selected nodes have no parameter in common.")));
    column->addWidget(m_form);
    column->addStretch();
    m_form->setResetText(tr("Reset each to its default"));
    connect(m_form, &ParamForm::edited, this, [this](const std::string& name, const ParamValue& value) {
        edit(
            name, [&](NodeId id) { return edits::setParam(id, name, value); }, Document::Edit::Typing);
    });
    connect(m_form, &ParamForm::resetAsked, this, [this](const std::string& name) {
        edit(
            name, [&](NodeId id) { return edits::resetParam(id, name); }, Document::Edit::Whole);
    });
    connect(m_form, &ParamForm::finished, this, [this] { m_document.endMerge(); });
    connect(m_form, &ParamForm::mendAsked, this, [this](const Fix& fix) { m_document.mend(fix); });
    connect(m_form, &ParamForm::elsewhereAsked, this, [this](const std::string& name) {
        const ShownParam setter = m_setters.at(name); // a copy: the page goes
        Q_EMIT paramAsked(setter.path, setter.group, setter.param.name);
    });
}

bool SeveralPage::isOf(const GroupPath& path, const std::vector<const Node*>& nodes) const
{
    return path == m_path && idsOf(nodes) == m_nodes &&
           makeOneForm(m_form->specs(), commonParams(nodes, m_document.registry()));
}

/// The nodes have their values in one step, and typing in one field goes on to be one.
void SeveralPage::edit(const std::string& param, const std::function<GraphEdit(NodeId)>& one, Document::Edit kind)
{
    std::vector<GraphEdit> parts;
    std::string key = "set/" + param;
    for (const NodeId id : m_nodes) {
        parts.push_back(one(id));
        key += '/' + std::to_string(id);
    }
    const std::string name = parts.front().name;
    GraphEdit all = edits::sequence(name, std::move(parts));
    if (kind == Document::Edit::Typing)
        all.mergeKey = key;
    m_document.apply(edits::inside(m_path, std::move(all)), kind);
}

void SeveralPage::refresh(const std::vector<const Node*>& nodes, const Problems& problems)
{
    QStringList names;
    for (const Node* node : nodes)
        names << QString::fromStdString(node->name);
    if (const qsizetype more = names.size() - kMostNames; more > 0) {
        names.resize(kMostNames);
        names << tr("and %1 more").arg(more);
    }
    m_names->setText(names.join(QStringLiteral(", ")));
    showValues(nodes);
    showProblems(nodes, problems);
}

/// A parameter that a group sets of one of them is not edited here: the edit would be without effect on that one.
void SeveralPage::showValues(const std::vector<const Node*>& nodes)
{
    const Graph& top = m_document.graph();
    Params values;
    std::set<std::string> mixed;
    std::map<std::string, ParamElsewhere> elsewhere;
    m_setters.clear();
    std::vector<std::vector<ParamSpec>> specs;
    for (const Node* node : nodes)
        specs.push_back(paramsOf(*node, m_document.registry()));
    for (const ParamSpec& spec : m_form->specs())
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const auto own = nodes[i]->params.find(spec.name);
            const ParamValue given =
                own == nodes[i]->params.end() ? byName(specs[i], spec.name)->defaultValue : own->second;
            const ParamValue value = asParamOf(spec.type, given).value_or(given);
            if (!(values.emplace(spec.name, value).first->second == value))
                mixed.insert(spec.name);
            const auto setter = setterOf(top, m_path, nodes[i]->id, spec.name);
            if (!setter || !m_setters.emplace(spec.name, *setter).second)
                continue;
            ParamElsewhere set = setByGroup(top, *setter, spec.name);
            set.words = tr("%1. %2").arg(QString::fromStdString(nodes[i]->name), set.words);
            elsewhere.emplace(spec.name, std::move(set));
        }
    m_form->setElsewhere(std::move(elsewhere));
    m_form->setValues(values, mixed);
}

void SeveralPage::showProblems(const std::vector<const Node*>& nodes, const Problems& problems)
{
    ParamFaults wrong;
    for (const Node* node : nodes)
        for (const Diagnostic* problem : problems.at(m_path, node->id))
            if (problem->node == node->id && problem->group == m_path && problem->severity == Severity::Error &&
                m_form->editor(problem->where) != nullptr)
                wrong.emplace(problem->where, ParamFault{tr("%1: %2").arg(QString::fromStdString(node->name),
                                                                          QString::fromStdString(problem->sentence))});
    m_form->setWrong(std::move(wrong));
}

} // namespace unroll
