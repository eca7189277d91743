// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/compare/compare_page.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/flow_layout.h"
#include "app/studio/theme/keeps_height.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/style.h"

#include <QKeyEvent>
#include <QVBoxLayout>

namespace unroll {

ComparePage::ComparePage(const Appearance& appearance, const QString& title, bool matches, QWidget* parent)
    : QWidget(parent),
      m_view(new FigureView(appearance)),
      m_empty(new EmptyState(appearance, "compare", title, {})),
      m_pages(new QStackedWidget),
      m_beside(wayButton(tr("Beside"), tr("Both sides, on one scale"), CompareWay::Beside)),
      m_difference(wayButton(tr("Difference"), tr("The second side minus the first"), CompareWay::Difference)),
      m_match(new QCheckBox(tr("Match units"))),
      m_edit(new QLineEdit),
      m_save(new FigureSaveButton(appearance))
{
    setProperty(kHelpTopicProperty, "compare");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar(appearance, matches));
    m_pages->addWidget(m_empty);
    m_pages->addWidget(m_view);
    column->addWidget(m_pages, 1);
    m_beside->setChecked(true);
}

/// The field loses the focus while its page goes: nobody is to hear of it any more.
ComparePage::~ComparePage()
{
    m_edit->disconnect(this);
}

QToolButton* ComparePage::wayButton(const QString& words, const QString& tip, CompareWay way)
{
    auto* button = new QToolButton;
    button->setText(words);
    button->setToolTip(tip);
    button->setCheckable(true);
    button->setAutoExclusive(true);
    connect(button, &QToolButton::toggled, this, [this, way](bool on) {
        if (!on || m_wish.way == way)
            return;
        m_wish.way = way;
        Q_EMIT wished();
    });
    return button;
}

QWidget* ComparePage::bar(const Appearance& appearance, bool matches)
{
    auto* bar = new QWidget;
    auto* row = new FlowLayout(bar);
    keepHeight(*bar);
    row->setContentsMargins(space::m, 0, space::m, space::xs);
    row->setSpacing(space::s);
    m_beside->setObjectName("compareBeside");
    m_difference->setObjectName("compareDifference");
    m_match->setObjectName("compareMatch");
    m_match->setVisible(matches);
    m_match->setToolTip(tr("Each unit beside the most correlated unit of the other side, over the reading"));
    connect(m_match, &QCheckBox::toggled, this, [this](bool on) {
        if (m_wish.matchUnits == on)
            return;
        m_wish.matchUnits = on;
        Q_EMIT wished();
    });
    m_edit->setObjectName("compareEdit");
    m_edit->setAccessibleName(tr("Edits"));
    m_edit->setPlaceholderText(tr("lstm.h[3] = 0 from 40"));
    m_edit->setToolTip(tr("What is changed while the network reads, as in Touch; Enter applies it"));
    m_edit->setMinimumWidth(200);
    m_edit->hide();
    connect(m_edit, &QLineEdit::editingFinished, this, [this] { Q_EMIT editGiven(m_edit->text()); });
    auto* close = new QToolButton;
    close->setObjectName("compareClose");
    close->setIcon(appearance.icon("close"));
    close->setAccessibleName(tr("Close the comparison"));
    close->setToolTip(tr("Close the comparison: show the lens alone (Esc)"));
    connect(close, &QToolButton::clicked, this, &ComparePage::left);
    connect(&appearance, &Appearance::changed, close,
            [close, &appearance] { close->setIcon(appearance.icon("close")); });
    for (QWidget* part : std::initializer_list<QWidget*>{m_beside, m_difference, m_match, m_edit, m_save, close})
        row->addWidget(part);
    return bar;
}

void ComparePage::setSide(const SecondSide& side)
{
    const bool touched = side.kind == SecondSide::Kind::Touched;
    m_edit->setVisible(touched);
    if (touched && !m_edit->hasFocus())
        m_edit->setText(QString::fromStdString(side.edit));
}

void ComparePage::setWish(const CompareWish& wish)
{
    m_wish = wish;
    (wish.way == CompareWay::Beside ? m_beside : m_difference)->setChecked(true);
    m_match->setChecked(wish.matchUnits);
}

void ComparePage::setFigure(ShownFigure shown)
{
    m_sentence.clear();
    m_view->setFigure(shown.figure);
    m_save->setShown(std::move(shown), *m_view);
    m_pages->setCurrentWidget(m_view);
}

void ComparePage::setEmpty(const QString& sentence)
{
    m_sentence = sentence;
    m_empty->setSentence(sentence);
    m_save->setShown({}, *m_view);
    m_pages->setCurrentWidget(m_empty);
}

void ComparePage::setEditWrong(const QString& reason)
{
    m_edit->setToolTip(reason.isEmpty() ? tr("What is changed while the network reads, as in Touch; Enter applies it")
                                        : reason);
    m_edit->setAccessibleDescription(m_edit->toolTip());
    restyle(*m_edit, "wrong", !reason.isEmpty());
}

void ComparePage::keyPressEvent(QKeyEvent* event)
{
    if (event->key() != Qt::Key_Escape)
        return QWidget::keyPressEvent(event);
    Q_EMIT left();
}

} // namespace unroll
