// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/palette/block_picker.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QKeyEvent>
#include <QVBoxLayout>

namespace unroll {

namespace {

constexpr int kLongestQuery = 60;      ///< characters
constexpr int kLongestQuerySaid = 180; ///< pixels, within a sentence

} // namespace

BlockPicker::BlockPicker(const BlockRegistry& registry, const Appearance& appearance, Kind kind, QWidget* parent)
    : QWidget(parent),
      m_registry(registry),
      m_kind(kind),
      m_field(new QLineEdit),
      m_list(new BlockList(registry, appearance, kind == Kind::Passing)),
      m_nothing(new QLabel)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::s, 0, space::xs);
    column->setSpacing(space::xs);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(space::m, 0, space::m, 0);
    row->addWidget(m_field);
    column->addLayout(row);
    column->addWidget(m_list, 1);
    column->addWidget(m_nothing, 1);
    setUpParts();
    connect(m_field, &QLineEdit::textChanged, this, &BlockPicker::search);
    connect(m_list, &BlockList::picked, this, &BlockPicker::picked);
    search();
}

void BlockPicker::setUpParts()
{
    m_field->setAccessibleName(tr("Find a block"));
    m_field->setPlaceholderText(tr("Find a block"));
    m_field->setMaxLength(kLongestQuery);
    m_field->installEventFilter(this);
    m_nothing->setObjectName("nothingFound");
    m_nothing->setProperty("tone", "dim");
    m_nothing->setWordWrap(true);
    m_nothing->setTextFormat(Qt::PlainText);
    m_nothing->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_nothing->setContentsMargins(space::m, space::xs, space::m, space::s);
    if (m_kind == Kind::Passing) { // the field keeps the focus
        m_field->setContextMenuPolicy(Qt::PreventContextMenu);
        m_list->setFocusPolicy(Qt::NoFocus);
    } else {
        m_list->setDragDropMode(QAbstractItemView::DragOnly);
    }
}

void BlockPicker::restart(const QStringList& recent, BlockFilter fits)
{
    m_recent = recent;
    m_fits = std::move(fits);
    const bool searches = !m_field->text().isEmpty(); // by its change
    m_field->clear();
    if (!searches)
        search();
}

void BlockPicker::search()
{
    auto matches = searchBlocks(m_registry, m_field->text(), m_recent, m_fits);
    const BlockSpec* best = matches.empty() ? nullptr : matches.front().spec;
    m_list->setMatches(std::move(matches), headings());
    m_nothing->setText(best == nullptr ? nothingText() : QString());
    m_nothing->setVisible(best == nullptr);
    m_list->setVisible(best != nullptr);
    Q_EMIT searched();
    m_list->scrollToTop();
    if (best != nullptr && (isAsked() || m_kind == Kind::Passing))
        m_list->setCurrent(*best);
}

bool BlockPicker::isAsked() const
{
    return !m_field->text().trimmed().isEmpty();
}

BlockListModel::Headings BlockPicker::headings() const
{
    if (m_kind == Kind::Standing)
        return BlockListModel::Headings::Categories;
    return isAsked() ? BlockListModel::Headings::None : BlockListModel::Headings::RecentAndCategories;
}

QString BlockPicker::nothingText() const
{
    const QString query = m_field->text().simplified();
    if (query.isEmpty())
        return tr("No block fits here.");
    const QString said = fontMetrics().elidedText(query, Qt::ElideRight, kLongestQuerySaid);
    return m_fits ? tr("No block called “%1” fits here.").arg(said) : tr("No block is called “%1”.").arg(said);
}

int BlockPicker::heightFor(int width) const
{
    return layout()->hasHeightForWidth() ? layout()->totalHeightForWidth(width) : layout()->totalSizeHint().height();
}

bool BlockPicker::isOurs(const QKeyEvent& event) const
{
    if ((event.modifiers() & ~Qt::KeypadModifier) != Qt::NoModifier)
        return false;
    switch (event.key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Escape: return true;
    case Qt::Key_Tab: return m_kind == Kind::Passing;
    default: return false;
    }
}

void BlockPicker::act(int key)
{
    switch (key) {
    case Qt::Key_Up: m_list->stepBy(-1); break;
    case Qt::Key_Down: m_list->stepBy(1); break;
    case Qt::Key_PageUp: m_list->stepBy(-m_list->blocksInView()); break;
    case Qt::Key_PageDown: m_list->stepBy(m_list->blocksInView()); break;
    case Qt::Key_Escape: Q_EMIT escaped(); break;
    default: m_list->pickCurrent(); break;
    }
}

bool BlockPicker::eventFilter(QObject* watched, QEvent* event)
{
    const bool pressed = event->type() == QEvent::KeyPress;
    if (watched != m_field || (!pressed && event->type() != QEvent::ShortcutOverride))
        return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if (!isOurs(*key))
        return false;
    event->accept(); // no shortcut of the window's
    if (pressed)
        act(key->key());
    return true;
}

} // namespace unroll
