// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/param_form.h"

#include "app/studio/inspector/param_words.h"
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

namespace {

QToolButton* resetButton(const ParamSpec& spec, const Appearance& appearance)
{
    auto* button = new QToolButton;
    button->setIcon(appearance.icon("reset", Theme::Role::TextDim));
    button->setIconSize({14, 14});
    button->setToolTip(ParamForm::tr("Back to the default: %1").arg(defaultWords(spec)));
    button->setAccessibleName(ParamForm::tr("Reset %1").arg(QString::fromStdString(spec.name)));
    auto keepPlace = button->sizePolicy();
    keepPlace.setRetainSizeWhenHidden(true);
    button->setSizePolicy(keepPlace);
    button->hide();
    return button;
}

QLabel* rangeLabel(const ParamSpec& spec, const Appearance& appearance)
{
    const QString words = rangeWords(spec);
    if (words.isEmpty())
        return nullptr;
    auto* label = new QLabel(words);
    label->setFont(appearance.font(Type::Caption));
    label->setWordWrap(true);
    label->hide();
    return label;
}

/// A file may say 1 where the spec says 1.0.
bool isDefault(const ParamSpec& spec, const ParamValue& value)
{
    return asParamOf(spec.type, value) == asParamOf(spec.type, spec.defaultValue);
}

} // namespace

void ParamForm::addRow(const ParamSpec& spec, const Appearance& appearance)
{
    auto* grid = static_cast<QGridLayout*>(layout());
    const int at = grid->rowCount();
    auto* label = new QLabel(QString::fromStdString(spec.name).replace('_', ' '));
    auto* editor = new ParamEditor(spec, appearance);
    auto* reset = resetButton(spec, appearance);
    auto* range = rangeLabel(spec, appearance);
    label->setToolTip(paramHelp(spec));
    label->setBuddy(editor);
    grid->addWidget(label, at, 0);
    grid->addWidget(editor, at, 1);
    grid->addWidget(reset, at, 2);
    if (range != nullptr)
        grid->addWidget(range, at + 1, 1, 1, 2);
    const std::string name = spec.name;
    connect(editor, &ParamEditor::edited, this, [this, name](const ParamValue& value) { Q_EMIT edited(name, value); });
    connect(editor, &ParamEditor::finished, this, &ParamForm::finished);
    connect(reset, &QToolButton::clicked, this, [this, name, editor, reset] {
        if (reset->hasFocus())
            editor->setFocus(); // the button goes
        Q_EMIT resetAsked(name);
    });
    m_rows.push_back({spec, label, editor, reset, range});
}

void ParamForm::setValues(const Params& values)
{
    for (const Row& row : m_rows) {
        const auto found = values.find(row.spec.name);
        const ParamValue& value = found == values.end() ? row.spec.defaultValue : found->second;
        row.editor->setValue(value);
        const bool changed = !isDefault(row.spec, value);
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
        if (row.range != nullptr)
            row.range->setVisible(found != reasons.end());
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
