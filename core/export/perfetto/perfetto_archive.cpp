#include "core/export/perfetto/perfetto_archive.hpp"

#include "core/base/jobs.hpp"
#include "core/export/perfetto/tar_writer.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace core {
namespace {

constexpr std::string_view kManifest = "perfetto_manifest.json";

// Run time − time in the member, at a moment of the rank. A member's times count from the base of its source.
Duration offset_at(const RankSlot& rank, RankTime time) {
    return Duration{ns_of(rank.to_run(time)) - (ns_of(time) - rank.trace().info.base_time_ns)};
}

void set_clock(const RankSlot& rank, ArchivedRank& member) {
    const RankRange window = rank.trace().window;
    const RankTime middle = window.begin + (window.end - window.begin) / 2;
    member.offset = offset_at(rank, middle);
    for (const RankTime end : {window.begin, window.end}) {
        const Duration left = offset_at(rank, end) - member.offset;
        member.left_by_drift = std::max(member.left_by_drift, left < Duration{0} ? -left : left);
    }
}

// Properties of each rank's member that are known before it is written.
Result<std::vector<ArchivedRank>> measure_members(const Run& run, const Filter& filter, unsigned threads,
                                                  const JobContext& context) {
    std::vector<ArchivedRank> members;
    for (std::size_t slot = 0; slot < run.ranks().size(); ++slot) {
        const RankSlot& rank = run.rank(slot);
        if (!filter.accepts_rank(rank.key)) continue;
        members.push_back({.slot = slot, .name = chrome_file_name(rank.key, false)});
        set_clock(rank, members.back());
    }
    if (members.empty()) return Error{ErrorCode::NotFound, run.name() + ": no rank of this run matches the filter"};
    if (context.progress) context.progress->total = 2 * members.size();
    std::vector<Result<ChromeText>> texts(members.size(), cancelled_error());
    Executor::instance().parallel_for(Priority::Answer, members.size(), threads, [&](std::size_t i) {
        if (context.cancelled()) return;
        OutputFile nowhere;
        texts[i] = write_chrome_text(run, members[i].slot, filter, nowhere, context);
        if (context.progress) ++context.progress->done;
    });
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (!texts[i]) return std::move(texts[i]).error();
        members[i].events = texts[i]->events;
        members[i].added = texts[i]->added;
        members[i].bytes = texts[i]->bytes;
    }
    return members;
}

Result<bool> write_member(const Run& run, const Filter& filter, const ArchivedRank& member, OutputFile& file,
                          TarWriter& tar, const JobContext& context) {
    tar.begin_member(member.name, member.bytes);
    const Result<ChromeText> text = write_chrome_text(run, member.slot, filter, file, context);
    if (!text) return text.error();
    if (text->bytes != member.bytes)
        return Error{ErrorCode::Io, member.name + ": the trace changed while it was written: run the command again"};
    tar.end_member();
    if (context.progress) ++context.progress->done;
    return true;
}

}  // namespace

std::string format_perfetto_manifest(const Run& run, std::span<const ArchivedRank> members) {
    nlohmann::ordered_json files = nlohmann::ordered_json::array();
    for (const ArchivedRank& member : members) {
        files.push_back({{"path", member.name},
                         {"machine", {{"name", "rank " + format_rank(run.rank(member.slot).key)}}},
                         {"clocks", {{"offset_ns", member.offset.count()}}}});
    }
    const nlohmann::ordered_json manifest = {{"perfetto_manifest", {{"version", 1}, {"files", files}}}};
    return manifest.dump(2) + "\n";
}

Result<ArchiveSummary> write_perfetto_archive(const Run& run, const Filter& filter, const std::filesystem::path& out,
                                              const InputFiles& inputs, unsigned threads, const JobContext& context) {
    Result<OutputFile> file = OutputFile::create(out, {.inputs = inputs});
    if (!file) return std::move(file).error();
    Result<std::vector<ArchivedRank>> members = measure_members(run, filter, threads, context);
    if (!members) return std::move(members).error();
    TarWriter tar(*file);
    const std::string manifest = format_perfetto_manifest(run, *members);
    tar.begin_member(kManifest, manifest.size());
    file->write(manifest);
    tar.end_member();
    for (const ArchivedRank& member : *members) {
        if (Result<bool> written = write_member(run, filter, member, *file, tar, context); !written)
            return std::move(written).error();
    }
    tar.finish();
    const Result<std::uint64_t> bytes = file->commit();
    if (!bytes) return bytes.error();
    return ArchiveSummary{.ranks = *std::move(members), .bytes = *bytes};
}

}  // namespace core
