// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state_panel.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/number_text.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <algorithm>

namespace unroll {

namespace {

constexpr std::size_t mostListed = 500; ///< entries of the list of nodes

/// A node with signals, where it stands in the document. Its copies are those of the groups around it.
struct WatchablePlace {
    std::vector<const Node*> groups; ///< from the top
    const Node* node;
    const BlockSpec* spec;
};

void collect(const Graph& graph, const BlockRegistry& registry, std::vector<const Node*>& around,
             std::vector<WatchablePlace>& places)
{
    for (const auto& [id, node] : graph.nodes) {
        if (node->group && node->group->repeat > 0) {
            around.push_back(node.get());
            collect(*node->group->graph, registry, around, places);
            around.pop_back();
        }
        const BlockSpec* spec = registry.find(node->block);
        if (!node->group && spec != nullptr && !spec->signalSpecs.empty())
            places.push_back({around, node.get(), spec});
    }
}

/// How many copies there are, or one more than `most`.
std::int64_t copiesOf(const WatchablePlace& place, std::int64_t most)
{
    std::int64_t copies = 1;
    for (const Node* group : place.groups) {
        if (group->group->repeat > most / copies)
            return most + 1;
        copies *= group->group->repeat;
    }
    return copies;
}

/// Copies are counted from 0, those of the innermost group first.
WatchableNode copyOf(const WatchablePlace& place, std::int64_t copy)
{
    WatchableNode node{place.node->name, place.node->name, place.spec};
    for (auto group = place.groups.rbegin(); group != place.groups.rend(); ++group) {
        const std::int64_t copies = (*group)->group->repeat;
        const std::string number = copies > 1 ? "." + std::to_string(copy % copies + 1) : "";
        node.path = (*group)->name + number + "." + node.path;
        node.place = (*group)->name + "." + node.place;
        copy /= copies;
    }
    return node;
}

} // namespace

WatchableNodes watchableNodes(const Graph& graph, const BlockRegistry& registry, std::size_t most)
{
    std::vector<WatchablePlace> places;
    std::vector<const Node*> around;
    collect(graph, registry, around, places);
    std::stable_partition(places.begin(), places.end(),
                          [](const WatchablePlace& place) { return place.spec->recurrent; });
    const auto each =
        static_cast<std::int64_t>(std::max<std::size_t>(1, most / std::max<std::size_t>(1, places.size())));
    WatchableNodes result;
    for (const WatchablePlace& place : places) {
        const std::int64_t copies = copiesOf(place, each);
        result.allCopies = result.allCopies && copies <= each;
        for (std::int64_t copy = 0; copy < std::min(copies, each); ++copy)
            result.nodes.push_back(copyOf(place, copy));
    }
    return result;
}

StatePanel::StatePanel(Document& document, RunController& controller, const Appearance& appearance, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_controller(controller),
      m_map(new HeatMapView(appearance)),
      m_empty(new EmptyState(appearance, "heat", tr("No state yet"), {})),
      m_pages(new QStackedWidget)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::s, 0, 0);
    column->setSpacing(0);
    column->addWidget(controls());
    m_pages->addWidget(m_empty);
    m_pages->addWidget(m_map);
    column->addWidget(m_pages, 1);
    connect(&document, &Document::replaced, this, [this] { // the new one opens on what it names itself
        const QSignalBlocker quiet(m_node);
        m_node->clear();
        m_lastSignal.clear();
        m_watched.reset();
    });
    connect(&document, &Document::graphChanged, this, &StatePanel::fillNodes);
    connect(&document, &Document::settingsChanged, this, [this] {
        if (!m_probe->hasFocus())
            m_probe->setText(QString::fromStdString(m_document.probeText()));
    });
    connect(&controller, &RunController::runChanged, this, [this] {
        m_shown.reset();
        m_map->setFrame({}, 0);
        showEmpty();
    });
    connect(&controller, &RunController::snapshotChanged, this, &StatePanel::take);
    connect(&controller, &RunController::stateChanged, this, &StatePanel::showEmpty);
    connect(&controller, &RunController::ticked, this, &StatePanel::showIfNeeded);
    connect(m_map, &HeatMapView::hovered, this, &StatePanel::showReading);
    fillNodes();
}

QWidget* StatePanel::controls()
{
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(space::s, 0, space::m, 0);
    row->setSpacing(space::s);
    m_node = new QComboBox;
    m_node->setObjectName("nodes");
    m_node->setAccessibleName(tr("Node"));
    m_node->setToolTip(tr("Whose state is shown"));
    m_node->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_signal = new QComboBox;
    m_signal->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_signal->setAccessibleName(tr("Signal"));
    m_probe = new QLineEdit;
    m_probe->setAccessibleName(tr("Probe text"));
    m_probe->setPlaceholderText(tr("probe text"));
    m_probe->setToolTip(tr("The text the state is shown on; without one, the start of the validation data. Looking "
                           "never trains on it; Enter sends it."));
    m_reading = new QLabel;
    m_reading->setProperty("tone", "dim");
    m_reading->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    // Readings change all the time: their room does not.
    m_reading->setMinimumWidth(m_reading->fontMetrics().horizontalAdvance(tr("“w” at 000, unit 000:  -0.0000")));
    row->addWidget(m_node);
    row->addWidget(m_signal);
    row->addWidget(m_probe, 1);
    row->addWidget(m_reading);
    connect(m_node, &QComboBox::currentIndexChanged, this, [this] {
        fillSignals();
        watch();
    });
    connect(m_signal, &QComboBox::currentIndexChanged, this, &StatePanel::watch);
    connect(m_probe, &QLineEdit::editingFinished, this, &StatePanel::sendProbeText);
    return bar;
}

/// Keeps what is shown where it still exists; else opens on what the file names, else on the first.
void StatePanel::fillNodes()
{
    const std::string before = node();
    auto list = watchableNodes(m_document.graph(), m_document.registry(), mostListed);
    if (list.nodes == m_nodes && !before.empty())
        return;
    m_nodes = std::move(list.nodes);
    const auto indexOf = [this](const std::string& path) {
        const auto found =
            std::find_if(m_nodes.begin(), m_nodes.end(), [&](const WatchableNode& n) { return n.path == path; });
        return found == m_nodes.end() ? -1 : static_cast<int>(found - m_nodes.begin());
    };
    const int index = indexOf(before);
    {
        const QSignalBlocker quiet(m_node);
        m_node->clear();
        for (const WatchableNode& node : m_nodes)
            m_node->addItem(QString::fromStdString(node.path));
        if (!list.allCopies) {
            m_node->addItem(tr("… and more copies"));
            static_cast<QStandardItemModel*>(m_node->model())->item(m_node->count() - 1)->setEnabled(false);
        }
        m_node->setCurrentIndex(std::max(0, index >= 0 ? index : indexOf(m_document.watchNode())));
        m_node->setEnabled(!m_nodes.empty());
    }
    fillSignals();
    watch();
}

void StatePanel::fillSignals()
{
    const QSignalBlocker quiet(m_signal);
    m_signal->clear();
    const WatchableNode* of = chosen();
    m_signal->setEnabled(of != nullptr);
    if (of == nullptr)
        return;
    const BlockSpec& spec = *of->spec;
    const auto last = m_lastSignal.find(spec.id);
    const std::string wish = last != m_lastSignal.end()         ? last->second
                             : node() == m_document.watchNode() ? m_document.watchSignal()
                                                                : std::string();
    for (const SignalSpec& signal : spec.signalSpecs) {
        m_signal->addItem(QString::fromStdString(signal.name));
        m_signal->setItemData(m_signal->count() - 1, QString::fromStdString(signal.help), Qt::ToolTipRole);
        if (signal.name == wish)
            m_signal->setCurrentIndex(m_signal->count() - 1);
    }
}

const WatchableNode* StatePanel::chosen() const
{
    const int index = m_node->currentIndex();
    return index < 0 || index >= static_cast<int>(m_nodes.size()) ? nullptr : &m_nodes[static_cast<std::size_t>(index)];
}

std::string StatePanel::node() const
{
    return chosen() != nullptr ? chosen()->path : std::string();
}

std::string StatePanel::signal() const
{
    return m_signal->currentText().toStdString();
}

std::string StatePanel::place() const
{
    return chosen() != nullptr ? chosen()->place : std::string();
}

void StatePanel::showNode(const std::string& wanted)
{
    const auto found =
        std::find_if(m_nodes.begin(), m_nodes.end(), [&](const WatchableNode& node) { return node.place == wanted; });
    if (found != m_nodes.end() && place() != wanted)
        m_node->setCurrentIndex(static_cast<int>(found - m_nodes.begin()));
}

void StatePanel::showSignal(const std::string& name)
{
    const int index = m_signal->findText(QString::fromStdString(name));
    if (index >= 0)
        m_signal->setCurrentIndex(index);
}

void StatePanel::watch()
{
    const WatchedSignal wanted{node(), signal()};
    if (wanted == m_watched)
        return;
    m_watched = wanted;
    m_signal->setToolTip(m_signal->currentData(Qt::ToolTipRole).toString());
    if (chosen() != nullptr && !signal().empty()) {
        m_lastSignal[chosen()->spec->id] = signal();
        m_document.noteWatched(node(), signal());
        m_controller.watch({{node(), signal()}});
    } else {
        m_controller.watch({});
    }
    m_shown.reset();
    m_map->setFrame({}, 0);
    take();
    showIfNeeded();
    showEmpty();
    Q_EMIT watchedChanged(place());
}

void StatePanel::take()
{
    m_dirty = m_dirty || m_controller.snapshot()->probe != m_shown;
}

void StatePanel::showIfNeeded()
{
    if (!m_dirty || !isVisible())
        return;
    m_dirty = false;
    const auto& frame = m_controller.snapshot()->probe;
    if (!frame)
        return;
    for (std::size_t i = 0; i < frame->signalFrames.size(); ++i)
        if (frame->signalFrames[i].node == node() && frame->signalFrames[i].signal == signal())
            return showFrame(frame, i);
}

void StatePanel::showFrame(const std::shared_ptr<const ProbeFrame>& frame, std::size_t index)
{
    m_shown = frame;
    m_map->setFrame(frame, index);
    showEmpty();
}

void StatePanel::showEmpty()
{
    const QString name = m_node->currentText();
    if (m_nodes.empty())
        m_empty->setSentence(tr("A graph with a recurrent node shows here what that node holds at every character."));
    else if (!m_controller.canBeAsked())
        m_empty->setSentence(
            tr("Press Run (F5): what %1 holds at every character of the probe text is drawn here while it learns.")
                .arg(name));
    else
        m_empty->setSentence(tr("Waiting for the first look at %1.").arg(name));
    m_pages->setCurrentIndex(m_map->isEmpty() ? 0 : 1);
}

void StatePanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    showIfNeeded(); // what came while it was hidden; an ended run brings nothing more
}

/// The cell under the cursor, or what the picture as a whole is of.
void StatePanel::showReading(const QString& hovered)
{
    if (!hovered.isEmpty() || !m_shown) {
        m_reading->setText(hovered);
        return;
    }
    QString words = tr("step %1").arg(countText(m_shown->step));
    if (m_map->missing() > 0)
        words += tr("  ·  %1 cells are no numbers").arg(countText(m_map->missing()));
    m_reading->setText(words);
}

void StatePanel::sendProbeText()
{
    const std::string text = m_probe->text().toStdString();
    if (text == m_document.probeText())
        return;
    m_document.setProbeText(text);
    m_controller.setProbeText(text);
}

} // namespace unroll
