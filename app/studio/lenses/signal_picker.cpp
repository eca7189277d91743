// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/signal_picker.h"

#include "app/studio/theme/metrics.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <algorithm>

namespace unroll {

namespace {

constexpr std::size_t mostListed = 500; ///< entries of the list of nodes

} // namespace

SignalPicker::SignalPicker(Document& document, QWidget* parent)
    : QWidget(parent), m_document(document), m_node(new QComboBox), m_signal(new QComboBox)
{
    m_node->setObjectName("nodes");
    m_node->setAccessibleName(tr("Node"));
    m_node->setToolTip(tr("Whose state is shown"));
    m_node->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_signal->setObjectName("signals");
    m_signal->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_signal->setAccessibleName(tr("Signal"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::s);
    row->addWidget(m_node);
    row->addWidget(m_signal);
    connect(m_node, &QComboBox::currentIndexChanged, this, [this] {
        fillSignals();
        pick();
    });
    connect(m_signal, &QComboBox::currentIndexChanged, this, &SignalPicker::pick);
    connect(&document, &Document::replaced, this, [this] { // the new one opens on what it names itself
        const QSignalBlocker quiet(m_node);
        m_node->clear();
        m_lastSignal.clear();
    });
    connect(&document, &Document::graphChanged, this, &SignalPicker::fillNodes);
    fillNodes();
}

void SignalPicker::pick()
{
    m_signal->setToolTip(m_signal->currentData(Qt::ToolTipRole).toString());
    if (chosen() != nullptr && !signal().empty())
        m_lastSignal[chosen()->spec->id] = signal();
    Q_EMIT picked();
}

/// Keeps what is shown where it still exists; else opens on what the file names, else on the first.
void SignalPicker::fillNodes()
{
    const std::string before = node();
    const auto list = watchableNodes(m_document.graph(), m_document.registry(), mostListed);
    if (list.nodes == m_nodes && !before.empty())
        return;
    listNodes(list, before);
    fillSignals();
    pick();
}

void SignalPicker::listNodes(const WatchableNodes& list, const std::string& before)
{
    m_nodes = list.nodes;
    const auto indexOf = [this](const std::string& path) {
        const auto found =
            std::find_if(m_nodes.begin(), m_nodes.end(), [&](const WatchableNode& n) { return n.path == path; });
        return found == m_nodes.end() ? -1 : static_cast<int>(found - m_nodes.begin());
    };
    const int index = indexOf(before);
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

void SignalPicker::showSignal(const std::string& name)
{
    const int index = m_signal->findText(QString::fromStdString(name));
    if (index >= 0)
        m_signal->setCurrentIndex(index);
}

} // namespace unroll
