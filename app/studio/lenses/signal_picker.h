// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/document.h"
#include "app/studio/lenses/watchable.h"

#include <QComboBox>
#include <QWidget>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace unroll {

/// Chooses a node of the document and one of the signals its spec names. What is chosen stays whatever happens to the
/// document, for as long as it is there or in the run; it comes back with its node.
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
    /// What a run trains: its nodes can be watched, no others. Nothing: there is no run.
    void setRun(std::optional<Graph> graph);
    /// Whether a run, where there is one, has the node at this path or place, with something to watch.
    bool isInRun(const std::string& path) const;
    bool isChosenInRun() const; ///< likewise, the signal too
    void showSignal(const std::string& name);
    /// The node at this path, of copies that one alone, with this signal; one that is not listed is skipped.
    void showWatched(std::string path, std::string name);
    /// This node with this signal is chosen where it is listed, in this document and in the next ones, until something
    /// is chosen by hand.
    void prefer(const std::string& path, const std::string& signal);
    /// In this document and the next ones a signal of this kind is chosen, of the first node that has one, until
    /// something is chosen by hand or preferred.
    void preferKind(SignalKind kind);
    std::vector<std::string> signalsOfNode() const;

Q_SIGNALS:
    void chosenByHand();
    void picked(); ///< node or signal may be others

private:
    void fillNodes();
    void showPreferred();
    void showKind();
    void wish();
    WatchableNodes listed() const;
    void listNodes(WatchableNodes list);
    void keepWish(const WatchableNodes& list);
    void fillSignals();
    void pick();
    const WatchableNode* chosen() const; ///< nullptr: there is none

    Document& m_document;
    QComboBox* m_node;
    QComboBox* m_signal;
    std::vector<WatchableNode> m_nodes;
    std::optional<Graph> m_run;
    std::string m_wish;                              ///< path of the node that was chosen, also while it is not listed
    std::vector<NodeId> m_wished;                    ///< its ids
    std::pair<std::string, std::string> m_preferred; ///< see prefer(); no path: none
    std::optional<SignalKind> m_kind;                ///< see preferKind()
    bool m_showedPreferred = false;                  ///< in this document
    std::map<std::string, std::string> m_lastSignal; ///< by block id: another node of the kind opens on the same signal
};

} // namespace unroll
