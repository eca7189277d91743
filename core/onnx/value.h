// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace unroll::onnx {

class Graph;

/// A value of an ONNX graph under construction: what a node, an input or a weight gives. Empty: it is not there (a bias
/// that a layer lacks, a port that is free).
struct Value {
    Graph* graph = nullptr;
    std::string name;
    bool ready = false; ///< made of weights and numbers alone: computed once, before the first step

    explicit operator bool() const { return graph != nullptr; }
};

} // namespace unroll::onnx
