// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/param_form.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QGridLayout>
#include <QStyle>

namespace unroll {

QWidget* sectionHeading(const QString& text, const Appearance& appearance)
{
    auto* label = new QLabel(text);
    label->setFont(appearance.font(Type::Strong));
    label->setContentsMargins(0, space::s, 0, 0);
    return label;
}

ParamForm::ParamForm(const std::vector<ParamSpec>& specs, const Appearance& appearance, QWidget* parent)
    : QWidget(parent)
{
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(space::s);
    grid->setVerticalSpacing(space::s);
    grid->setColumnStretch(1, 1);
    std::vector<std::string> groups;
    for (const ParamSpec& spec : specs)
        if (std::find(groups.begin(), groups.end(), spec.group) == groups.end())
            groups.push_back(spec.group);
    for (const std::string& group : groups) {
        if (!group.empty())
            grid->addWidget(sectionHeading(QString::fromStdString(group), appearance), grid->rowCount(), 0, 1, 3);
        for (const ParamSpec& spec : specs)
            if (spec.group == group)
                addRow(spec, appearance);
    }
}

void ParamForm::addRow(const ParamSpec& spec, const Appearance& appearance)
{
    auto* grid = static_cast<QGridLayout*>(layout());
    const int at = grid->rowCount();
    auto* label = new QLabel(QString::fromStdString(spec.name).replace('_', ' '));
    auto* editor = new ParamEditor(spec, appearance);
    auto* reset = new QToolButton;
    label->setToolTip(QString::fromStdString(spec.help));
    label->setBuddy(editor);
    reset->setIcon(appearance.icon("reset", Theme::Role::TextDim));
    reset->setIconSize({14, 14});
    reset->setToolTip(tr("Back to the default"));
    auto keepPlace = reset->sizePolicy();
    keepPlace.setRetainSizeWhenHidden(true);
    reset->setSizePolicy(keepPlace);
    reset->hide();
    grid->addWidget(label, at, 0);
    grid->addWidget(editor, at, 1);
    grid->addWidget(reset, at, 2);
    const std::string name = spec.name;
    connect(editor, &ParamEditor::edited, this, [this, name](const ParamValue& value) { Q_EMIT edited(name, value); });
    connect(editor, &ParamEditor::finished, this, &ParamForm::finished);
    connect(reset, &QToolButton::clicked, this, [this, name] { Q_EMIT resetAsked(name); });
    m_rows.push_back({spec, label, editor, reset});
}

void ParamForm::setValues(const Params& values)
{
    for (const Row& row : m_rows) {
        const auto found = values.find(row.spec.name);
        const ParamValue& value = found == values.end() ? row.spec.defaultValue : found->second;
        row.editor->setValue(value);
        const bool changed = !(value == row.spec.defaultValue);
        row.reset->setVisible(changed);
        const char* tone = changed ? "" : "dim";
        if (row.label->property("tone").toString() == QLatin1String(tone))
            continue;
        row.label->setProperty("tone", tone);
        row.label->style()->unpolish(row.label);
        row.label->style()->polish(row.label);
    }
}

void ParamForm::setWrong(const std::map<std::string, QString>& reasons)
{
    for (const Row& row : m_rows) {
        const auto found = reasons.find(row.spec.name);
        row.editor->setWrong(found == reasons.end() ? QString() : found->second);
    }
}

ParamEditor* ParamForm::editor(const std::string& name) const
{
    for (const Row& row : m_rows)
        if (row.spec.name == name)
            return row.editor;
    return nullptr;
}

} // namespace unroll
