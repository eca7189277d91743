// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/problems.h"
#include "app/studio/inspector/param_form.h"
#include "core/graph/shown_params.h"

#include <QLabel>

namespace unroll {

/// The parameters that several nodes have in common, by name and kind: one edit is for all of them, in one step of
/// undo. Made for these nodes; values are refreshed.
class SeveralPage : public QWidget {
    Q_OBJECT
public:
    SeveralPage(Document& document, const Appearance& appearance, GroupPath path, const std::vector<const Node*>& nodes,
                QWidget* parent = nullptr);

    /// Whether it is the page of these.
    bool isOf(const GroupPath& path, const std::vector<const Node*>& nodes) const;
    ParamForm& form() const { return *m_form; }
    /// Reads the document and what is wrong with it again.
    void refresh(const std::vector<const Node*>& nodes, const Problems& problems);

Q_SIGNALS:
    void paramAsked(const unroll::GroupPath& path, unroll::NodeId node, const std::string& param);

private:
    static std::vector<ParamSpec> commonParams(const std::vector<const Node*>& nodes, const BlockRegistry& registry);
    void edit(const std::string& param, const std::function<GraphEdit(NodeId)>& one, Document::Edit kind);
    void showValues(const std::vector<const Node*>& nodes);
    void showProblems(const std::vector<const Node*>& nodes, const Problems& problems);

    Document& m_document;
    GroupPath m_path;
    std::vector<NodeId> m_nodes;
    ParamForm* m_form;
    QLabel* m_names;
    std::map<std::string, ShownParam> m_setters;
};

} // namespace unroll
