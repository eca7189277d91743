// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/start/start_page.h"

#include "app/studio/document/recent_files.h"
#include "app/studio/start/card_grid.h"
#include "app/studio/start/gallery_card.h"
#include "app/studio/start/start_row.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/glyph.h"
#include "app/studio/theme/metrics.h"

#include <QApplication>
#include <QClipboard>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QMimeData>
#include <QPainter>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>

namespace unroll {

namespace {

constexpr int kMostRecent = 6;
constexpr int kWidest = 96;          ///< of the whole page, in heights of a line
constexpr int kBesideEachOther = 55; ///< from this width on

/// How far `to` is from `from` for a key that points in `direction`: way aside counts more. Infinite: it does not lie
/// there.
double distance(const QRect& from, const QRect& to, const QPoint& direction)
{
    const QPoint way = to.center() - from.center();
    const bool across = direction.x() != 0;
    const int ahead = across ? way.x() * direction.x() : way.y() * direction.y();
    const bool beyond = direction.x() > 0   ? to.left() >= from.right()
                        : direction.x() < 0 ? to.right() <= from.left()
                        : direction.y() > 0 ? to.top() >= from.bottom()
                                            : to.bottom() <= from.top();
    if (!beyond)
        return std::numeric_limits<double>::infinity();
    return ahead + 3.0 * std::abs(across ? way.y() : way.x());
}

/// The program's own icon.
class Sign : public QWidget {
public:
    explicit Sign(int side) { setFixedSize(side, side); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        paintIcon(painter, "unroll", {}, rect());
    }
};

} // namespace

StartPage::StartPage(const BlockRegistry& registry, const Appearance& appearance, QWidget* parent)
    : QScrollArea(parent), m_registry(registry), m_appearance(appearance), m_look(this)
{
    setObjectName("startPage");
    setWidgetResizable(true);
    setFrameShape(NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    setFocusPolicy(Qt::ClickFocus); // Tab goes to what is on it
    setAccessibleName(tr("Start page"));
    build();
    connect(&m_look, &RecentLook::looked, this, &StartPage::showFound);
    connect(QGuiApplication::clipboard(), &QClipboard::dataChanged, this, &StartPage::refreshPaste);
}

void StartPage::build()
{
    auto* body = new QWidget;
    body->setObjectName("startBody");
    body->setAttribute(Qt::WA_StyledBackground);
    m_appearance.follow(*body, [this, body] { body->setMaximumWidth(kWidest * fontMetrics().height()); });
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(space::xl, space::xl, space::xl, space::xl);
    column->setSpacing(space::xl);
    column->addWidget(heading());
    m_columns = new QBoxLayout(QBoxLayout::LeftToRight);
    m_columns->setSpacing(space::xl);
    m_columns->addWidget(m_side = sidePart());
    m_columns->addWidget(galleryPart(), 1);
    column->addLayout(m_columns);
    column->addStretch(1);
    setWidget(body);
}

QWidget* StartPage::heading()
{
    auto* part = new QWidget;
    auto* row = new QHBoxLayout(part);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::l);
    auto* words = new QVBoxLayout;
    words->setSpacing(space::xs);
    row->addWidget(new Sign(m_appearance.iconSide() * 5 / 2), 0, Qt::AlignTop); // as high as the lines beside it
    auto* title = new QLabel(tr("Unroll"));
    m_appearance.dress(*title, Type::Title);
    auto* sentence = new QLabel(tr("Build a recurrent network, train it, and watch its state at every step."));
    sentence->setWordWrap(true);
    sentence->setProperty("tone", "dim");
    words->addWidget(title);
    words->addWidget(sentence);
    row->addLayout(words, 1);
    m_back = new QPushButton;
    m_back->setAutoDefault(true);
    m_back->hide();
    connect(m_back, &QPushButton::clicked, this, &StartPage::left);
    row->addWidget(m_back, 0, Qt::AlignTop);
    return part;
}

QLabel* StartPage::caption(const QString& words) const
{
    auto* label = new QLabel(words);
    m_appearance.dress(*label, Type::Strong);
    return label;
}

StartRow* StartPage::addWay(QLayout& rows, const char* icon, const QString& title, const QString& detail,
                            void (StartPage::*asked)())
{
    auto* row = new StartRow(m_appearance, icon, title, detail);
    connect(row, &QAbstractButton::clicked, this, asked);
    rows.addWidget(row);
    return row;
}

QWidget* StartPage::sidePart()
{
    auto* part = new QWidget;
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    column->addWidget(caption(tr("Start")));
    auto* ways = new CardGrid(space::s);
    column->addLayout(ways);
    m_emptyCanvas =
        addWay(*ways, "new", tr("Empty canvas"), tr("Build a network block by block."), &StartPage::emptyAsked);
    m_ownData = addWay(*ways, "text", tr("Your own data …"), tr("Choose a text or CSV file, or drop it here."),
                       &StartPage::dataAsked);
    m_pastedText = addWay(*ways, "paste", tr("Pasted text …"), {}, &StartPage::pasteAsked);
    m_openFile = addWay(*ways, "open", tr("Open …"), tr("Open a saved experiment."), &StartPage::openAsked);
    m_emptyCanvas->setObjectName("emptyCanvas");
    m_ownData->setObjectName("ownData");
    m_pastedText->setObjectName("pastedText");
    column->addSpacing(space::s);
    column->addWidget(m_recentCaption = caption(tr("Recent")));
    m_recentRows = new CardGrid(space::s);
    column->addLayout(m_recentRows);
    column->addStretch(1);
    refreshPaste();
    return part;
}

QWidget* StartPage::galleryPart()
{
    auto* part = new QWidget;
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    column->addWidget(caption(tr("Experiments")));
    m_galleryLabel = new QLabel(tr("The bundled gallery was not found."));
    m_galleryLabel->setProperty("tone", "dim");
    m_galleryLabel->setWordWrap(true);
    m_galleryLabel->hide();
    column->addWidget(m_galleryLabel);
    m_grid = new CardGrid(space::l);
    column->addLayout(m_grid);
    column->addStretch(1);
    return part;
}

void StartPage::setBack(const QString& title)
{
    m_back->setText(tr("Back to %1").arg(title));
    m_back->setToolTip(tr("Also by Esc"));
    m_back->setVisible(!title.isEmpty());
}

void StartPage::setRecent(const QStringList& paths)
{
    for (StartRow* old : std::exchange(m_recent, {})) {
        old->hide();
        old->deleteLater(); // it may be the one that was pressed
    }
    const QStringList shown = paths.mid(0, kMostRecent);
    for (const QString& path : shown) {
        const QFileInfo info(path);
        auto* row = new StartRow(m_appearance, "recent", info.fileName(), shortFolder(path), StartRow::Detail::Path);
        row->setToolTip(path);
        connect(row, &QAbstractButton::clicked, this, [this, path] { Q_EMIT experimentAsked(path); });
        m_recentRows->addWidget(row);
        m_recent.push_back(row);
    }
    m_recentCaption->setVisible(!shown.isEmpty());
    orderTabs();
    m_look.ask(shown);
}

/// Tab goes through the page as the eye does, whatever was made last.
void StartPage::orderTabs()
{
    std::vector<QWidget*> order{m_back, m_emptyCanvas, m_ownData, m_pastedText, m_openFile};
    order.insert(order.end(), m_recent.begin(), m_recent.end());
    order.insert(order.end(), m_cards.begin(), m_cards.end());
    for (std::size_t i = 1; i < order.size(); ++i)
        setTabOrder(order[i - 1], order[i]);
}

void StartPage::showFound(const std::vector<RecentFile>& files)
{
    for (std::size_t i = 0; i < std::min(files.size(), m_recent.size()); ++i) {
        StartRow& row = *m_recent[i];
        row.setEnabled(files[i].there);
        row.setNote(files[i].there ? ageText(files[i].changed, QDateTime::currentDateTime()) : tr("missing"));
        if (!files[i].there)
            row.setToolTip(tr("%1 was not found.").arg(files[i].path));
    }
}

void StartPage::refreshPaste()
{
    const QMimeData* copied = QGuiApplication::clipboard()->mimeData();
    const bool any = copied != nullptr && copied->hasText();
    m_pastedText->setEnabled(any);
    m_pastedText->setDetail(any ? tr("Saves the copied text as a file and trains on it.")
                                : tr("Copy some text first."));
}

void StartPage::showEvent(QShowEvent* event)
{
    QScrollArea::showEvent(event);
    refreshPaste();
    arrange();
}

/// The window is seen first, then the cards are made.
bool StartPage::viewportEvent(QEvent* event)
{
    const bool handled = QScrollArea::viewportEvent(event);
    if (event->type() == QEvent::Paint && !std::exchange(m_painted, true))
        QTimer::singleShot(0, this, &StartPage::fill);
    return handled;
}

void StartPage::fill()
{
    for (GalleryItem& item : galleryItems()) {
        auto* card = new GalleryCard(std::move(item), m_registry, m_appearance);
        connect(card, &QAbstractButton::clicked, this, [this, card] { Q_EMIT experimentAsked(card->item().path); });
        m_grid->addWidget(card);
        m_cards.push_back(card);
    }
    m_galleryLabel->setVisible(m_cards.empty());
    orderTabs();
    m_filled = true;
}

void StartPage::resizeEvent(QResizeEvent* event)
{
    QScrollArea::resizeEvent(event);
    arrange();
}

void StartPage::arrange()
{
    const int line = fontMetrics().height();
    const bool beside = viewport()->width() >= kBesideEachOther * line;
    m_columns->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_side->setMaximumWidth(beside ? m_ownData->preferredWidth() : QWIDGETSIZE_MAX);
    m_side->setMinimumWidth(beside ? m_ownData->preferredWidth() : 0);
}

void StartPage::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Paste) && m_pastedText->isEnabled()) {
        Q_EMIT pasteAsked();
        return;
    }
    switch (event->key()) {
    case Qt::Key_Escape: Q_EMIT left(); break;
    case Qt::Key_Left: moveFocus({-1, 0}); break;
    case Qt::Key_Right: moveFocus({1, 0}); break;
    case Qt::Key_Up: moveFocus({0, -1}); break;
    case Qt::Key_Down: moveFocus({0, 1}); break;
    default: QScrollArea::keyPressEvent(event);
    }
}

/// To the nearest one that way; to the first one where none has the keyboard.
void StartPage::moveFocus(const QPoint& direction)
{
    const auto buttons = widget()->findChildren<QAbstractButton*>();
    const QWidget* now = QApplication::focusWidget();
    const bool any = now != nullptr && now != widget() && widget()->isAncestorOf(now);
    const auto placeOf = [this](const QWidget& of) { return QRect(of.mapTo(widget(), QPoint()), of.size()); };
    QAbstractButton* nearest = any ? nullptr : m_emptyCanvas;
    double least = std::numeric_limits<double>::infinity();
    for (QAbstractButton* button : buttons) {
        if (!any || button == now || !button->isVisibleTo(this) || !button->isEnabled())
            continue;
        const double far = distance(placeOf(*now), placeOf(*button), direction);
        if (far < least) {
            least = far;
            nearest = button;
        }
    }
    if (nearest == nullptr)
        return;
    nearest->setFocus(Qt::TabFocusReason);
    ensureWidgetVisible(nearest, space::xl, space::xl);
}

} // namespace unroll
