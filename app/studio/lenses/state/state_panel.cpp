// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/state_panel.h"

#include "app/studio/lenses/kept_page.h"
#include "app/studio/lenses/look_rate.h"
#include "app/studio/lenses/state/order_picker.h"
#include "app/studio/lenses/state/ranked_order.h"
#include "app/studio/lenses/state/state_bar.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/number_text.h"
#include "app/studio/theme/plain_label.h"
#include "core/lens/state/state.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>
#include <QWidgetAction>

namespace unroll {

namespace {

/// A button that opens them: a narrow panel has no room for all at once.
QToolButton* inMenu(const QString& text, QWidget* parts)
{
    auto* button = new QToolButton;
    button->setObjectName("drawing");
    button->setProperty("opens", "menu"); // an arrow says so
    button->setText(text);
    button->setToolTip(StatePanel::tr("What is drawn, its scale, and the order of the units"));
    button->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(button);
    auto* action = new QWidgetAction(menu);
    action->setDefaultWidget(parts);
    menu->addAction(action);
    button->setMenu(menu);
    return button;
}

} // namespace

StatePanel::StatePanel(const LensDesk& desk, QWidget* parent)
    : LensView("state", desk.controller, parent),
      m_desk(desk),
      m_document(desk.document),
      m_controller(desk.controller),
      m_picker(new SignalPicker(desk.document)),
      m_pin(new QToolButton),
      m_stack(new StateStack(desk, m_histories)),
      m_drawing(new DrawingPicker(*m_stack)),
      m_order(new OrderPicker(*m_stack, desk.appearance)),
      m_ranked(new RankedOrder(*m_stack, desk.controller, *this)),
      m_tools(new StateTools(*m_stack, desk.appearance)),
      m_empty(new EmptyState(desk.appearance, "heat", tr("No state yet"), {})),
      m_pages(new QStackedWidget),
      m_time(new TimeBar),
      m_probe(new ProbeField(desk.appearance)),
      m_shows(plainLabel({})),
      m_reading(new ElidedLabel)
{
    const Appearance& appearance = desk.appearance;
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::s, 0, 0);
    column->setSpacing(0);
    m_pin->setObjectName("pin");
    m_pin->setCheckable(true);
    m_pin->setChecked(true);
    m_pin->setIcon(appearance.icon("pin"));
    m_pin->setAccessibleName(tr("Pin"));
    m_pin->setToolTip(tr("Keep this signal when another node is selected; when off, the selected node is shown"));
    m_picker->layout()->addWidget(m_pin);
    auto* drawing = new QWidget;
    auto* row = new QHBoxLayout(drawing);
    row->setContentsMargins(space::m, space::s, space::m, space::s);
    row->setSpacing(space::s);
    row->addWidget(m_drawing);
    row->addWidget(m_order);
    connect(m_order, &OrderPicker::changed, m_ranked, &RankedOrder::refresh);
    connect(m_order, &OrderPicker::changed, this, &StatePanel::showDrawn);
    connect(m_ranked, &RankedOrder::changed, this, &StatePanel::showDrawn);
    column->addWidget(new StateBar(m_picker, m_probe, inMenu(tr("Draw"), drawing), m_tools));
    column->addWidget(troubleLine());
    m_pages->addWidget(m_empty);
    m_pages->addWidget(mapPage());
    column->addWidget(m_pages, 1);
    usePages(m_pages);
    listenToTime();
    listen();
    watch();
}

/// What watches whether it is seen goes before it hides.
StatePanel::~StatePanel()
{
    delete m_ranked;
}

void StatePanel::addToBar(QWidget* part)
{
    m_tools->layout()->addWidget(part);
}

void StatePanel::listen()
{
    connect(&m_document, &Document::replaced, this, [this] {
        m_watched.reset();
        m_chosen = false;
        m_probe->setText(QString::fromStdString(m_document.probeText())); // what was being typed was for the last one
    });
    connect(m_picker, &SignalPicker::picked, this, &StatePanel::watch);
    connect(m_picker, &SignalPicker::chosenByHand, this, [this] { m_chosen = true; });
    connect(&m_document, &Document::settingsChanged, this, [this] { showWhatIsRead(); });
    connect(&m_document, &Document::checkedChanged, this, &StatePanel::showTrouble);
    connect(m_probe, &QLineEdit::returnPressed, this, [this] { m_probeEntered = true; }); // and then it is finished
    connect(m_probe, &QLineEdit::editingFinished, this, &StatePanel::sendProbeText);
    connect(&m_controller, &RunController::runChanged, this, &StatePanel::begin);
    connect(&m_controller, &RunController::snapshotChanged, this, &StatePanel::take);
    connect(&m_controller, &RunController::stateChanged, this, &StatePanel::showEmpty);
    connect(&m_controller, &RunController::ticked, this, &StatePanel::showIfNeeded);
    connect(m_stack, &StateStack::pointedAt, this, &StatePanel::showReading);
    connect(m_stack, &StateStack::firstRemoveAsked, this, &StatePanel::removeFirst);
    connect(m_stack, &StateStack::countChanged, this, &StatePanel::showDrawn);
    connect(m_drawing, &DrawingPicker::changed, this, &StatePanel::showDrawn);
    connect(m_tools, &StateTools::addAsked, this, &StatePanel::addSignal);
    connect(m_tools, &StateTools::saveAsked, this, &StatePanel::askForFile);
    connect(&m_desk.cursor, &ReadingCursor::selectionChanged, this, &StatePanel::showSelected);
    connect(&m_saving, &FileSaving::saved, this,
            [this](const QString& path) { Q_EMIT noted(tr("The state is saved in %1").arg(path)); });
    connect(&m_saving, &FileSaving::failed, this,
            [this](const QString& sentence) { Q_EMIT failed(tr("The state could not be saved. %1").arg(sentence)); });
    connect(m_time, &TimeBar::followingChanged, this, &StatePanel::setFollowing);
    connect(m_time, &TimeBar::lookChosen, this, [this](std::size_t index) {
        m_time->setFollowing(false);
        showFrame(history().at(index));
    });
}

/// What is wrong with the probe text, right below its field.
QWidget* StatePanel::troubleLine()
{
    m_trouble = new QWidget;
    auto* frame = new QFrame;
    frame->setProperty("fill", "error");
    m_troubleLabel = new QLabel;
    m_troubleLabel->setObjectName("probeTrouble");
    m_troubleLabel->setWordWrap(true);
    auto* inner = new QHBoxLayout(frame);
    inner->setContentsMargins(space::s, space::xs, space::s, space::xs);
    inner->addWidget(m_troubleLabel);
    auto* row = new QHBoxLayout(m_trouble);
    row->setContentsMargins(space::m, space::xs, space::m, 0);
    row->addWidget(frame);
    m_trouble->hide();
    return m_trouble;
}

QWidget* StatePanel::mapPage()
{
    m_reading->setObjectName("reading");
    m_reading->setProperty("tone", "dim");
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, space::s);
    column->setSpacing(space::xs);
    m_shows->setObjectName("shows");
    m_shows->setProperty("tone", "dim");
    m_shows->setContentsMargins(space::m, space::xs, space::m, 0);
    column->addWidget(m_shows);
    column->addWidget(m_stack, 1);
    auto* below = new QVBoxLayout;
    below->setContentsMargins(space::m, 0, space::m, 0);
    below->setSpacing(space::xs);
    auto* words = new QHBoxLayout;
    words->addWidget(m_reading, 1);
    words->addWidget(new LookRate(m_controller, lens().heavy));
    below->addLayout(words);
    below->addWidget(m_time);
    column->addLayout(below);
    return page;
}

void StatePanel::followSelection(const std::string& place)
{
    const bool shows = m_chosen || !map().isEmpty() || m_controller.canBeAsked();
    if ((isPinned() && shows) || (m_controller.canBeAsked() && !m_picker->isInRun(place)))
        return;
    m_picker->showNode(place);
}

/// Another run, or none: nothing of the last one is shown or kept, unless it is that one that goes on.
void StatePanel::begin()
{
    const auto& trained = m_controller.experiment();
    m_picker->setRun(trained ? std::optional<Graph>(trained->graph) : std::nullopt);
    m_stack->setRun(trained ? std::optional<Graph>(trained->graph) : std::nullopt);
    if (m_controller.continuesRun())
        return showEmpty();
    m_histories.clear();
    m_shown.reset();
    m_stack->forget();
    m_time->setFollowing(true);
    showLooks();
    showEmpty();
}

void StatePanel::watch()
{
    const WatchedSignal wanted{node(), signal()};
    if (wanted == m_watched)
        return;
    m_watched = wanted;
    const bool any = !wanted.node.empty() && !wanted.signal.empty();
    if (any)
        m_document.noteWatched(wanted.node, wanted.signal);
    ask(any ? std::optional(stateQuery(wanted)) : std::nullopt);
    const std::int64_t step = m_shown ? m_shown->step : 0;
    m_shown.reset();
    m_stack->first().setFrame({});
    const QString node = QString::fromStdString(wanted.node), signal = QString::fromStdString(wanted.signal);
    map().setAccessibleName(tr("State of %1: %2").arg(node, signal));
    m_stack->setFirstName(tr("%1 %2").arg(node, signal));
    m_dirty = true;
    take();
    if (showsUpdate() || showsStrip())
        showTime();
    else if (!m_time->isFollowing())
        holdNear(step);
    showIfNeeded();
    showEmpty();
    Q_EMIT watchedChanged(place());
}

/// Whatever is shown, looks are kept as they come.
void StatePanel::take()
{
    m_stack->take();
    const FrameHistory::Frame frame = stateLook(newest());
    showWhatIsRead();
    if (!frame || !m_watched)
        return;
    FrameHistory& kept = history();
    m_dirty = m_dirty || kept.isEmpty() || kept.newest() != frame;
    kept.add(frame);
}

void StatePanel::showIfNeeded()
{
    if (!m_dirty || !isVisible())
        return;
    m_dirty = false;
    if (showsUpdate())
        return showTime();
    if (m_time->isFollowing() && !history().isEmpty())
        showFrame(history().newest());
    else
        showLooks();
}

/// A copy: what is kept may move while it is shown.
void StatePanel::showFrame(FrameHistory::Frame frame)
{
    m_shown = frame;
    m_stack->first().setFrame(frame);
    if (showsUpdate())
        m_stack->placeScroll(); // the further ones have frames of their own
    else
        m_stack->showAt(m_time->isFollowing() ? std::nullopt : std::optional(frame->step));
    if (const std::int64_t steps = frame->signalFrames.front().steps; steps > 1) // a vector is of all steps
        m_desk.cursor.setSteps(steps);
    m_drawing->offerMatrices(m_stack->first().matrices().count() > 0);
    m_tools->refresh();
    m_shows->setText(showsText());
    showLooks();
    showEmpty();
}

/// The look at another signal that was taken at this step or next to it; without one the newest is waited for.
void StatePanel::holdNear(std::int64_t step)
{
    const FrameHistory& kept = history();
    if (kept.isEmpty())
        m_time->setFollowing(true);
    else
        showFrame(kept.at(kept.nearest(step)));
}

/// Held looks are coloured alike: the ends of the scale stay.
void StatePanel::setFollowing(bool follows)
{
    m_stack->holdScale(!follows);
    m_dirty = m_dirty || follows;
    showIfNeeded();
}

void StatePanel::setMemory(std::size_t bytes)
{
    m_histories.setMostBytes(bytes);
    showLooks();
}

void StatePanel::showLooks()
{
    const FrameHistory& kept = history();
    const std::int64_t step = m_shown ? m_shown->step : 0;
    m_time->setLooks(kept.size(), kept.nearest(step), step);
}

void StatePanel::showEmpty()
{
    const QString name = QString::fromStdString(node());
    if (showsUpdate() && !m_keptReason.isEmpty())
        m_empty->setSentence(m_keptReason);
    else if (m_picker->isEmpty())
        m_empty->setSentence(
            tr("The state of a recurrent node at every step is shown here; the graph has no such node."));
    else if (const std::string& reason = m_controller.snapshot()->notOpened; !reason.empty())
        m_empty->setSentence(tr("%1 cannot be shown: %2.").arg(name, QString::fromStdString(reason)));
    else if (!m_controller.canBeAsked())
        m_empty->setSentence(m_document.readsNumbers() ? tr("Press Run ({run}): the state of %1 at every step of the "
                                                            "first validation window is shown here during training.")
                                                             .arg(name)
                                                       : tr("Press Run ({run}): the state of %1 at every character of "
                                                            "the probe text is shown here during training.")
                                                             .arg(name));
    else if (!m_picker->isChosenInRun())
        m_empty->setSentence(tr("%1 is not in this run; it will be in the next.").arg(name));
    else
        m_empty->setSentence(tr("Waiting for the first snapshot of %1.").arg(name));
    showPage(showsStrip() ? m_pages->indexOf(m_kept) : map().isEmpty() ? 0 : 1);
}

void StatePanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    showIfNeeded(); // what came while it was hidden; an ended run brings nothing more
}

/// The cell that is pointed at, or what the picture as a whole is of.
void StatePanel::showReading(const QString& pointed)
{
    if (!pointed.isEmpty() || map().isEmpty()) {
        m_reading->setText(pointed);
        return;
    }
    const HeatCells& cells = map().data().cells();
    const bool characters = readsCharacters(*m_shown);
    const bool one = cells.heads > 0 ? cells.heads == 1 : cells.width == 1;
    const QString rows = cells.heads > 0 ? (one ? tr("1 head") : tr("%1 heads").arg(countText(cells.heads)))
                                         : (one ? tr("1 unit") : tr("%1 units").arg(countText(cells.width)));
    const bool whole = cells.steps == 1 && m_shown->characters.size() > 1; // a vector
    QString words =
        whole ? tr("%1 for the whole text").arg(rows)
              : (characters ? tr("%1 on %2 characters") : tr("%1 on %2 steps")).arg(rows, countText(cells.steps));
    if (cells.missing > 0)
        words += tr("  ·  %1 cells are not finite").arg(countText(cells.missing));
    if (const QString drawn = drawnText(); !drawn.isEmpty())
        words += "  ·  " + drawn;
    if (!whole) // last: a narrow panel leaves it out
        words += !characters       ? tr("  ·  click or arrow keys mark a step")
                 : cells.heads > 0 ? tr("  ·  point at a step: the characters it attends to are tinted")
                                   : tr("  ·  click or arrow keys mark a character");
    if (showsUpdate() && !m_keptReason.isEmpty())
        words = m_keptReason + "  ·  " + words;
    m_reading->setText(words);
}

} // namespace unroll
