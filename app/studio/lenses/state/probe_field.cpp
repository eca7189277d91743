// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/probe_field.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/style.h"
#include "core/lens/frame.h"

namespace unroll {

ProbeField::ProbeField(const Appearance& appearance, QWidget* parent)
    : QLineEdit(parent),
      m_reset(addAction(appearance.icon("reset"), TrailingPosition)),
      m_help(tr("Text the state is computed on (its first %1 characters). It is never trained on; press Enter to "
                "apply. Empty: the start of the validation text.")
                 .arg(kUsualReading))
{
    setAccessibleName(tr("Probe text"));
    setNumbers(false);
    m_reset->setText(tr("Reset the probe text"));
    m_reset->setToolTip(tr("Reset to the start of the validation text"));
    m_reset->setVisible(false);
    connect(m_reset, &QAction::triggered, this, &ProbeField::reset);
    connect(this, &QLineEdit::textChanged, this, [this](const QString& text) { m_reset->setVisible(!text.isEmpty()); });
    setWrong({});
}

void ProbeField::setNumbers(bool numbers)
{
    m_numbers = numbers;
    setReadOnly(numbers); // not disabled: what it says is to be read
    setFocusPolicy(numbers ? Qt::NoFocus : Qt::StrongFocus);
    showPlace();
}

void ProbeField::setElsewhere(const QString& read)
{
    m_elsewhere = read;
    showPlace();
}

void ProbeField::showPlace()
{
    setPlaceholderText(!m_elsewhere.isEmpty() ? m_elsewhere
                       : m_numbers            ? tr("first validation window")
                                              : tr("start of the validation text"));
}

void ProbeField::setWrong(const QString& reason)
{
    setToolTip(reason.isEmpty() ? m_help : reason + '\n' + m_help);
    setAccessibleDescription(toolTip());
    restyle(*this, "wrong", !reason.isEmpty());
}

void ProbeField::reset()
{
    clear();
    Q_EMIT returnPressed();
    Q_EMIT editingFinished();
}

} // namespace unroll
