// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/input_file.h"
#include "core/base/result.h"
#include "core/format/file_calls.h"
#include "core/format/safetensors_header.h"
#include "core/format/tensor_view.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace unroll::format {

/// What a file says of a tensor, without its data.
struct TensorInfo {
    std::string name;
    DType dtype = DType::F32;
    std::vector<std::int64_t> shape;
    std::uint64_t bytes = 0;
};

/// A safetensors file open for reading. `open` checks the whole header (the rules of the format and ours for names)
/// before it makes room for any tensor; tensors are read one by one into owned memory. Errors name the file and the
/// offset in it. Reading is safe from several threads.
class SafetensorsFile {
public:
    static Result<SafetensorsFile> open(const std::filesystem::path& path);

    std::size_t size() const { return m_header.entries().size(); }
    /// Tensors count from 0 in the order of their data.
    TensorInfo info(std::size_t index) const;
    std::optional<std::size_t> find(std::string_view name) const { return m_header.find(name); }
    std::map<std::string, std::string> metadata() const { return m_header.metadata(); }

    Result<OwnedTensor> read(std::size_t index) const;
    Result<OwnedTensor> read(std::string_view name) const;
    /// `into` must be exactly `info(index).bytes` long.
    Result<void> readInto(std::size_t index, std::span<std::byte> into) const;

private:
    SafetensorsFile(InputFile file, SafetensorsHeader header, std::uint64_t dataAt);

    InputFile m_file;
    SafetensorsHeader m_header;
    std::uint64_t m_dataAt;
};

/// Every tensor of a file.
Result<std::vector<OwnedTensor>> readSafetensors(const std::filesystem::path& path);

/// Writes tensors (widest dtype first, then by name) as one safetensors file that appears whole or not at all. Refused:
/// a name that comes twice, is `__metadata__` or breaks tensorNameFault; data whose length does not follow from dtype
/// and shape; metadata that is not UTF-8. Shared storage is the caller's matter: write one name, tell of the other in
/// the metadata. Where a kind is given, the metadata "unroll" marks the file as that (see own_mark.h).
Result<void> writeSafetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                              const std::map<std::string, std::string>& metadata = {}, FileCalls& calls = systemCalls(),
                              std::string_view kind = {});

} // namespace unroll::format
