// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/group_form.h"

#include "app/studio/theme/metrics.h"
#include "app/studio/theme/param_text.h"
#include "app/studio/theme/plain_label.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

namespace unroll {

namespace {

constexpr const char* repeatName = "repeat";
constexpr const char* sharedName = "shared_weights";

ParamSpec specOf(const char* name, ParamType type, ParamValue defaultValue, const QString& help)
{
    ParamSpec spec{};
    spec.name = name;
    spec.type = type;
    spec.defaultValue = std::move(defaultValue);
    spec.help = help.toStdString();
    return spec;
}

std::vector<ParamSpec> formSpecs()
{
    ParamSpec repeat =
        specOf(repeatName, ParamType::Int, std::int64_t{1},
               GroupForm::tr("How many copies follow each other: the outputs of one feed the inputs of the next."));
    repeat.minimum = 1;
    return {std::move(repeat),
            specOf(sharedName, ParamType::Bool, false, GroupForm::tr("All copies use one set of weights."))};
}

QString refusal()
{
    return GroupForm::tr("A group is repeated once or more.");
}

/// "lstm.x": what a port or parameter of the group stands for.
QString innerEnd(const Group& group, NodeId id, const std::string& name)
{
    const Node* node = group.graph->find(id);
    return node != nullptr ? QString::fromStdString(node->name + "." + name) : GroupForm::tr("nothing inside");
}

/// Rows of a name and what it stands for, one after the other.
QStringList promotedRows(const Group& group)
{
    QStringList rows;
    for (const PromotedPort& port : group.inputs)
        rows << QStringLiteral("→ %1").arg(QString::fromStdString(port.name))
             << innerEnd(group, port.inner.node, port.inner.port);
    for (const PromotedPort& port : group.outputs)
        rows << QStringLiteral("%1 →").arg(QString::fromStdString(port.name))
             << innerEnd(group, port.inner.node, port.inner.port);
    for (const PromotedParam& param : group.params)
        rows << QString::fromStdString(param.name) << innerEnd(group, param.node, param.param);
    return rows;
}

} // namespace

GroupForm::GroupForm(const Appearance& appearance, QWidget* parent)
    : QWidget(parent),
      m_form(new ParamForm(formSpecs(), appearance)),
      m_heading(sectionHeading(tr("Ports and parameters"), appearance)),
      m_promoted(new QFormLayout)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    column->addWidget(m_form);
    addButtons();
    column->addWidget(m_heading);
    m_promoted->setHorizontalSpacing(space::m);
    m_promoted->setVerticalSpacing(space::xs);
    column->addLayout(m_promoted);
    connect(m_form, &ParamForm::edited, this, [this](const std::string& name, const ParamValue& value) {
        m_refused = false;
        Params values = m_values;
        values[name] = value;
        Q_EMIT repeatEdited(std::get<std::int64_t>(values.at(repeatName)), std::get<bool>(values.at(sharedName)));
    });
    connect(m_form, &ParamForm::resetAsked, this, [this](const std::string& name) {
        Q_EMIT m_form->edited(name, name == repeatName ? ParamValue(std::int64_t{1}) : ParamValue(false));
        Q_EMIT m_form->finished();
    });
    connect(m_form, &ParamForm::finished, this, [this] {
        m_form->setWrong(m_wrong);
        if (std::exchange(m_refused, false)) // the number is gone; why stays to be read
            m_form->remark(repeatName, tr("%1 It stays %2.").arg(refusal(), valueWords(m_values.at(repeatName))));
        Q_EMIT finished();
    });
}

void GroupForm::addButtons()
{
    auto* row = new QHBoxLayout;
    row->setSpacing(space::s);
    auto* enter = new QPushButton(tr("Enter"));
    enter->setObjectName("enter");
    enter->setToolTip(tr("Show what is inside"));
    auto* unpack = new QPushButton(tr("Unpack"));
    unpack->setObjectName("unpack");
    unpack->setToolTip(tr("Put what is inside in the group's place"));
    row->addWidget(enter);
    row->addWidget(unpack);
    row->addStretch();
    static_cast<QVBoxLayout*>(layout())->addLayout(row);
    connect(enter, &QPushButton::clicked, this, &GroupForm::enterAsked);
    connect(unpack, &QPushButton::clicked, this, &GroupForm::unpackAsked);
}

void GroupForm::setGroup(const Group& group)
{
    m_values = {{repeatName, group.repeat}, {sharedName, group.sharedWeights}};
    m_form->setValues(m_values);
    showPromoted(group);
}

void GroupForm::showPromoted(const Group& group)
{
    const QStringList rows = promotedRows(group);
    m_heading->setVisible(!rows.isEmpty());
    if (rows == m_shown)
        return;
    m_shown = rows;
    while (m_promoted->rowCount() > 0)
        m_promoted->removeRow(0);
    for (qsizetype i = 0; i < rows.size(); i += 2) {
        auto* name = new QLabel(rows[i]);
        name->setTextFormat(Qt::PlainText);
        name->setProperty("tone", "dim");
        m_promoted->addRow(name, plainLabel(rows[i + 1]));
    }
}

void GroupForm::setWrong(const ParamFaults& faults)
{
    m_wrong = faults;
    m_form->setWrong(faults);
}

void GroupForm::refuseRepeat()
{
    m_refused = true;
    m_form->setWrong({{repeatName, {refusal()}}});
}

} // namespace unroll
