// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/group_form.h"

#include "app/studio/theme/metrics.h"
#include "app/studio/theme/param_text.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <utility>

namespace unroll {

namespace {

constexpr const char* kRepeatName = "repeat";
constexpr const char* kSharedName = "shared_weights";
constexpr const char* kReversibleName = "reversible";

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
        specOf(kRepeatName, ParamType::Int, std::int64_t{1},
               GroupForm::tr("Number of copies in series: the outputs of one feed the inputs of the next."));
    repeat.minimum = 1;
    return {std::move(repeat),
            specOf(kSharedName, ParamType::Bool, false, GroupForm::tr("All copies share one set of weights.")),
            specOf(kReversibleName, ParamType::Bool, false,
                   GroupForm::tr("y1 = x1 + F(x2), y2 = x2 + G(y1): training keeps no activations of the copies; the "
                                 "backward pass computes them again from the outputs."))};
}

QString refusal()
{
    return GroupForm::tr("The number of copies must be at least 1.");
}

} // namespace

GroupForm::GroupForm(const Appearance& appearance, QWidget* parent)
    : QWidget(parent), m_form(new ParamForm(formSpecs(), appearance)), m_promoted(new PromotedList(appearance))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    column->addWidget(m_form);
    addButtons();
    column->addWidget(m_promoted);
    connect(m_form, &ParamForm::edited, this, [this](const std::string& name, const ParamValue& value) {
        m_refused = false;
        Params values = m_values;
        values[name] = value;
        if (name == kReversibleName) {
            Q_EMIT reversibleEdited(std::get<bool>(value));
            return;
        }
        Q_EMIT repeatEdited(std::get<std::int64_t>(values.at(kRepeatName)), std::get<bool>(values.at(kSharedName)));
    });
    connect(m_form, &ParamForm::resetAsked, this, [this](const std::string& name) {
        Q_EMIT m_form->edited(name, name == kRepeatName ? ParamValue(std::int64_t{1}) : ParamValue(false));
        Q_EMIT m_form->finished();
    });
    connect(m_form, &ParamForm::finished, this, [this] {
        m_form->setWrong(m_wrong);
        if (std::exchange(m_refused, false)) // the number is gone; why stays to be read
            m_form->remark(kRepeatName, tr("%1 It stays %2.").arg(refusal(), paramValueText(m_values.at(kRepeatName))));
        Q_EMIT finished();
    });
}

void GroupForm::addButtons()
{
    auto* row = new QHBoxLayout;
    row->setSpacing(space::s);
    auto* enter = new QPushButton(tr("Enter"));
    enter->setObjectName("enter");
    enter->setToolTip(tr("Open the group"));
    auto* unpack = new QPushButton(tr("Unpack"));
    unpack->setObjectName("unpack");
    unpack->setToolTip(tr("Replace the group by its contents"));
    row->addWidget(enter);
    row->addWidget(unpack);
    row->addStretch();
    static_cast<QVBoxLayout*>(layout())->addLayout(row);
    connect(enter, &QPushButton::clicked, this, &GroupForm::enterAsked);
    connect(unpack, &QPushButton::clicked, this, &GroupForm::unpackAsked);
    m_unroll = new QPushButton(tr("Unroll into Copies"));
    m_unroll->setObjectName("unroll");
    m_unroll->setToolTip(tr("Replace the group by one group per copy, in series"));
    static_cast<QVBoxLayout*>(layout())->addWidget(m_unroll, 0, Qt::AlignLeft);
    connect(m_unroll, &QPushButton::clicked, this, &GroupForm::unrollAsked);
}

void GroupForm::setGroup(const Group& group)
{
    m_values = {{kRepeatName, group.repeat}, {kSharedName, group.sharedWeights}, {kReversibleName, group.reversible}};
    m_form->setValues(m_values);
    m_unroll->setVisible(group.repeat != 1);
    m_promoted->setGroup(group);
}

void GroupForm::setWrong(const ParamFaults& faults)
{
    m_wrong = faults;
    m_form->setWrong(faults);
}

void GroupForm::refuseRepeat()
{
    m_refused = true;
    m_form->setWrong({{kRepeatName, {refusal()}}});
}

} // namespace unroll
