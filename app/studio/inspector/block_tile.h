// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace unroll {

class Appearance;
struct BlockSpec;

/// A block's icon, to stand beside its title. nullptr: a block that this version does not know.
class BlockTile : public QWidget {
    Q_OBJECT
public:
    BlockTile(const BlockSpec* spec, const Appearance& appearance, QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const BlockSpec* m_spec;
    const Appearance& m_appearance;
};

} // namespace unroll
