// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/palette/block_picker.h"

namespace unroll {

/// The palette that stays at the window's side: all blocks under the headings of their categories. A click or Enter
/// asks for a block to be placed; a drag carries it (block_mime.h).
class PalettePanel : public QWidget {
    Q_OBJECT
public:
    PalettePanel(const BlockRegistry& registry, const Appearance& appearance, QWidget* parent = nullptr);

    BlockPicker& picker() const { return *m_picker; }

Q_SIGNALS:
    void placeAsked(const QString& blockId);

private:
    BlockPicker* m_picker;
};

} // namespace unroll
