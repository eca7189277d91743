// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/signal_picker.h"

#include "app/studio/theme/metrics.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <algorithm>

namespace unroll {

namespace {

constexpr std::size_t kMostListed = 500; ///< entries of the list of nodes

} // namespace

SignalPicker::SignalPicker(Document& document, QWidget* parent)
    : QWidget(parent), m_document(document), m_node(new QComboBox), m_signal(new QComboBox)
{
    m_node->setObjectName("nodes");
    m_node->setAccessibleName(tr("Node"));
    m_node->setToolTip(tr("Node whose signal is shown"));
    m_node->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_signal->setObjectName("signals");
    m_signal->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_signal->setAccessibleName(tr("Signal"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::s);
    row->addWidget(m_node);
    row->addWidget(m_signal);
    for (QComboBox* box : {m_node, m_signal})
        connect(box, &QComboBox::activated, this, [this] {
            m_preferred = {};
            m_showedPreferred = true;
            wish();
            Q_EMIT chosenByHand();
        });
    connect(m_node, &QComboBox::currentIndexChanged, this, [this] {
        wish();
        fillSignals();
        pick();
    });
    connect(m_signal, &QComboBox::currentIndexChanged, this, &SignalPicker::pick);
    connect(&document, &Document::replaced, this, [this] { // the new one opens on what it names itself
        const QSignalBlocker quiet(m_node);
        m_node->clear();
        m_nodes.clear();
        m_wish.clear();
        m_wished.clear();
        m_lastSignal.clear();
        m_showedPreferred = false;
    });
    connect(&document, &Document::graphChanged, this, &SignalPicker::fillNodes);
    fillNodes();
}

/// What stands there is what is wanted.
void SignalPicker::wish()
{
    m_wish = node();
    m_wished = chosen() != nullptr ? chosen()->ids : std::vector<NodeId>();
}

void SignalPicker::pick()
{
    m_signal->setToolTip(m_signal->currentData(Qt::ToolTipRole).toString());
    if (chosen() != nullptr && !signal().empty())
        m_lastSignal[chosen()->spec->id] = signal();
    Q_EMIT picked();
}

void SignalPicker::fillNodes()
{
    auto list = listed();
    if (list.nodes == m_nodes && !node().empty())
        return;
    listNodes(std::move(list));
    fillSignals();
    pick();
    showPreferred();
}

void SignalPicker::prefer(const std::string& path, const std::string& signal)
{
    m_preferred = {path, signal};
    m_showedPreferred = false;
    showPreferred();
}

void SignalPicker::preferKind(SignalKind kind)
{
    m_kind = kind;
    showPreferred();
}

void SignalPicker::showKind()
{
    for (const WatchableNode& node : m_nodes)
        for (std::size_t i = 0; i < node.looks.size(); ++i)
            if (node.looks[i] == *m_kind) {
                m_showedPreferred = true;
                return showWatched(node.path, node.spec->signalSpecs[i].name);
            }
}

void SignalPicker::showPreferred()
{
    if (!m_showedPreferred && m_preferred.first.empty() && m_kind)
        return showKind();
    const auto isIt = [this](const WatchableNode& node) { return node.path == m_preferred.first; };
    if (m_showedPreferred || m_preferred.first.empty() || std::none_of(m_nodes.begin(), m_nodes.end(), isIt))
        return;
    m_showedPreferred = true;
    showWatched(m_preferred.first, m_preferred.second);
}

/// Those of the document, and the one that is chosen where the run alone still has it.
WatchableNodes SignalPicker::listed() const
{
    auto list = watchableNodes(m_document.graph(), m_document.registry(), kMostListed);
    const auto isWish = [this](const WatchableNode& node) { return node.path == m_wish; };
    if (m_wish.empty() || !m_run || std::any_of(list.nodes.begin(), list.nodes.end(), isWish))
        return list;
    if (const BlockSpec* spec = watchableAt(*m_run, m_document.registry(), m_wish))
        list.nodes.push_back({m_wish, {}, spec, m_wished});
    return list;
}

/// A node that was renamed is the same one.
void SignalPicker::keepWish(const WatchableNodes& list)
{
    const auto& nodes = list.nodes;
    if (m_wished.empty() ||
        std::any_of(nodes.begin(), nodes.end(), [this](const WatchableNode& node) { return node.path == m_wish; }))
        return;
    const auto same =
        std::find_if(nodes.begin(), nodes.end(), [this](const WatchableNode& node) { return node.ids == m_wished; });
    if (same != nodes.end())
        m_wish = same->path;
}

/// On what was chosen; where that is nowhere now, on what the file names, else on the first.
void SignalPicker::listNodes(WatchableNodes list)
{
    keepWish(list);
    m_nodes = std::move(list.nodes);
    const auto indexOf = [this](const std::string& path) {
        const auto found =
            std::find_if(m_nodes.begin(), m_nodes.end(), [&](const WatchableNode& n) { return n.path == path; });
        return found == m_nodes.end() ? -1 : static_cast<int>(found - m_nodes.begin());
    };
    const int index = indexOf(m_wish);
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
    if (m_wish.empty())
        wish();
}

void SignalPicker::setRun(std::optional<Graph> graph)
{
    m_run = std::move(graph);
    fillNodes();
}

bool SignalPicker::isInRun(const std::string& path) const
{
    return !m_run || watchableAt(*m_run, m_document.registry(), path) != nullptr;
}

bool SignalPicker::isChosenInRun() const
{
    if (!m_run)
        return true;
    const BlockSpec* spec = watchableAt(*m_run, m_document.registry(), node());
    return spec != nullptr && std::any_of(spec->signalSpecs.begin(), spec->signalSpecs.end(),
                                          [this](const SignalSpec& each) { return each.name == signal(); });
}

void SignalPicker::fillSignals()
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

const WatchableNode* SignalPicker::chosen() const
{
    const int index = m_node->currentIndex();
    return index < 0 || index >= static_cast<int>(m_nodes.size()) ? nullptr : &m_nodes[static_cast<std::size_t>(index)];
}

std::string SignalPicker::node() const
{
    return chosen() != nullptr ? chosen()->path : std::string();
}

std::string SignalPicker::signal() const
{
    return m_signal->currentText().toStdString();
}

std::string SignalPicker::place() const
{
    return chosen() != nullptr ? chosen()->place : std::string();
}

void SignalPicker::showNode(const std::string& wanted)
{
    const auto found =
        std::find_if(m_nodes.begin(), m_nodes.end(), [&](const WatchableNode& node) { return node.place == wanted; });
    if (found != m_nodes.end() && place() != wanted)
        m_node->setCurrentIndex(static_cast<int>(found - m_nodes.begin()));
}

/// Copies: who hears of the node may list the nodes again.
void SignalPicker::showWatched(std::string path, std::string name)
{
    const auto found =
        std::find_if(m_nodes.begin(), m_nodes.end(), [&](const WatchableNode& node) { return node.path == path; });
    if (found == m_nodes.end())
        return;
    m_node->setCurrentIndex(static_cast<int>(found - m_nodes.begin()));
    showSignal(name);
}

std::vector<std::string> SignalPicker::signalsOfNode() const
{
    std::vector<std::string> names;
    for (int i = 0; i < m_signal->count(); ++i)
        names.push_back(m_signal->itemText(i).toStdString());
    return names;
}

void SignalPicker::showSignal(const std::string& name)
{
    const int index = m_signal->findText(QString::fromStdString(name));
    if (index >= 0)
        m_signal->setCurrentIndex(index);
}

} // namespace unroll
