// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/document.h"

namespace unroll {

/// Which graph of a document is shown: the top one, or the inside of a group. What the document and the check say of
/// it.
class GraphLevel {
public:
    explicit GraphLevel(const Document& document) : m_document(document) {}

    const GroupPath& path() const { return m_path; }
    void setPath(GroupPath path) { m_path = std::move(path); }
    /// Comes out of groups that are not there any more.
    void settle();
    /// The graph at this path within `top`; nullptr: there is none.
    static const Graph* graphAt(const Graph& top, const GroupPath& path);
    const Graph* graph() const { return graphAt(m_document.graph(), m_path); }
    const Group* around() const; ///< whose inside it is; nullptr at the top

    QStringList names() const;  ///< of the groups from the top to it
    std::string prefix() const; ///< the same for node paths: "encoder." inside the group encoder

    /// What the check says of it; nullptr before the first check.
    const CheckedGraph* checked() const;
    /// What the check says of a node of it; nullptr until it has seen that node: the check comes after the edit, and an
    /// id comes again once an addition is undone.
    const CheckedNode* checkedNode(const Node& node) const;

private:
    const Document& m_document;
    GroupPath m_path;
};

} // namespace unroll
