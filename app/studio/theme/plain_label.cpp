// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/plain_label.h"

#include <QLabel>

namespace unroll {

QLabel* plainLabel(const QString& words)
{
    auto* label = new QLabel(words);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

} // namespace unroll
