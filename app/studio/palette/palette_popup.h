// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/palette/block_picker.h"
#include "app/studio/palette/recent_blocks.h"

#include <QPointer>

namespace unroll {

/// The palette at the cursor: a few letters and Enter. A child that lies above its siblings, so nothing is grabbed; it
/// goes with Esc, with a press beside it, and when another widget of the window gets the focus. The focus then goes
/// back to where it came from.
class PalettePopup : public QWidget {
    Q_OBJECT
public:
    /// `parent`: the window, or what of it the popup may cover.
    PalettePopup(const BlockRegistry& registry, RecentBlocks recent, const Appearance& appearance, QWidget* parent);

    /// With its corner at this point of the screen, or as near as the parent has room. Lists the blocks that `fits`
    /// lets pass.
    void openAt(const QPoint& global, BlockFilter fits = {});
    bool isOpen() const { return !isHidden(); }
    void dismiss(); ///< closes without a choice; nothing when closed
    BlockPicker& picker() const { return *m_picker; }

Q_SIGNALS:
    /// It is closed by then. That the block was placed is for the receiver to note in the RecentBlocks.
    void chosen(const QString& blockId);
    void dismissed(); ///< every opening ends with one of the two

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();
    void leave();
    QRect card() const;

    RecentBlocks m_recent;
    const Appearance& m_appearance;
    BlockPicker* m_picker;
    QPoint m_corner; ///< asked for, in the parent's coordinates
    QPointer<QWidget> m_cameFrom;
};

} // namespace unroll
