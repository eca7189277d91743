// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/answers/reading_picker.h"

#include "app/studio/theme/metrics.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <algorithm>

namespace unroll {

namespace {

using From = ReadingRequest::From;

/// What stands between quotation marks; nothing where none stand about the text.
QString quotedWords(const QString& text)
{
    const bool isQuoted = text.size() > 2 && text.startsWith('"') && text.endsWith('"');
    return isQuoted ? text.mid(1, text.size() - 2) : QString();
}

/// As the field shows a place: words that would be read as a step, or that stand in quotation marks themselves, are
/// quoted.
QString placeText(const ReadingRequest& reading)
{
    if (reading.text.empty())
        return QString::number(reading.at);
    const QString text = QString::fromStdString(reading.text);
    bool isNumber = false;
    text.toLongLong(&isNumber);
    return isNumber || !quotedWords(text).isEmpty() ? '"' + text + '"' : text;
}

} // namespace

ReadingPicker::ReadingPicker(QWidget* parent)
    : QWidget(parent),
      m_from(new QComboBox),
      m_field(new QLineEdit),
      m_next(new QPushButton(tr("Next"))),
      m_length(new QSpinBox)
{
    m_from->setObjectName("readingFrom");
    m_from->setAccessibleName(tr("What is read"));
    m_from->setToolTip(tr("What the network reads for all lenses"));
    const auto add = [this](const QString& name, From from, const QString& help) {
        m_from->addItem(name, static_cast<int>(from));
        m_from->setItemData(m_from->count() - 1, help, Qt::ToolTipRole);
    };
    add(tr("start of validation"), From::Start, tr("The first steps of the validation split"));
    add(tr("place"), From::Place,
        tr("From a step of the data on, or from where it has these words (digits in quotation marks); of a task its "
           "validation sequence of this number"));
    add(tr("text"), From::Text, tr("A text that is written or pasted here"));
    add(tr("sample"), From::Sample, tr("Text sampled from the network after this prompt, on request"));
    m_field->setObjectName("readingField");
    m_field->setMinimumWidth(100);
    m_next->setObjectName("readingNext");
    m_next->setToolTip(tr("Goes on to the next place that has these words (Enter again)"));
    m_length->setObjectName("readingLength");
    m_length->setAccessibleName(tr("Steps"));
    m_length->setToolTip(tr("Steps that are read at most; of a task a sequence of so many. 0: the usual ones, %1, and a "
                            "task's sequence whole")
                             .arg(kUsualReading));
    m_length->setRange(0, static_cast<int>(kLongestReading));
    m_length->setSpecialValueText(tr("usual steps"));
    m_length->setSingleStep(32);
    m_length->setSuffix(tr(" steps"));
    m_length->setKeyboardTracking(false);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::s);
    row->addWidget(m_from);
    row->addWidget(m_field, 1);
    row->addWidget(m_next);
    row->addWidget(m_length);
    row->addStretch(0);
    m_from->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    m_length->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    setReading({});
    connect(m_from, &QComboBox::activated, this, [this] {
        if (from() == From::Place && m_field->text().isEmpty())
            m_field->setText(QStringLiteral("0"));
        showField();
        if (m_field->isHidden() || !m_field->text().isEmpty() || from() == From::Sample)
            apply();
        else
            m_field->setFocus();
    });
    connect(m_field, &QLineEdit::returnPressed, this, [this] {
        if (reading() == m_told)
            next();
    });
    connect(m_field, &QLineEdit::editingFinished, this, &ReadingPicker::apply);
    connect(m_field, &QLineEdit::textChanged, this, &ReadingPicker::showField);
    connect(m_next, &QPushButton::clicked, this, &ReadingPicker::next);
    connect(m_length, &QSpinBox::valueChanged, this, &ReadingPicker::apply);
}

From ReadingPicker::from() const
{
    return static_cast<From>(m_from->currentData().toInt());
}

void ReadingPicker::showField()
{
    m_field->setVisible(from() != From::Start);
    const bool place = from() == From::Place;
    m_field->setAccessibleName(place ? tr("Place") : tr("Text"));
    m_field->setPlaceholderText(place                  ? tr("step of the data, or words to find in it")
                                : from() == From::Text ? tr("text that the network reads")
                                                       : tr("prompt of the sample"));
    m_next->setVisible(place && !reading().text.empty());
}

void ReadingPicker::setReading(const ReadingRequest& reading)
{
    m_told = reading;
    if (m_field->hasFocus() || m_length->hasFocus())
        return;
    const QSignalBlocker quietFrom(m_from), quietField(m_field), quietLength(m_length);
    m_from->setCurrentIndex(m_from->findData(static_cast<int>(reading.from)));
    m_field->setText(reading.from == From::Place ? placeText(reading) : QString::fromStdString(reading.text));
    m_length->setValue(
        static_cast<int>(std::min<std::int64_t>(reading.length, static_cast<std::int64_t>(kLongestReading))));
    showField();
}

ReadingRequest ReadingPicker::reading() const
{
    ReadingRequest wanted;
    wanted.from = from();
    wanted.length = m_length->value();
    if (wanted.from == From::Place)
        placeInto(wanted);
    else if (wanted.from != From::Start)
        wanted.text = m_field->text().toStdString();
    if (wanted.from == From::Sample)
        wanted.seed = m_seed;
    return wanted;
}

void ReadingPicker::placeInto(ReadingRequest& wanted) const
{
    bool isNumber = false;
    const QString words = m_field->text(), quoted = quotedWords(words);
    const qlonglong number = words.toLongLong(&isNumber);
    if (isNumber && number >= 0) {
        wanted.at = number;
        return;
    }
    wanted.text = (quoted.isEmpty() ? words : quoted).toStdString();
    if (m_told.from == From::Place && m_told.text == wanted.text)
        wanted.passed = m_told.passed;
}

void ReadingPicker::next()
{
    ReadingRequest wanted = reading();
    if (wanted.from != From::Place || wanted.text.empty())
        return;
    if (wanted == m_told)
        ++wanted.passed;
    m_told = wanted;
    Q_EMIT chosen(wanted);
}

void ReadingPicker::apply()
{
    const ReadingRequest wanted = reading();
    if (wanted == m_told)
        return;
    m_told = wanted;
    Q_EMIT chosen(wanted);
}

void ReadingPicker::setNumbers(bool numbers)
{
    auto* items = static_cast<QStandardItemModel*>(m_from->model());
    for (const From from : {From::Text, From::Sample})
        items->item(m_from->findData(static_cast<int>(from)))->setEnabled(!numbers);
}

} // namespace unroll
