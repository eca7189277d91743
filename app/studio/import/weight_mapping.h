// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

class QByteArray;

namespace unroll {

/// A weight of a node and where it comes from.
struct MappedWeight {
    QString name;  ///< "gru.weight_ih_l0"
    QString shape; ///< "33 × 12"
    QString from;  ///< its name in the file
    QString done;  ///< how it is rearranged, "transposed"; empty: it is not
};

/// A node that takes weights.
struct MappedNode {
    QString node, block;
    QString source; ///< "torch.nn.GRU"
    QString form;   ///< "convention reset_after"; may be empty
    std::vector<MappedWeight> weights;
    QStringList notes; ///< what the file does not tell
};

/// What `unroll-cli import --json` says.
struct WeightMapping {
    std::vector<MappedNode> nodes;
    QStringList left;   ///< nodes that keep their initial values
    QStringList unused; ///< weights of the file that no node takes
    QString out;        ///< the file that was written; empty: none
    int tensors = 0;    ///< taken, in all
    bool isWhole = false;

    /// One of its lines; others are passed over.
    void take(const QByteArray& line);
    /// "4 tensors for 1 node. 2 nodes keep their initial values. 1 tensor of the file is not used."
    QString summary() const;
};

} // namespace unroll
