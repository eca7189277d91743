// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/inspector/param_form.h"
#include "app/studio/inspector/promoted_list.h"
#include "core/graph/graph.h"

#include <QPushButton>

namespace unroll {

/// What a group is besides its parameters: how often it is repeated, what it shows of its inside, and the ways into and
/// out of it.
class GroupForm : public QWidget {
    Q_OBJECT
public:
    explicit GroupForm(const Appearance& appearance, QWidget* parent = nullptr);

    void setGroup(const Group& group);
    void setWrong(const ParamFaults& faults); ///< of "repeat" and "reversible"
    /// The repeat that was just edited is none: outlined until the edit is finished.
    void refuseRepeat();
    ParamForm& form() const { return *m_form; }
    PromotedList& promoted() const { return *m_promoted; }

Q_SIGNALS:
    void repeatEdited(std::int64_t repeat, bool sharedWeights);
    void reversibleEdited(bool reversible);
    void finished(); ///< the edit is whole
    void enterAsked();
    void unpackAsked();
    void unrollAsked();

private:
    void addButtons();

    ParamForm* m_form;
    PromotedList* m_promoted;
    QPushButton* m_unroll = nullptr; ///< of a repeated group
    Params m_values;                 ///< as the document has them
    bool m_refused = false;          ///< the repeat that was typed last
    ParamFaults m_wrong;
};

} // namespace unroll
