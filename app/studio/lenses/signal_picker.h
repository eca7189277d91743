// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/document.h"
#include "app/studio/lenses/watchable.h"

#include <QComboBox>
#include <QWidget>
#include <map>
#include <string>

namespace unroll {

/// Chooses a node of the document and one of the signals its spec names. Follows the document: what is chosen stays where it still exists.
class SignalPicker : public QWidget {
    Q_OBJECT
public:
    explicit SignalPicker(Document& document, QWidget* parent = nullptr);

    bool isEmpty() const { return m_nodes.empty(); } ///< there is no node with signals
    std::string node() const;                        ///< path; empty: none is chosen
    std::string signal() const;
    std::string place() const; ///< of the node, as WatchableNode::place
    /// As StatePanel's.
    void showNode(const std::string& place);
    void showSignal(const std::string& name);

Q_SIGNALS:
    void picked(); ///< node or signal may be others

private:
    void fillNodes();
    void listNodes(const WatchableNodes& list, const std::string& before);
    void fillSignals();
    void pick();
    const WatchableNode* chosen() const; ///< nullptr: there is none

    Document& m_document;
    QComboBox* m_node;
    QComboBox* m_signal;
    std::vector<WatchableNode> m_nodes;
    std::map<std::string, std::string> m_lastSignal; ///< by block id: another node of the kind opens on the same signal
};

} // namespace unroll
