// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/runs/runs_bar.h"

#include "app/studio/runs/run_order.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QAction>
#include <QHBoxLayout>
#include <QMenu>
#include <QSignalBlocker>
#include <QToolButton>
#include <algorithm>

namespace unroll {

std::vector<std::pair<QString, int>> experimentsOf(const std::vector<RunSummary>& runs)
{
    std::vector<std::pair<QString, int>> found;
    for (const RunSummary& run : runs) {
        if (run.state == RunState::Unknown)
            continue;
        const QString title = QString::fromStdString(run.title);
        const auto known =
            std::find_if(found.begin(), found.end(), [&](const auto& one) { return one.first == title; });
        if (known == found.end())
            found.emplace_back(title, 1);
        else
            ++known->second;
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return comesBefore(a.first, b.first); });
    return found;
}

RunsBar::RunsBar(const Appearance& appearance, const QList<QAction*>& actions, QWidget* parent)
    : QWidget(parent),
      m_row(new QBoxLayout(QBoxLayout::LeftToRight, this)),
      m_filter(makeFilter(appearance)),
      m_buttons(makeButtons(appearance, actions))
{
    m_row->setContentsMargins(space::m, 0, space::m, 0);
    m_row->setSpacing(space::xs);
    m_row->addWidget(m_filter, 1);
    m_row->addWidget(m_buttons, 0, Qt::AlignLeft);
    setExperiments({});
}

QWidget* RunsBar::makeFilter(const Appearance& appearance)
{
    auto* group = new QWidget;
    auto* row = new QHBoxLayout(group);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::xs);
    m_words = new QLineEdit;
    m_words->setPlaceholderText(tr("Filter"));
    m_words->setAccessibleName(tr("Filter of the runs"));
    m_words->setToolTip(tr("Words in the name, experiment, state, note or device"));
    m_words->setClearButtonEnabled(true);
    const int letter = QFontMetrics(appearance.font(Type::Body)).horizontalAdvance('x');
    m_words->setMinimumWidth(letter * 8);
    m_experiments = new QComboBox;
    m_experiments->setAccessibleName(tr("Experiment of the runs"));
    m_experiments->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_experiments->setMinimumContentsLength(8);
    connect(m_experiments, &QComboBox::currentIndexChanged, this, &RunsBar::experimentChanged);
    connect(m_experiments, &QComboBox::currentTextChanged, this, [this](const QString& title) {
        m_experiments->setToolTip(
            tr("Shows only the runs of one experiment: %1").arg(title)); // it may be longer than the field
    });
    row->addWidget(m_words, 1);
    row->addWidget(m_experiments, 2); // titles are longer than words of a filter
    return group;
}

QWidget* RunsBar::makeButtons(const Appearance& appearance, const QList<QAction*>& actions)
{
    auto* group = new QWidget;
    auto* row = new QHBoxLayout(group);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::xs);
    for (QAction* action : actions) {
        auto* button = new QToolButton;
        button->setDefaultAction(action);
        button->setAccessibleName(action->text());
        row->addWidget(button);
    }
    auto* columns = new QToolButton;
    columns->setObjectName("runsColumns");
    columns->setIcon(appearance.icon("columns"));
    columns->setPopupMode(QToolButton::InstantPopup);
    columns->setAccessibleName(tr("Columns"));
    columns->setToolTip(tr("Visible columns"));
    columns->setMenu(m_columns = new QMenu(columns));
    row->addWidget(columns);
    return group;
}

void RunsBar::setExperiments(const std::vector<std::pair<QString, int>>& experiments)
{
    if (experiments == m_offered && m_experiments->count() > 0)
        return; // it may be open
    m_offered = experiments;
    const std::optional<QString> before = experiment();
    {
        const QSignalBlocker quiet(m_experiments);
        m_experiments->clear();
        m_experiments->addItem(tr("All experiments"));
        for (const auto& [title, count] : experiments)
            m_experiments->addItem(tr("%1 (%2)").arg(title.isEmpty() ? tr("(untitled)") : title).arg(count), title);
        for (int i = 1; before && i < m_experiments->count(); ++i)
            if (m_experiments->itemData(i).toString() == *before)
                m_experiments->setCurrentIndex(i);
    }
    m_experiments->setVisible(experiments.size() > 1 || experiment().has_value());
    fold();
    if (experiment() != before)
        Q_EMIT experimentChanged();
}

std::optional<QString> RunsBar::experiment() const
{
    return m_experiments->currentIndex() <= 0 ? std::nullopt : std::optional(m_experiments->currentData().toString());
}

QSize RunsBar::minimumSizeHint() const
{
    const QMargins margins = m_row->contentsMargins();
    const int widest = std::max(m_filter->minimumSizeHint().width(), m_buttons->minimumSizeHint().width());
    return {widest + margins.left() + margins.right(), QWidget::minimumSizeHint().height()};
}

void RunsBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fold();
}

void RunsBar::fold()
{
    const QMargins margins = m_row->contentsMargins();
    const int oneLine = m_filter->minimumSizeHint().width() + m_buttons->minimumSizeHint().width() + m_row->spacing() +
                        margins.left() + margins.right();
    m_row->setDirection(width() < oneLine ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

} // namespace unroll
