// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/param_form.h"

#include "app/studio/inspector/spec_text.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/style.h"
#include "core/graph/by_copy.h"

#include <QGridLayout>
#include <algorithm>

namespace unroll {

namespace {

constexpr int kColumns = 5; ///< name, editor, reset, promotion, by copy

} // namespace

bool makeOneForm(const std::vector<ParamSpec>& a, const std::vector<ParamSpec>& b)
{
    const auto isSame = [](const ParamSpec& x, const ParamSpec& y) {
        return x.name == y.name && x.type == y.type && x.defaultValue == y.defaultValue && x.help == y.help &&
               x.choices == y.choices && x.minimum == y.minimum && x.maximum == y.maximum;
    };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), isSame);
}

QWidget* sectionHeading(const QString& text, const Appearance& appearance)
{
    auto* label = new QLabel(text);
    appearance.dress(*label, Type::Strong);
    label->setContentsMargins(0, space::s, 0, 0);
    return label;
}

ParamForm::ParamForm(const std::vector<ParamSpec>& specs, const Appearance& appearance, QWidget* parent)
    : QWidget(parent), m_specs(specs)
{
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(space::s);
    grid->setVerticalSpacing(0); // rows come with their own gaps: a note stands closer to its field than to the next
    grid->setColumnStretch(0, 4);
    grid->setColumnStretch(1, 5);
    std::vector<std::string> groups;
    for (const ParamSpec& spec : specs)
        if (std::find(groups.begin(), groups.end(), spec.group) == groups.end())
            groups.push_back(spec.group);
    for (const std::string& group : groups) {
        if (!group.empty())
            addHeading(QString::fromStdString(group), appearance);
        for (const ParamSpec& spec : specs)
            if (spec.group == group)
                addRow(spec, appearance);
    }
}

void ParamForm::addHeading(const QString& text, const Appearance& appearance)
{
    auto* grid = static_cast<QGridLayout*>(layout());
    const int at = grid->rowCount();
    grid->addWidget(sectionHeading(text, appearance), at, 0, 1, kColumns);
    grid->setRowMinimumHeight(at + 1, space::s);
}

namespace {

QToolButton* resetButton(const ParamSpec& spec, const Appearance& appearance)
{
    auto* button = new QToolButton;
    button->setObjectName("small");
    button->setIcon(appearance.icon("reset", Theme::Role::TextDim));
    appearance.follow(*button, [button] { button->setIconSize(QSize(7, 7) * button->fontMetrics().height() / 8); });
    button->setToolTip(ParamForm::tr("Reset to the default: %1").arg(paramDefaultText(spec)));
    button->setAccessibleName(ParamForm::tr("Reset %1").arg(QString::fromStdString(spec.name)));
    auto keepPlace = button->sizePolicy();
    keepPlace.setRetainSizeWhenHidden(true);
    button->setSizePolicy(keepPlace);
    button->hide();
    return button;
}

/// The line under a field: what the choice means, or why the value will not do.
QLabel* noteLabel(const Appearance& appearance)
{
    auto* label = new QLabel;
    appearance.dress(*label, Type::Caption);
    label->setContentsMargins(0, space::xs, 0, 0);
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
    auto* label = new QLabel(nameText(spec.name));
    auto* editor = new ParamEditor(spec, appearance);
    auto* reset = resetButton(spec, appearance);
    auto* note = noteLabel(appearance);
    auto* promote = promoteButton(spec, appearance);
    auto* byCopy = byCopyButton(spec, appearance);
    auto* mend = new QPushButton;
    auto* go = new QPushButton;
    mend->hide();
    go->hide();
    label->setToolTip(paramHelp(spec));
    label->setBuddy(editor);
    label->setWordWrap(true);
    grid->addWidget(label, at, 0);
    grid->addWidget(editor, at, 1);
    grid->addWidget(reset, at, 2);
    grid->addWidget(promote, at, 3);
    grid->addWidget(byCopy, at, 4);
    grid->addWidget(note, at + 1, 0, 1, kColumns);
    grid->addWidget(mend, at + 2, 0, 1, kColumns, Qt::AlignLeft);
    grid->addWidget(go, at + 3, 0, 1, kColumns, Qt::AlignLeft);
    grid->setRowMinimumHeight(at + 4, space::s);
    const std::string name = spec.name;
    connect(go, &QPushButton::clicked, this, [this, name] { Q_EMIT elsewhereAsked(name); });
    connect(editor, &ParamEditor::edited, this, [this, name](const ParamValue& value) {
        remark(name, {});
        Q_EMIT edited(name, value);
    });
    connect(editor, &ParamEditor::misread, this, [this, name](const QString& words) { remark(name, words); });
    connect(editor, &ParamEditor::finished, this, &ParamForm::finished);
    connect(reset, &QToolButton::clicked, this, [this, name, editor, reset] {
        if (reset->hasFocus())
            editor->setFocus(); // the button goes
        remark(name, {});
        Q_EMIT resetAsked(name);
    });
    connect(mend, &QPushButton::clicked, this, [this, name, editor, mend] {
        if (mend->hasFocus())
            editor->setFocus(); // the button goes
        remark(name, {});
        mendFault(name);
    });
    m_rows.push_back({spec, label, editor, reset, promote, byCopy, mend, go, note, {}, {}, {}});
}

QToolButton* ParamForm::promoteButton(const ParamSpec& spec, const Appearance& appearance)
{
    auto* button = new QToolButton;
    button->setObjectName("small");
    button->setCheckable(true);
    button->setIcon(appearance.icon("promote", Theme::Role::TextDim));
    button->setIconSize(QSize(7, 7) * button->fontMetrics().height() / 8);
    button->setAccessibleName(tr("Promote %1").arg(QString::fromStdString(spec.name)));
    button->hide();
    connect(button, &QToolButton::clicked, this, [this, name = spec.name](bool shown) { askPromotion(name, shown); });
    return button;
}

QToolButton* ParamForm::byCopyButton(const ParamSpec& spec, const Appearance& appearance)
{
    auto* button = new QToolButton;
    button->setObjectName("small");
    button->setCheckable(true);
    button->setIcon(appearance.icon("copies", Theme::Role::TextDim));
    button->setIconSize(QSize(7, 7) * button->fontMetrics().height() / 8);
    button->setAccessibleName(tr("%1 by copy").arg(QString::fromStdString(spec.name)));
    button->hide();
    connect(button, &QToolButton::clicked, this, [this, name = spec.name](bool differs) { askByCopy(name, differs); });
    return button;
}

void ParamForm::askByCopy(const std::string& name, bool differs)
{
    for (const Row& row : m_rows)
        if (row.spec.name == name) {
            remark(name, {});
            ParamValue value = inFirstCopy(row.value); // a copy: the edit changes the rows
            if (const auto plain = asPlain(value); plain && differs)
                value = listOf({ByCopy::Rule::List, 0, {*plain}}, m_copies);
            Q_EMIT edited(name, value);
            Q_EMIT finished();
            return;
        }
}

/// The button shows what the document has, also where the edit was refused.
void ParamForm::askPromotion(const std::string& name, bool shown)
{
    Q_EMIT promotionAsked(name, shown);
    for (const Row& row : m_rows)
        if (row.spec.name == name)
            row.promote->setChecked(row.isShown);
}

void ParamForm::setPromotable(const QString& group, const std::map<std::string, QString>& shownAs)
{
    for (Row& row : m_rows) {
        const auto shown = shownAs.find(row.spec.name);
        const QString name = nameText(row.spec.name);
        row.isShown = shown != shownAs.end();
        row.promote->setVisible(!group.isEmpty());
        row.promote->setChecked(row.isShown);
        row.promote->setToolTip(
            row.isShown ? tr("Exposed as %2 on the group %1. Click to remove it there; the effective value stays.")
                              .arg(group, shown->second)
                        : tr("Expose %1 as a parameter of the group %2").arg(name, group));
    }
}

void ParamForm::setResetText(const QString& words)
{
    for (const Row& row : m_rows)
        row.reset->setToolTip(words);
}

void ParamForm::setValues(const Params& given, const std::set<std::string>& mixed)
{
    Params values = given;
    for (const auto& [name, set] : m_elsewhere)
        values[name] = set.value;
    for (const Row& row : m_rows)
        values.emplace(row.spec.name, row.spec.defaultValue);
    const auto isMixed = [&](const std::string& name) { return mixed.contains(name) && !m_elsewhere.contains(name); };
    for (const std::string& name : mixed)
        if (isMixed(name))
            values.erase(name); // what hangs on it may count
    for (Row& row : m_rows) {
        setRow(row, values, isMixed(row.spec.name));
        if (isMixed(row.spec.name))
            row.reset->setVisible(given.contains(row.spec.name));
    }
}

void ParamForm::setRow(Row& row, const Params& values, bool isMixed)
{
    const auto elsewhere = m_elsewhere.find(row.spec.name);
    const bool isHere = elsewhere == m_elsewhere.end();
    const bool counts = row.spec.counts(values);
    row.label->setEnabled(counts);
    row.editor->setEnabled(counts && isHere);
    if (isMixed)
        row.editor->setMixed();
    else
        row.editor->setValue(values.at(row.spec.name));
    row.explanation = !isHere   ? elsewhere->second.words
                      : isMixed ? QString()
                                : choiceHelp(row.spec, values.at(row.spec.name));
    showCopies(row, isMixed ? row.spec.defaultValue : values.at(row.spec.name), isHere);
    if (!isHere) {
        row.remark.clear();
        row.go->setText(elsewhere->second.action);
    }
    row.go->setVisible(!isHere);
    showNote(row);
    const bool changed = isMixed || !isDefault(row.spec, values.at(row.spec.name));
    row.reset->setVisible(changed && isHere);
    restyle(*row.label, "tone", changed ? "" : "dim");
}

/// A button where the value may differ by copy, and what a rule comes to.
void ParamForm::showCopies(Row& row, const ParamValue& value, bool isHere) const
{
    constexpr std::int64_t kMostListed = 32;
    const auto* values = std::get_if<ByCopy>(&value);
    row.value = value;
    row.byCopy->setVisible(isHere && mayDifferByCopy(row.spec.type) && (m_copies > 1 || values != nullptr));
    row.byCopy->setChecked(values != nullptr);
    row.byCopy->setToolTip(values != nullptr ? tr("One value for all copies again")
                                             : tr("A value for each of the %1 copies").arg(m_copies));
    if (values != nullptr && isHere && values->rule != ByCopy::Rule::List && m_copies > 1 && m_copies <= kMostListed)
        row.explanation = paramValueText(listOf(*values, m_copies));
}

void ParamForm::setWrong(ParamFaults faults)
{
    for (Row& row : m_rows) {
        row.wrong = std::move(faults[row.spec.name]);
        row.editor->setWrong(row.wrong.reason);
        showNote(row);
    }
}

void ParamForm::mendFault(const std::string& name)
{
    for (const Row& row : m_rows)
        if (row.spec.name == name && row.wrong.fix) {
            const Fix fix = *row.wrong.fix; // a copy: the edit ends the fault
            Q_EMIT mendAsked(fix);
            return;
        }
}

void ParamForm::remark(const std::string& name, const QString& words)
{
    for (Row& row : m_rows)
        if (row.spec.name == name) {
            row.remark = words;
            showNote(row);
        }
}

void ParamForm::showNote(const Row& row)
{
    const QString& trouble = row.remark.isEmpty() ? row.wrong.reason : row.remark;
    const bool canMend = row.remark.isEmpty() && row.wrong.fix;
    const QString& words = trouble.isEmpty() ? row.explanation : trouble;
    row.note->setText(words);
    row.note->setVisible(!words.isEmpty());
    const bool hasButton = canMend || !row.go->isHidden();
    row.note->setContentsMargins(0, space::xs, 0, hasButton ? space::xs : 0);
    restyle(*row.note, "tone", trouble.isEmpty() ? "dim" : "error");
    if (canMend)
        row.mend->setText(QString::fromStdString(row.wrong.fix->title));
    row.mend->setVisible(canMend);
}

ParamEditor* ParamForm::editor(const std::string& name) const
{
    for (const Row& row : m_rows)
        if (row.spec.name == name)
            return row.editor;
    return nullptr;
}

ParamEditor* ParamForm::firstWrong() const
{
    const auto found =
        std::find_if(m_rows.begin(), m_rows.end(), [](const Row& row) { return !row.wrong.reason.isEmpty(); });
    return found == m_rows.end() ? nullptr : found->editor;
}

} // namespace unroll
