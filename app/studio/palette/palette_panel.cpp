// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/palette/palette_panel.h"

#include <QVBoxLayout>

namespace unroll {

PalettePanel::PalettePanel(const BlockRegistry& registry, const Appearance& appearance, QWidget* parent)
    : QWidget(parent), m_picker(new BlockPicker(registry, appearance, BlockPicker::Kind::Standing))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_picker);
    setFocusProxy(&m_picker->field());
    connect(m_picker, &BlockPicker::picked, this, &PalettePanel::placeAsked);
    connect(m_picker, &BlockPicker::escaped, &m_picker->field(), &QLineEdit::clear);
}

} // namespace unroll
