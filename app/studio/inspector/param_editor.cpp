// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/param_editor.h"

#include "app/studio/inspector/field_undo.h"
#include "app/studio/inspector/number_field.h"
#include "app/studio/inspector/path_field.h"
#include "app/studio/inspector/spec_text.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/param_text.h"
#include "app/studio/theme/style.h"
#include "core/experiment/adjust.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QStyle>
#include <QStylePainter>
#include <QToolButton>
#include <QWheelEvent>

namespace unroll {

namespace {

/// A combo box that lets the wheel scroll the panel around it, and shortens what it has no room for; the whole is in
/// the tooltip.
class ChoiceBox : public QComboBox {
public:
    using QComboBox::QComboBox;

protected:
    void wheelEvent(QWheelEvent* event) override { event->ignore(); }
    void paintEvent(QPaintEvent*) override
    {
        QStylePainter painter(this);
        QStyleOptionComboBox option;
        initStyleOption(&option);
        const QRect room = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
        if (currentIndex() < 0) {
            option.currentText = placeholderText();
            option.palette.setBrush(QPalette::ButtonText, option.palette.placeholderText());
        }
        option.currentText = fontMetrics().elidedText(option.currentText, Qt::ElideRight, room.width() - 2);
        painter.drawComplexControl(QStyle::CC_ComboBox, option);
        painter.drawControl(QStyle::CE_ComboBoxLabel, option);
    }
};

Number numberOf(const ParamValue& value)
{
    if (const auto* whole = std::get_if<std::int64_t>(&value))
        return *whole;
    return std::get<double>(value);
}

ParamValue valueOf(const Number& number)
{
    if (const auto* whole = std::get_if<std::int64_t>(&number))
        return *whole;
    return std::get<double>(number);
}

/// The number that ParamSpec::whenEmpty is the meaning of.
Number namedNumber(const ParamSpec& spec)
{
    if (!spec.minimum)
        return numberOf(spec.defaultValue);
    return spec.type == ParamType::Int ? Number(static_cast<std::int64_t>(*spec.minimum)) : Number(*spec.minimum);
}

QString mixedText()
{
    return ParamEditor::tr("mixed");
}

} // namespace

ParamEditor::ParamEditor(const ParamSpec& spec, const Appearance& appearance, QWidget* parent)
    : QWidget(parent), m_spec(spec)
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::xs);
    switch (spec.type) {
    case ParamType::Bool: makeFlag(); break;
    case ParamType::Int:
    case ParamType::Real: makeNumber(); break;
    case ParamType::Choice: makeChoice(); break;
    case ParamType::Text: makeText(new QLineEdit); break;
    case ParamType::Path: makePath(appearance); break;
    }
    connect(this, &ParamEditor::finished, this, [this] {
        if (m_given && std::holds_alternative<ByCopy>(*m_given))
            m_byCopy->setText(QString::fromStdString(paramText(*m_given)));
        else if (m_given)
            m_show(*m_given);
    });
    setFocusProxy(m_field);
    m_field->setAccessibleName(QString::fromStdString(spec.name));
    m_field->setAccessibleDescription(paramHelp(spec));
    setToolTip(paramHelp(spec));
}

/// The field loses the focus while its editor goes: nobody is to hear of it any more.
ParamEditor::~ParamEditor()
{
    m_field->disconnect(this);
    if (m_byCopy != nullptr)
        m_byCopy->disconnect(this);
}

void ParamEditor::use(QWidget* field)
{
    m_field = field;
    layout()->addWidget(field);
}

void ParamEditor::makeFlag()
{
    auto* box = new QCheckBox;
    use(box);
    m_show = [box](const ParamValue& value) {
        box->setTristate(false);
        box->setCheckState(std::get<bool>(value) ? Qt::Checked : Qt::Unchecked);
    };
    m_showMixed = [box] { box->setCheckState(Qt::PartiallyChecked); }; // the next click sets it
    connect(box, &QCheckBox::clicked, this, [this](bool on) {
        Q_EMIT edited(on);
        Q_EMIT finished();
    });
}

void ParamEditor::makeNumber()
{
    const bool saysMore = m_spec.unit != m_spec.name; // "units: 256 units"
    auto* field = new NumberField(m_spec.type == ParamType::Int ? NumberKind::Whole : NumberKind::Real,
                                  saysMore ? QString::fromStdString(m_spec.unit) : QString());
    field->setRange(m_spec.minimum, m_spec.maximum, false);
    field->setWordsElsewhere();
    if (!m_spec.whenEmpty.empty())
        field->setWordsFor(namedNumber(m_spec), QString::fromStdString(m_spec.whenEmpty));
    use(field);
    m_show = [field](const ParamValue& value) { field->setNumber(numberOf(value)); };
    m_showMixed = [field] { field->setMixed(mixedText()); };
    connect(field, &NumberField::edited, this, [this](const Number& number) { Q_EMIT edited(valueOf(number)); });
    connect(field, &NumberField::finished, this, &ParamEditor::finished);
    connect(field, &NumberField::misread, this, &ParamEditor::misread);
}

void ParamEditor::makeChoice()
{
    auto* box = new ChoiceBox;
    for (const ChoiceSpec& choice : m_spec.choices) {
        box->addItem(QString::fromStdString(choice.value));
        box->setItemData(box->count() - 1, QString::fromStdString(choice.explanation), Qt::ToolTipRole);
    }
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon); // long names give way to a narrow panel
    box->setMinimumContentsLength(6);
    use(box);
    m_show = [box](const ParamValue& value) {
        box->setCurrentText(QString::fromStdString(std::get<std::string>(value)));
    };
    m_showMixed = [box] {
        box->setPlaceholderText(mixedText());
        box->setCurrentIndex(-1);
    };
    connect(box, &QComboBox::textActivated, this, [this](const QString& text) {
        Q_EMIT edited(text.toStdString());
        Q_EMIT finished();
    });
}

void ParamEditor::makeText(QLineEdit* line)
{
    use(line);
    new FieldUndo(*line, *line);
    m_showMixed = [line] {
        line->setPlaceholderText(mixedText());
        if (!line->text().isEmpty())
            line->clear();
    };
    m_show = [this, line](const ParamValue& value) {
        const QString whenEmpty = QString::fromStdString(m_spec.whenEmpty);
        line->setPlaceholderText(whenEmpty);
        const QString text = QString::fromStdString(std::get<std::string>(value));
        const bool tells = text.isEmpty() && !whenEmpty.isEmpty(); // a narrow field cuts it
        line->setToolTip(tells ? paramHelp(m_spec) + '\n' + tr("Empty: %1").arg(whenEmpty) : QString());
        if (line->text() != text)
            line->setText(text);
    };
    connect(line, &QLineEdit::textEdited, this, [this](const QString& text) { Q_EMIT edited(text.toStdString()); });
    connect(line, &QLineEdit::editingFinished, this, &ParamEditor::finished);
}

void ParamEditor::makePath(const Appearance& appearance)
{
    auto* field = new PathField(m_spec.suffixes);
    makeText(field);
    auto* button = new QToolButton;
    button->setIcon(appearance.icon("folder"));
    button->setToolTip(tr("Choose a file …"));
    button->setAccessibleName(button->toolTip());
    layout()->addWidget(button);
    connect(button, &QToolButton::clicked, field, &PathField::choose);
    connect(field, &PathField::chosen, this, [this](const QString& path) {
        Q_EMIT edited(path.toStdString());
        Q_EMIT finished();
    });
}

void ParamEditor::setValue(const ParamValue& value)
{
    const auto* whole = std::get_if<std::int64_t>(&value);
    if (std::holds_alternative<ByCopy>(value)) {
        m_given = value;
        return showByCopy(value);
    }
    showPlain();
    if (m_spec.type == ParamType::Real && whole != nullptr)
        m_given = static_cast<double>(*whole);
    else if (value.index() == m_spec.defaultValue.index()) // else the check says that the type is wrong
        m_given = value;
    else
        m_given.reset();
    if (m_given)
        m_show(*m_given);
}

/// The field in the place of the text.
void ParamEditor::showPlain()
{
    if (m_byCopy == nullptr || !m_byCopy->isVisibleTo(this))
        return;
    m_field->show();
    setFocusProxy(m_field);
    if (m_byCopy->hasFocus())
        m_field->setFocus();
    m_byCopy->hide();
}

void ParamEditor::showByCopy(const ParamValue& value)
{
    if (m_byCopy == nullptr) {
        m_byCopy = new QLineEdit;
        m_byCopy->setAccessibleName(m_field->accessibleName());
        m_byCopy->setAccessibleDescription(tr("A value for every copy, commas between, or as in “64 every 4 else 32”, "
                                              "with first and last likewise"));
        m_byCopy->setToolTip(m_byCopy->accessibleDescription());
        layout()->addWidget(m_byCopy);
        connect(m_byCopy, &QLineEdit::textEdited, this, [this](const QString& text) { readByCopy(text, false); });
        connect(m_byCopy, &QLineEdit::editingFinished, this, [this] {
            const bool isTyped = m_byCopy->isModified();
            m_byCopy->setModified(false);
            if (isTyped)
                readByCopy(m_byCopy->text(), true);
            Q_EMIT finished();
        });
        new FieldUndo(*m_byCopy, *m_byCopy); // after what asks whether anything was typed
    }
    const auto shown = parseNodeValue(m_spec.type, m_byCopy->text().toStdString());
    if (!shown || *shown != value)
        m_byCopy->setText(QString::fromStdString(paramText(value)));
    m_byCopy->show();
    setFocusProxy(m_byCopy);
    if (m_field->hasFocus())
        m_byCopy->setFocus();
    m_field->hide();
}

/// A plain value counts when it is whole: it may be the beginning of a list.
void ParamEditor::readByCopy(const QString& text, bool isWhole)
{
    const auto value = parseNodeValue(m_spec.type, text.toStdString());
    const bool isList = value && std::holds_alternative<ByCopy>(*value);
    Q_EMIT misread(value || !isWhole ? QString()
                                     : nameText(m_spec.name) + ' ' + QString::fromStdString(value.error().message));
    if (isList || (value && isWhole))
        Q_EMIT edited(*value);
}

void ParamEditor::setMixed()
{
    m_given.reset();
    showPlain();
    m_showMixed();
}

void ParamEditor::setWrong(const QString& reason)
{
    const QString help = paramHelp(m_spec);
    setToolTip(reason.isEmpty() ? help : reason + '\n' + help);
    for (QWidget* field : {m_field, static_cast<QWidget*>(m_byCopy)})
        if (field != nullptr)
            restyle(*field, "wrong", !reason.isEmpty());
}

} // namespace unroll
