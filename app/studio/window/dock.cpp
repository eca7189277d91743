// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/dock.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace unroll {

namespace {

/// What wrapped words need beside the one line that least heights count them with, at the widths that they have.
int wrappedHeight(const QWidget& part)
{
    if (qobject_cast<const QAbstractScrollArea*>(&part) != nullptr)
        return 0; // scrolls itself
    if (part.layout() == nullptr)
        return std::max(0, part.heightForWidth(part.width()) - std::max(0, part.minimumSizeHint().height()));
    int more = 0;
    for (const auto* each : part.findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
        if (each->isVisibleTo(&part))
            more += wrappedHeight(*each);
    return more;
}

/// Scrolls where a small window with large text leaves the panel less than its least height. A resizable QScrollArea
/// would go by the height that the panel likes best, and scroll before.
class DockBody : public QScrollArea {
public:
    explicit DockBody(QWidget* content)
    {
        setObjectName("dockScroll");
        setFrameShape(NoFrame);
        setFocusPolicy(Qt::NoFocus);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setWidget(content);
        viewport()->setAutoFillBackground(false);
        content->setAutoFillBackground(false);
        connect(verticalScrollBar(), &QScrollBar::rangeChanged, this, &QWidget::updateGeometry);
    }

    QSize sizeHint() const override { return widget()->sizeHint(); }
    QSize minimumSizeHint() const override
    {
        const bool scrolls = verticalScrollBar()->maximum() > 0;
        return widget()->minimumSizeHint() + QSize(scrolls ? verticalScrollBar()->sizeHint().width() : 0, 0);
    }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        QScrollArea::resizeEvent(event);
        fit();
    }

    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (watched == widget() && event->type() == QEvent::LayoutRequest) {
            updateGeometry();
            fit();
        }
        return QScrollArea::eventFilter(watched, event);
    }

private:
    /// Twice: with the width come other lines.
    void fit()
    {
        for (int pass = 0; pass < 2; ++pass) {
            const int least = widget()->minimumSizeHint().height() + wrappedHeight(*widget());
            widget()->resize(viewport()->width(), std::max(viewport()->height(), least));
        }
    }
};

} // namespace

Dock::Dock(const QString& id, const QString& title, QWidget* content, const Appearance& appearance, QWidget* parent)
    : QDockWidget(title, parent), m_appearance(appearance), m_title(makeTitle()), m_noTitle(new QWidget(this))
{
    setObjectName(id);
    toggleViewAction()->setObjectName("panel-" + id);
    auto* body = new QWidget;
    body->setObjectName("dockBody");
    body->setAttribute(Qt::WA_StyledBackground);
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(new DockBody(content));
    setWidget(body);
    (new QHBoxLayout(m_noTitle))->setContentsMargins(0, 0, 0, 0); // without one its hint, -1, is added
    setTitleBarWidget(m_title);
}

QWidget* Dock::makeTitle()
{
    auto* bar = new QWidget(this);
    bar->setObjectName("dockTitle");
    bar->setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(space::m, 0, space::xs, 0);
    row->setSpacing(0);
    m_appearance.follow(*bar,
                        [this, bar] { bar->setMinimumHeight(fontMetrics().height() + space::m); }); // as high as a tab
    auto* words = new QLabel(windowTitle());
    connect(this, &QWidget::windowTitleChanged, words, &QLabel::setText);
    m_appearance.dress(*words, Type::Strong);
    row->addWidget(words, 1);
    row->addWidget(makeButtons());
    return bar;
}

QWidget* Dock::makeButtons()
{
    auto* both = new QWidget;
    auto* row = new QHBoxLayout(both);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    for (const char* name : {"float", "close"}) {
        auto* button = new QToolButton;
        button->setObjectName("small");
        const bool closes = name == QByteArrayView("close");
        button->setIcon(m_appearance.icon(name, Theme::Role::TextDim));
        m_appearance.follow(*button, [this, button] { button->setIconSize(QSize(3, 3) * fontMetrics().height() / 4); });
        button->setToolTip(closes ? tr("Close; reopen it from the View menu")
                                  : tr("Detach from the window, or reattach"));
        button->setAccessibleName(closes ? tr("Close %1").arg(windowTitle()) : tr("Detach %1").arg(windowTitle()));
        row->addWidget(button);
        if (closes)
            connect(button, &QToolButton::clicked, this, &QDockWidget::close);
        else
            connect(button, &QToolButton::clicked, this, [this] { setFloating(!isFloating()); });
    }
    return both;
}

void Dock::endTitlePress()
{
    QMouseEvent release(QEvent::MouseButtonRelease, {}, mapToGlobal(QPointF()), Qt::LeftButton, Qt::NoButton, {});
    QDockWidget::event(&release);
}

bool Dock::event(QEvent* event)
{
    if (event->type() == QEvent::WindowBlocked)
        endTitlePress(); // the dialog takes the release
    return QDockWidget::event(event);
}

void Dock::setInTab(bool inTab)
{
    QWidget* wanted = inTab ? m_noTitle : m_title;
    if (titleBarWidget() == wanted)
        return;
    setTitleBarWidget(wanted);
    m_title->setVisible(!inTab);
}

} // namespace unroll
