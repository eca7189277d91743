// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/palette/block_list.h"

#include "app/studio/canvas/block_mime.h"
#include "app/studio/palette/block_delegate.h"
#include "app/studio/palette/block_picture.h"
#include "app/studio/theme/appearance.h"

#include <QDrag>
#include <QKeyEvent>
#include <algorithm>

namespace unroll {

namespace {

constexpr int kScrollBarRoom = 12;

int widestTitle(const BlockRegistry& registry, const Appearance& appearance)
{
    const QFontMetrics strong(appearance.font(Type::Strong));
    int widest = 0;
    for (const BlockSpec* spec : registry.all())
        widest = std::max(widest, strong.horizontalAdvance(QString::fromStdString(spec->title)));
    return widest;
}

} // namespace

BlockList::BlockList(const BlockRegistry& registry, const Appearance& appearance, bool summaries, QWidget* parent)
    : QListView(parent),
      m_registry(registry),
      m_appearance(appearance),
      m_model(new BlockListModel(this)),
      m_delegate(new BlockDelegate(appearance, widestTitle(registry, appearance), summaries, this))
{
    setModel(m_model);
    setItemDelegate(m_delegate);
    setAccessibleName(tr("Blocks"));
    setFrameShape(NoFrame);
    setResizeMode(Adjust);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(ScrollPerPixel);
    setMouseTracking(true);
    setEditTriggers(NoEditTriggers);
    setMinimumWidth(m_delegate->leastWidth() + kScrollBarRoom); // titles are never cut short
    connect(this, &QListView::clicked, this, &BlockList::pick);
}

void BlockList::setMatches(std::vector<BlockMatch> matches, BlockListModel::Headings headings)
{
    m_model->setMatches(std::move(matches), headings);
}

const BlockSpec* BlockList::specAt(const QModelIndex& index) const
{
    const BlockMatch* match = index.isValid() ? m_model->at(index.row()) : nullptr;
    return match == nullptr ? nullptr : match->spec;
}

const BlockSpec* BlockList::current() const
{
    return specAt(currentIndex());
}

void BlockList::setCurrent(const BlockSpec& spec)
{
    if (const int row = m_model->rowOf(spec); row >= 0)
        setCurrentRow(row);
}

/// A heading right above comes into view too.
void BlockList::setCurrentRow(int row)
{
    if (row > 0 && m_model->at(row - 1) == nullptr)
        scrollTo(m_model->index(row - 1));
    setCurrentIndex(m_model->index(row));
    scrollTo(m_model->index(row));
}

void BlockList::stepBy(int count)
{
    const int direction = count < 0 ? -1 : 1;
    int row = currentIndex().row();
    for (int next = row + direction; count != 0 && next >= 0 && next < m_model->rowCount(); next += direction) {
        if (m_model->at(next) == nullptr)
            continue;
        row = next;
        count -= direction;
    }
    if (row >= 0)
        setCurrentRow(row);
}

int BlockList::blockHeight() const
{
    return m_delegate->blockHeight();
}

int BlockList::blocksInView() const
{
    return std::max(1, viewport()->height() / blockHeight());
}

int BlockList::contentHeight() const
{
    int height = 0;
    for (int row = 0; row < m_model->rowCount(); ++row)
        height += sizeHintForRow(row);
    return height;
}

void BlockList::pickCurrent()
{
    pick(currentIndex());
}

void BlockList::pick(const QModelIndex& index)
{
    if (const BlockSpec* spec = specAt(index))
        Q_EMIT picked(QString::fromStdString(spec->id));
}

void BlockList::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        pickCurrent();
    else
        QListView::keyPressEvent(event);
}

void BlockList::startDrag(Qt::DropActions actions)
{
    const BlockSpec* spec = current();
    if (spec == nullptr)
        return;
    const BlockPicture picture = blockPicture(*spec, m_registry, m_appearance, devicePixelRatioF());
    auto* drag = new QDrag(this);
    drag->setMimeData(blockMime(QString::fromStdString(spec->id)));
    drag->setPixmap(picture.pixmap);
    drag->setHotSpot(picture.corner + kBlockGrip);
    drag->exec(actions);
}

} // namespace unroll
