// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/inspector/param_form.h"
#include "core/graph/graph.h"

#include <QFormLayout>

namespace unroll {

/// What a group is besides its parameters: how often it is repeated, what its ports and parameters stand for, and the ways into it.
class GroupForm : public QWidget {
    Q_OBJECT
public:
    explicit GroupForm(const Appearance& appearance, QWidget* parent = nullptr);

    void setGroup(const Group& group);
    void setWrong(const ParamFaults& faults); ///< of "repeat"
    /// The repeat that was just edited is none: outlined until the edit is finished.
    void refuseRepeat();
    ParamForm& form() const { return *m_form; }

Q_SIGNALS:
    void repeatEdited(std::int64_t repeat, bool sharedWeights);
    void finished(); ///< the edit is whole
    void enterAsked();
    void unpackAsked();

private:
    void addButtons();
    void showPromoted(const Group& group);

    ParamForm* m_form;
    QWidget* m_heading; ///< over the promoted ports and parameters
    QFormLayout* m_promoted;
    Params m_values; ///< as the document has them
    bool m_refused = false; ///< the repeat that was typed last
    ParamFaults m_wrong;
    QStringList m_shown; ///< the promoted list, to leave it alone when nothing changed
};

} // namespace unroll
