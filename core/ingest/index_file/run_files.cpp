#include "core/ingest/index_file/run_files.hpp"

#include "core/base/checksum.hpp"
#include "core/base/platform/files.hpp"
#include "core/cluster/byte_codec.hpp"
#include "core/ingest/index_file/index_places.hpp"

#include <string>
#include <system_error>

namespace core {
namespace {

constexpr std::size_t kMostOthers = 4096;  // that are looked at

void add_source(ByteWriter& out, const ReadFile& file) {
    out.text(file.inside.native());
    out.flag(file.only_captures);
    out.unsigned_number(file.source->bytes);
    out.number(file.source->mtime_ns);
    out.unsigned_number(file.source->ends_hash);
}

void add_other(ByteWriter& out, const std::filesystem::path& path, const std::filesystem::path& folder) {
    const std::optional<FileStatus> status = find_file_status(path);
    const std::filesystem::path inside = path.lexically_relative(folder);
    out.text(inside.empty() ? path.native() : inside.native());
    out.flag(status.has_value());
    if (!status) return;
    out.unsigned_number(status->bytes);
    out.number(status->written_ns);
}

}  // namespace

std::shared_ptr<const RunFiles> describe_files(std::span<const ReadFile> files,
                                               std::span<const std::filesystem::path> others,
                                               std::span<const std::filesystem::path> places) {
    if (files.empty() || others.size() > kMostOthers) return nullptr;
    const std::filesystem::path folder = files.front().path.parent_path();
    std::error_code unknown;
    ByteWriter out;
    // Ranks can take their host from the names of folders.
    out.text(std::filesystem::weakly_canonical(folder.empty() ? "." : folder, unknown).native());
    for (const ReadFile& file : files) {
        if (!file.source) return nullptr;
        add_source(out, file);
    }
    for (const std::filesystem::path& path : others)
        if (!is_own_file(path.filename().string())) add_other(out, path, folder);
    const std::string bytes = std::move(out).take();
    auto made = std::make_shared<RunFiles>();
    made->identity = checksum(std::as_bytes(std::span(bytes)));
    for (const std::filesystem::path& index : places) made->answers.push_back(answers_near(index));
    return made;
}

}  // namespace core
