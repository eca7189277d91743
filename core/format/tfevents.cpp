// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/tfevents.h"

#include "core/format/crc32c.h"
#include "core/format/little_endian.h"
#include "core/format/protobuf.h"

#include <cmath>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace unroll::format {
namespace {

// Field numbers of TensorBoard's event.proto, summary.proto and tensor.proto.
constexpr std::uint32_t kEventWallTime = 1, kEventStep = 2, kEventFileVersion = 3, kEventSummary = 5,
                        kEventSessionLog = 7;
constexpr std::uint32_t kSummaryValue = 1;
constexpr std::uint32_t kSessionStatus = 1;
constexpr std::int64_t kSessionStart = 1;
constexpr std::uint32_t kValueTag = 1, kValueSimple = 2, kValueTensor = 8, kValueMetadata = 9;
constexpr std::uint32_t kMetadataPlugin = 1, kPluginName = 1;
constexpr std::uint32_t kTensorDtype = 1, kTensorShape = 2, kTensorString = 8;
constexpr std::uint32_t kShapeDimension = 2, kDimensionSize = 1;
constexpr std::int64_t kDtypeString = 7;

// TensorFlow stores checksums rotated and shifted, so that the checksum of data that holds checksums stays sound.
std::uint32_t masked(std::uint32_t crc)
{
    return (crc >> 15 | crc << 17) + 0xa282ead8;
}

std::string hostName()
{
    char name[256] = {};
    if (::gethostname(name, sizeof name - 1) != 0 || name[0] == '\0')
        return "localhost";
    for (char& c : name)
        if (c == '/')
            c = '_';
    return name;
}

ProtobufMessage textTensor(std::string_view text)
{
    const auto dimension = ProtobufMessage().integer(kDimensionSize, 1);
    const auto shape = ProtobufMessage().message(kShapeDimension, dimension);
    return ProtobufMessage()
        .integer(kTensorDtype, kDtypeString)
        .message(kTensorShape, shape)
        .bytes(kTensorString, text);
}

std::string textRecord(double wallTime, std::int64_t step, std::string_view tag, std::string_view text)
{
    const auto metadata = ProtobufMessage().message(kMetadataPlugin, ProtobufMessage().bytes(kPluginName, "text"));
    const auto value = ProtobufMessage()
                           .bytes(kValueTag, tag)
                           .message(kValueTensor, textTensor(text))
                           .message(kValueMetadata, metadata);
    const auto summary = ProtobufMessage().message(kSummaryValue, value);
    const auto event =
        ProtobufMessage().float64(kEventWallTime, wallTime).integer(kEventStep, step).message(kEventSummary, summary);
    return tfRecord(event.encoded());
}

} // namespace

std::string tfRecord(std::string_view data)
{
    std::string record;
    appendLittleEndian(record, static_cast<std::uint64_t>(data.size()));
    appendLittleEndian(record, masked(crc32c(record)));
    record += data;
    appendLittleEndian(record, masked(crc32c(data)));
    return record;
}

std::string tfVersionRecord(double wallTime)
{
    return tfRecord(
        ProtobufMessage().float64(kEventWallTime, wallTime).bytes(kEventFileVersion, "brain.Event:2").encoded());
}

std::string tfScalarsRecord(double wallTime, const LogRow& row)
{
    ProtobufMessage summary;
    for (const auto& [name, value] : row.values)
        summary.message(kSummaryValue,
                        ProtobufMessage().bytes(kValueTag, name).float32(kValueSimple, static_cast<float>(value)));
    const auto event = ProtobufMessage()
                           .float64(kEventWallTime, wallTime)
                           .integer(kEventStep, row.step)
                           .message(kEventSummary, summary);
    return tfRecord(event.encoded());
}

TfEventsWriter::TfEventsWriter(AppendFile file) : m_file(std::move(file)) {}

Result<TfEventsWriter> TfEventsWriter::create(const std::filesystem::path& folder, double wallTime, FileCalls& calls)
{
    constexpr int mostFiles = 1000; // of one process within one second
    const auto seconds = static_cast<std::int64_t>(std::floor(wallTime));
    for (int n = 0; n < mostFiles; ++n) {
        const auto path =
            folder / fmt::format("events.out.tfevents.{:010}.{}.{}.{}", seconds, hostName(), ::getpid(), n);
        std::error_code ignored;
        if (std::filesystem::exists(path, ignored))
            continue;
        auto file = AppendFile::open(path, AppendFile::Start::New, calls);
        if (!file)
            return tl::unexpected(file.error());
        TfEventsWriter writer(std::move(*file));
        writer.m_file.begin(tfVersionRecord(wallTime));
        return writer;
    }
    return fail("already has too many event files of this second", folder.string());
}

Result<void> TfEventsWriter::restart(double wallTime, std::int64_t firstStep)
{
    const auto session = ProtobufMessage().integer(kSessionStatus, kSessionStart);
    const auto event = ProtobufMessage()
                           .float64(kEventWallTime, wallTime)
                           .integer(kEventStep, firstStep)
                           .message(kEventSessionLog, session);
    return m_file.append(tfRecord(event.encoded()));
}

Result<void> TfEventsWriter::scalars(double wallTime, const LogRow& row)
{
    return row.values.empty() ? Result<void>() : m_file.append(tfScalarsRecord(wallTime, row));
}

Result<void> TfEventsWriter::text(double wallTime, std::int64_t step, std::string_view tag, std::string_view text)
{
    return m_file.append(textRecord(wallTime, step, tag, text));
}

} // namespace unroll::format
