// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/node_page.h"

#include "app/studio/inspector/block_tile.h"
#include "app/studio/inspector/cost_text.h"
#include "app/studio/inspector/data_preview.h"
#include "app/studio/inspector/field_undo.h"
#include "app/studio/inspector/help_text.h"
#include "app/studio/inspector/promoted_params.h"
#include "app/studio/inspector/spec_text.h"
#include "app/studio/inspector/tab_order.h"
#include "app/studio/inspector/unrolled_sketch.h"
#include "app/studio/inspector/weight_text.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "core/check/ports.h"

#include <QFrame>
#include <QPushButton>

namespace unroll {

namespace {

QLabel* wrapped(const QString& text)
{
    auto* label = new QLabel(text);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

/// The text of a section, rich text; it is found by this name.
QLabel* sectionText(const char* name)
{
    QLabel* label = wrapped({});
    label->setObjectName(name);
    return label;
}

/// Rows of a name and what belongs to it, aligned. Rich text: the caller escapes.
QString table(const QList<std::pair<QString, QString>>& rows, const QColor& dim)
{
    const QString row = QStringLiteral("<tr><td style='padding:0 %1px %2px 0; color:%3'>%4</td>"
                                       "<td style='padding:0 0 %2px 0'>%5</td></tr>")
                            .arg(space::m)
                            .arg(space::xs)
                            .arg(dim.name());
    QString html = QStringLiteral("<table cellspacing='0' cellpadding='0'>");
    for (const auto& [name, value] : rows)
        html += row.arg(name, value);
    return html + QStringLiteral("</table>");
}

/// Of a block that this version does not have.
QString unknown()
{
    return NodePage::tr("Unknown in this version.");
}

} // namespace

QWidget* problemCard(const Diagnostic& diagnostic, const std::function<void(const Fix&)>& mend)
{
    auto* card = new QFrame;
    card->setProperty("fill", diagnostic.severity == Severity::Error     ? "error"
                              : diagnostic.severity == Severity::Warning ? "warning"
                                                                         : "note");
    auto* column = new QVBoxLayout(card);
    column->setContentsMargins(space::s, space::s, space::s, space::s);
    column->setSpacing(space::s);
    column->addWidget(wrapped(QString::fromStdString(diagnostic.sentence)));
    if (diagnostic.fix) {
        auto* button = new QPushButton(QString::fromStdString(diagnostic.fix->title));
        QObject::connect(button, &QPushButton::clicked, card, [mend, fix = *diagnostic.fix] { mend(fix); });
        column->addWidget(button, 0, Qt::AlignLeft);
    }
    return card;
}

NodePage::NodePage(Document& document, const Appearance& appearance, GroupPath path, const Node& node, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_appearance(appearance),
      m_path(std::move(path)),
      m_node(node.id),
      m_block(node.block),
      m_spec(document.registry().find(node.block)),
      m_column(new QVBoxLayout(this))
{
    m_column->setContentsMargins(space::m, space::m, space::m, space::m);
    m_column->setSpacing(space::s);
    addHeader(node);
    m_problems = new QWidget;
    m_problems->setLayout(new QVBoxLayout);
    m_problems->layout()->setContentsMargins(0, 0, 0, 0);
    m_problems->layout()->setSpacing(space::s);
    m_column->addWidget(m_problems);
    if (node.group)
        addGroupForm();
    makeForm(node);
    if (m_path.empty() && m_spec != nullptr && m_spec->category == Category::Data)
        m_column->addWidget(m_data = new DataPreview(appearance));
    m_column->addWidget(sectionHeading(tr("Shapes"), appearance));
    m_column->addWidget(m_shapes = sectionText("shapes"));
    m_column->addWidget(sectionHeading(tr("Cost"), appearance));
    m_column->addWidget(m_cost = sectionText("cost"));
    m_weights = sectionHeading(tr("Weights"), appearance);
    m_column->addWidget(m_weights);
    m_column->addWidget(m_weightLabel = sectionText("weights"));
    m_training = sectionHeading(tr("Training path"), appearance);
    m_column->addWidget(m_training);
    m_column->addWidget(m_trainingLabel = sectionText("trainingPath"));
    addHelp();
    m_column->addStretch();
}

/// In place of the one before: what a group shows changes.
void NodePage::makeForm(const Node& node)
{
    ParamForm* old = m_form;
    m_form = new ParamForm(paramsOf(node, m_document.registry()), m_appearance);
    if (old != nullptr) {
        QWidget* before = beforeInTabOrder(*old);
        delete m_column->replaceWidget(old, m_form);
        putInTabOrder(before, *m_form);
        m_form->show();
        old->hide();
        old->deleteLater();
    } else {
        m_column->addWidget(m_form);
    }
    connect(m_form, &ParamForm::edited, this, [this](const std::string& name, const ParamValue& value) {
        apply(edits::setParam(m_node, name, value), Document::Edit::Typing);
    });
    connect(m_form, &ParamForm::resetAsked, this,
            [this](const std::string& name) { apply(edits::resetParam(m_node, name)); });
    connect(m_form, &ParamForm::finished, this, [this] { m_document.endMerge(); });
    connect(m_form, &ParamForm::mendAsked, this, [this](const Fix& fix) { m_document.mend(fix); });
    connect(m_form, &ParamForm::promotionAsked, this, &NodePage::promote);
    connect(m_form, &ParamForm::elsewhereAsked, this, [this](const std::string& name) {
        const ShownParam setter = m_setters.at(name); // a copy: the page may go
        Q_EMIT paramAsked(setter.path, setter.group, setter.param.name);
    });
}

void NodePage::addHeader(const Node& node)
{
    const bool known = m_spec != nullptr;
    auto* title = new QLabel(known ? QString::fromStdString(m_spec->title) : QString::fromStdString(node.block));
    m_appearance.dress(*title, Type::Title);
    auto* heading = new QHBoxLayout;
    heading->setSpacing(space::s);
    heading->addWidget(new BlockTile(m_spec, m_appearance));
    heading->addWidget(title, 1);
    m_column->addLayout(heading);
    auto* summary = wrapped(known ? QString::fromStdString(m_spec->summary)
                                  : tr("Unknown block in this version of Unroll. It is kept and saved unchanged."));
    summary->setProperty("tone", "dim");
    m_column->addWidget(summary);
    m_name = new QLineEdit;
    m_name->setAccessibleName(tr("Name"));
    m_name->setToolTip(tr("Name of the node; the names of its weights start with it."));
    m_column->addWidget(m_name);
    connect(m_name, &QLineEdit::editingFinished, this, [this] {
        if (m_name->isModified())
            apply(edits::renameNode(m_node, m_name->text().toStdString()));
        m_name->setText(m_nodeName); // as the document has it by now, refused or not
    });
    new FieldUndo(*m_name, *m_name); // after what asks whether anything was typed
}

void NodePage::addGroupForm()
{
    m_column->addWidget(m_group = new GroupForm(m_appearance));
    connect(m_group, &GroupForm::repeatEdited, this, [this](std::int64_t repeat, bool sharedWeights) {
        if (!apply(edits::setRepeat(m_node, repeat, sharedWeights), Document::Edit::Typing))
            m_group->refuseRepeat();
    });
    connect(m_group, &GroupForm::reversibleEdited, this,
            [this](bool reversible) { apply(edits::setReversible(m_node, reversible)); });
    connect(m_group, &GroupForm::finished, this, [this] { m_document.endMerge(); });
    connect(&m_group->form(), &ParamForm::mendAsked, this, [this](const Fix& fix) { m_document.mend(fix); });
    connect(m_group, &GroupForm::enterAsked, this, &NodePage::enterAsked);
    connect(m_group, &GroupForm::unpackAsked, this, &NodePage::unpackAsked);
    connect(m_group, &GroupForm::unrollAsked, this, &NodePage::unrollAsked);
    connectPromoted();
}

void NodePage::promote(const std::string& param, bool shown)
{
    m_document.apply(shown ? edits::showParam(m_path, m_node, param) : edits::takeBackParam(m_path, m_node, param));
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
    connect(&list, &PromotedList::takeBackAsked, this, [this](Promoted kind, const std::string& name) {
        m_document.apply(takeBackPromoted(m_document.graph(), m_path, m_node, kind, name));
    });
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

void NodePage::addHelp()
{
    if (m_spec == nullptr)
        return;
    QString help = QString::fromStdString(m_spec->helpText);
    if (const QString options = optionsMarkdown(m_spec->params); !options.isEmpty())
        help += tr("\n\n## Choices\n\n%1\n").arg(options);
    if (help.isEmpty() && m_spec->provenance.empty())
        return;
    m_column->addWidget(sectionHeading(tr("About"), m_appearance));
    if (m_spec->recurrent)
        m_column->addWidget(new UnrolledSketch(*m_spec, m_appearance));
    if (!help.isEmpty())
        m_column->addWidget(new HelpText(help, m_appearance));
    auto* provenance = wrapped(QString::fromStdString(m_spec->provenance));
    provenance->setProperty("tone", "dim");
    m_column->addWidget(provenance);
}

bool NodePage::apply(GraphEdit edit, Document::Edit kind)
{
    return m_document.apply(m_path.empty() ? std::move(edit) : edits::inside(m_path, std::move(edit)), kind);
}

void NodePage::refresh(const Node& node, const CheckedNode* checked, const std::vector<const Diagnostic*>& problems)
{
    m_nodeName = QString::fromStdString(node.name);
    if (!m_name->isModified() && m_name->text() != m_nodeName) // else it is being typed
        m_name->setText(m_nodeName);
    if (!makeOneForm(m_form->specs(), paramsOf(node, m_document.registry())))
        makeForm(node);
    showSetters();
    const Group* counted = countedGroup(m_document.graph(), m_path, node);
    m_form->setCopies(counted != nullptr && !counted->sharedWeights ? counted->repeat : 0);
    m_form->setValues(node.params, mixedParams(node, m_document.registry()));
    if (m_group != nullptr && node.group)
        m_group->setGroup(*node.group);
    showProblems(problems);
    if (m_data != nullptr)
        m_data->setSummary(m_document.data(m_node), node.params);
    showShapes(node, checked);
    showCost(checked);
    showWeights(checked);
    showTraining(checked);
}

ParamEditor* NodePage::fieldOf(const std::string& param) const
{
    ParamEditor* field = m_group != nullptr ? m_group->form().editor(param) : nullptr;
    return field != nullptr ? field : m_form->editor(param);
}

ParamEditor* NodePage::firstWrong() const
{
    ParamEditor* field = m_group != nullptr ? m_group->form().firstWrong() : nullptr;
    return field != nullptr ? field : m_form->firstWrong();
}

void NodePage::showProblems(const std::vector<const Diagnostic*>& problems)
{
    ParamFaults wrong;
    std::vector<const Diagnostic*> onCards;
    QString cards;
    for (const Diagnostic* problem : problems) {
        const QString sentence = QString::fromStdString(problem->sentence);
        const bool isOurs = problem->node == m_node && problem->group == m_path; // and not of what is inside
        if (isOurs && problem->severity == Severity::Error && fieldOf(problem->where) != nullptr &&
            wrong.emplace(problem->where, ParamFault{sentence, problem->fix}).second)
            continue; // its field says it
        if (m_data != nullptr && problem->severity == Severity::Note && !problem->fix)
            continue; // stands with the data
        onCards.push_back(problem);
        cards += sentence + '\n' + (problem->fix ? QString::fromStdString(problem->fix->title) : QString()) + '\n';
    }
    m_form->setWrong(wrong);
    if (m_group != nullptr)
        m_group->setWrong(wrong);
    m_problems->setVisible(!onCards.empty());
    m_fixes.clear();
    for (const Diagnostic* problem : onCards)
        m_fixes.push_back(problem->fix);
    if (cards == m_problemsShown)
        return;
    m_problemsShown = cards;
    while (QLayoutItem* old = m_problems->layout()->takeAt(0)) {
        old->widget()->deleteLater();
        delete old;
    }
    for (std::size_t i = 0; i < onCards.size(); ++i)
        m_problems->layout()->addWidget(problemCard(*onCards[i], [this, i](const Fix&) {
            if (const auto fix = m_fixes[i]) // a copy: the edit remakes the list
                m_document.mend(*fix);
        }));
}

void NodePage::showWeights(const CheckedNode* checked)
{
    std::vector<WeightSpec> weights;
    if (m_spec != nullptr && checked != nullptr && !checked->inner) {
        const bool counted = checked->cost.parameters > 0; // else something is missing or wrong
        weights = m_spec->weightsOf(checked->params, counted ? checked->inputs : std::map<std::string, Shape>());
    }
    m_weightLabel->setText(weightsText(weights, m_appearance.theme()[Theme::Role::TextDim]));
    m_weights->setVisible(!weights.empty());
    m_weightLabel->setVisible(!weights.empty());
}

void NodePage::showShapes(const Node& node, const CheckedNode* checked)
{
    QList<std::pair<QString, QString>> rows;
    const auto add = [&](const std::vector<PortSpec>& ports, const std::map<std::string, Shape>& shapes,
                         const char* pattern) {
        for (const PortSpec& port : ports)
            if (const auto shape = shapes.find(port.name); shape != shapes.end())
                rows.append({QString::fromUtf8(pattern).arg(QString::fromStdString(port.name)),
                             QString::fromStdString(shape->second.text()).toHtmlEscaped()});
    };
    if (checked != nullptr) {
        const NodePorts ports = portsOf(node, m_document.registry());
        add(ports.inputs, checked->inputs, "→ %1");
        add(ports.outputs, checked->outputs, "%1 →");
    }
    const QColor dim = m_appearance.theme()[Theme::Role::TextDim];
    m_shapes->setText(!rows.isEmpty()     ? table(rows, dim)
                      : m_spec != nullptr ? tr("Available once the inputs are wired.")
                                          : unknown());
}

void NodePage::showCost(const CheckedNode* checked)
{
    const QColor dim = m_appearance.theme()[Theme::Role::TextDim];
    const Cost cost = checked != nullptr ? checked->cost : Cost{};
    if (cost == Cost{})
        return m_cost->setText(m_spec == nullptr ? unknown()
                               : m_spec->cost    ? tr("Available once the shapes are known.")
                                                 : tr("Nothing is computed here."));
    m_cost->setText(table(costRows(cost, m_document.checked()->cost), dim));
}

void NodePage::showTraining(const CheckedNode* checked)
{
    QString words;
    if (checked != nullptr && checked->looped)
        words = tr("Step by step, as part of a loop.");
    else if (checked != nullptr && m_spec != nullptr && m_spec->trainingPath)
        words = QString::fromStdString(m_spec->trainingPath(checked->params, checked->inputs));
    m_trainingLabel->setText(words);
    m_training->setVisible(!words.isEmpty());
    m_trainingLabel->setVisible(!words.isEmpty());
}

} // namespace unroll
