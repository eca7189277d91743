// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/tensor_file.h"

#include "core/format/safetensors.h"

#include <ATen/ops/empty.h>

#include <cassert>
#include <cstring>
#include <memory>
#include <optional>
#include <span>

namespace unroll {

namespace {

struct TypePair {
    at::ScalarType torch;
    format::DType file;
};
constexpr TypePair kTypes[] = {{at::kFloat, format::DType::F32},     {at::kDouble, format::DType::F64},
                               {at::kLong, format::DType::I64},      {at::kInt, format::DType::I32},
                               {at::kShort, format::DType::I16},     {at::kChar, format::DType::I8},
                               {at::kByte, format::DType::U8},       {at::kBool, format::DType::Bool},
                               {at::kBFloat16, format::DType::BF16}, {at::kHalf, format::DType::F16}};

std::optional<format::DType> fileType(at::ScalarType type)
{
    for (const TypePair& pair : kTypes)
        if (pair.torch == type)
            return pair.file;
    return {};
}

std::optional<at::ScalarType> torchType(format::DType type)
{
    for (const TypePair& pair : kTypes)
        if (pair.file == type)
            return pair.torch;
    return {};
}

} // namespace

format::TensorView viewOf(const std::string& name, const at::Tensor& tensor)
{
    assert(tensor.is_cpu() && tensor.is_contiguous());
    const auto type = fileType(tensor.scalar_type());
    assert(type.has_value());
    return {name, *type, tensor.sizes().vec(), static_cast<const std::byte*>(tensor.const_data_ptr()), tensor.nbytes()};
}

format::OwnedTensor ownedCopy(const std::string& name, const at::Tensor& tensor)
{
    const at::Tensor plain = tensor.detach().cpu().contiguous();
    const format::TensorView view = viewOf(name, plain);
    auto bytes = std::make_unique_for_overwrite<std::byte[]>(view.bytes);
    if (view.bytes > 0)
        std::memcpy(bytes.get(), view.data, view.bytes);
    return {view.name, view.dtype, view.shape, std::move(bytes), view.bytes};
}

at::Tensor tensorOf(const format::OwnedTensor& owned)
{
    const auto type = torchType(owned.dtype);
    assert(type.has_value());
    at::Tensor tensor = at::empty(owned.shape, *type);
    assert(tensor.nbytes() == owned.bytes);
    if (owned.bytes > 0)
        std::memcpy(tensor.mutable_data_ptr(), owned.data.get(), owned.bytes);
    return tensor;
}

std::string typeName(at::ScalarType type)
{
    const auto file = fileType(type);
    return file ? std::string(format::dtypeName(*file)) : c10::toString(type);
}

Result<void> saveTensors(const std::string& path, const NamedTensors& tensors,
                         const std::map<std::string, std::string>& metadata, std::string_view kind)
{
    std::vector<at::Tensor> kept; // what the views look at
    std::vector<format::TensorView> views;
    for (const auto& [name, tensor] : tensors) {
        kept.push_back(tensor.detach().cpu().contiguous());
        views.push_back(viewOf(name, kept.back()));
    }
    return format::writeSafetensors(path, views, metadata, format::systemCalls(), kind);
}

Result<TensorFile> loadTensors(const std::string& path)
{
    auto file = format::SafetensorsFile::open(path);
    if (!file)
        return tl::unexpected(file.error());
    TensorFile result;
    result.metadata = file->metadata();
    for (std::size_t i = 0; i < file->size(); ++i) {
        const format::TensorInfo info = file->info(i);
        const auto type = torchType(info.dtype);
        if (!type) {
            result.unread[info.name] = format::dtypeName(info.dtype);
            continue;
        }
        at::Tensor tensor = at::empty(info.shape, *type);
        const auto bytes = std::span(static_cast<std::byte*>(tensor.mutable_data_ptr()), tensor.nbytes());
        if (auto read = file->readInto(i, bytes); !read)
            return tl::unexpected(read.error());
        result.tensors[info.name] = tensor;
    }
    return result;
}

} // namespace unroll
