// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/format/tensor_view.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace unroll {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// A view of a contiguous CPU tensor; the tensor must outlive it. Of the types that torch and safetensors share.
format::TensorView viewOf(const std::string& name, const at::Tensor& tensor);

/// A detached copy in plain memory, and a tensor on the CPU made of one. Of the types that torch and safetensors share.
format::OwnedTensor ownedCopy(const std::string& name, const at::Tensor& tensor);
at::Tensor tensorOf(const format::OwnedTensor& owned);

/// As files spell it: "F32".
std::string typeName(at::ScalarType type);

/// Writes detached copies on the CPU. Whole or not at all; marked where a kind is given (format/own_mark.h).
Result<void> saveTensors(const std::string& path, const NamedTensors& tensors,
                         const std::map<std::string, std::string>& metadata = {}, std::string_view kind = {});

/// What a file holds. Types that torch lacks are not a fault of a file: who wants such a tensor says so.
struct TensorFile {
    std::map<std::string, at::Tensor> tensors;
    std::map<std::string, std::string> unread; ///< names with their type: "F8_E4M3"
    std::map<std::string, std::string> metadata;
};
Result<TensorFile> loadTensors(const std::string& path);

} // namespace unroll
