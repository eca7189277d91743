// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QList>
#include <QString>

namespace unroll {

class Appearance;

/// Every command of a window. Names, keys and icons stand in one table (window_actions.cpp); what they do is connected
/// by the window.
struct WindowActions {
    WindowActions(const Appearance& appearance, QObject* owner);

    QAction *newWindow, *start, *open, *openRace, *save, *saveAs, *savePicture, *exportRun, *close, *quit;
    QAction *undo, *redo, *remove, *rename, *selectAll, *selectNone;
    QAction *cut, *copy, *paste, *pasteWithInputs, *duplicate, *removeAndReconnect, *group, *unpackGroup, *unrollGroup,
        *comment, *compareCells;
    QAction *nextWire, *nextComment, *contextMenu;
    QAction *addBlock, *connectNode, *tidy;
    QAction *fitAll, *fitSelection, *zoomIn, *zoomOut, *zoomReset, *enterGroup, *leaveGroup, *wireNorms, *unrolled;
    QAction *run, *pause, *step, *stop, *resume, *restart, *keepWeights, *showKept, *openRunFolder, *runOn;
    QAction *themeSystem, *themeLight, *themeDark;
    QAction *layoutTrain, *layoutEdit, *layoutWatch, *layoutInspect, *layoutReset;
    QAction *lesson, *help, *keys, *family, *about, *preferences;
};

} // namespace unroll
