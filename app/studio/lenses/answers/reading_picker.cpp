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

bool isDigits(const QString& text)
{
    bool isNumber = false;
    return text.toLongLong(&isNumber) >= 0 && isNumber;
}

/// Digits in quotes are words to find: those of a task may be nothing else.
QString withoutQuotes(const QString& text)
{
    return text.size() > 2 && text.startsWith('"') && text.endsWith('"') ? text.sliced(1, text.size() - 2) : text;
}

} // namespace

ReadingPicker::ReadingPicker(QWidget* parent)
    : QWidget(parent), m_from(new QComboBox), m_field(new QLineEdit), m_length(new QSpinBox)
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
        tr("From a step of the data on, or from where it has these words; of a task its validation sequence of this "
           "number. Digits in quotes are words. Enter again goes to the next place"));
    add(tr("text"), From::Text, tr("A text that is written or pasted here"));
    add(tr("sample"), From::Sample, tr("Text sampled from the network after this prompt, on request"));
    m_field->setObjectName("readingField");
    m_field->setMinimumWidth(100);
    m_length->setObjectName("readingLength");
    m_length->setAccessibleName(tr("Steps"));
    m_length->setToolTip(tr("Steps that are read at most; of a task a sequence of so many. 0: the usual %1, and a "
                            "task's sequence whole")
                             .arg(kUsualReading));
    m_length->setRange(0, static_cast<int>(kLongestReading));
    m_length->setSpecialValueText(tr("usual"));
    m_length->setSingleStep(32);
    m_length->setSuffix(tr(" steps"));
    m_length->setKeyboardTracking(false);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::s);
    row->addWidget(m_from);
    row->addWidget(m_field, 1);
    row->addWidget(m_length);
    row->addStretch(0);
    m_from->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    m_length->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    setReading({});
    connect(m_from, &QComboBox::activated, this, [this] {
        showField();
        if (m_field->isHidden() || !m_field->text().isEmpty() || from() == From::Sample)
            apply();
        else
            m_field->setFocus();
    });
    connect(m_field, &QLineEdit::returnPressed, this, [this] { // and then the edit is finished
        if (from() == From::Place && !m_sent.text.empty() && reading() == m_sent)
            ++m_further;
    });
    connect(m_field, &QLineEdit::editingFinished, this, &ReadingPicker::apply);
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
    m_field->setPlaceholderText(place                  ? tr("step of the data, or words to find in it: 120, \"0110\"")
                                : from() == From::Text ? tr("text that the network reads")
                                                       : tr("prompt of the sample"));
    if (place && m_field->text().isEmpty())
        m_field->setText(QStringLiteral("0"));
}

void ReadingPicker::setReading(const ReadingRequest& reading)
{
    m_sent = reading;
    if (m_field->hasFocus() || m_length->hasFocus())
        return;
    const QSignalBlocker quietFrom(m_from), quietField(m_field), quietLength(m_length);
    m_from->setCurrentIndex(m_from->findData(static_cast<int>(reading.from)));
    const bool isNumber = reading.from == From::Place && reading.text.empty();
    const QString words = QString::fromStdString(reading.text);
    const bool quoted = reading.from == From::Place && isDigits(words);
    m_field->setText(isNumber ? QString::number(reading.at) : quoted ? '"' + words + '"' : words);
    m_further = reading.further;
    m_length->setValue(
        static_cast<int>(std::min<std::int64_t>(reading.length, static_cast<std::int64_t>(kLongestReading))));
    showField();
}

ReadingRequest ReadingPicker::reading() const
{
    ReadingRequest wanted;
    wanted.from = from();
    wanted.length = m_length->value();
    if (wanted.from == From::Place && isDigits(m_field->text()))
        wanted.at = m_field->text().toLongLong();
    else if (wanted.from == From::Place) {
        wanted.text = withoutQuotes(m_field->text()).toStdString();
        wanted.further = wanted.text == m_sent.text ? m_further : 0;
    } else if (wanted.from != From::Start)
        wanted.text = m_field->text().toStdString();
    if (wanted.from == From::Sample)
        wanted.seed = m_seed;
    return wanted;
}

void ReadingPicker::apply()
{
    const ReadingRequest wanted = reading();
    if (wanted == m_sent)
        return;
    m_sent = wanted;
    Q_EMIT chosen(wanted);
}

void ReadingPicker::setNumbers(bool numbers)
{
    auto* items = static_cast<QStandardItemModel*>(m_from->model());
    for (const From from : {From::Text, From::Sample})
        items->item(m_from->findData(static_cast<int>(from)))->setEnabled(!numbers);
}

} // namespace unroll
