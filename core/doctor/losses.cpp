#include "core/doctor/losses.hpp"

#include "core/base/format.hpp"
#include "core/base/utf8.hpp"
#include "core/index/summary_rank.hpp"
#include "core/store/flight_names.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::size_t kMostExample = 160;

const Diagnostic* find_entry(const Diagnostics& diagnostics, std::string_view kind) {
    const auto it = std::ranges::find(diagnostics.entries(), kind, [](const Diagnostic& d) { return d.kind->id; });
    return it == diagnostics.entries().end() ? nullptr : &*it;
}

void append(std::string& text, std::string_view part) {
    if (!text.empty()) text += "; ";
    text += part;
}

// Readers say where: "byte 81920: the file ends inside an event".
std::string describe_truncation(const Diagnostic& entry, const RankInfo& info) {
    const std::size_t colon = entry.first.find(": ");
    const std::string_view reason =
        colon == std::string::npos ? std::string_view() : std::string_view(entry.first).substr(colon + 2);
    if (!reason.starts_with("the file ends") || info.json_bytes == 0)
        return "file damaged at " + shorten_utf8(entry.first, kMostExample, " ...");
    return "file ends at byte " + format_count(info.json_bytes) +
           (info.file_bytes == info.json_bytes ? "" : " of its unpacked text");
}

bool has_any_gpu_events(const Run& run) {
    return std::ranges::any_of(run.ranks(), [](const RankSlot& rank) { return !rank.trace().gpu_events.empty(); });
}

std::string describe_rank(const RankTrace& trace, bool others_have_gpu) {
    std::string text;
    const Diagnostics& found = trace.diagnostics;
    const auto append_loss = [&](std::string_view kind) {
        if (const Diagnostic* entry = find_entry(found, kind)) append(text, entry->describe());
    };
    if (found.count("file-gone") > 0) append(text, "file changed while it was open");
    if (const Diagnostic* entry = find_entry(found, "file-truncated"))
        append(text, describe_truncation(*entry, trace.info));
    append_loss("time-not-recorded");
    append_loss("gpu-work-missing");
    for (const std::string_view kind : {"text-after-end", "bytes-zero", "records-lost", "event-without-state"})
        append_loss(kind);
    if (found.count("packets-damaged") > 0)
        append(text, "compressed packets damaged, unknown number of events missing");
    append_loss("events-left-out");
    if (const std::uint64_t count = found.count("event-dropped") + found.count("event-malformed"); count > 0)
        append(text, format_plural(count, "event", "events") + " could not be read");
    if (text.empty() && (is_flight_dump(trace.info) || is_log(trace.info))) return text;
    if (text.empty() && trace.size() == 0) return "no events";
    if (text.empty() && !(trace.gpu_events.empty() && others_have_gpu)) return text;
    const std::string_view read = text.empty() ? "" : " read";
    append(text, format_plural(count_gpu_events(trace), "GPU event", "GPU events").append(read));
    return text;
}

// True if the ranks that are not here are those that the summary holds damaged. Else they cannot be told apart.
bool add_damaged_of_summary(const Run& run, Losses& losses) {
    const std::uint64_t damaged = count_damaged_ranks(run);
    if (damaged == 0 || damaged != count_numbers(losses.missing)) return false;
    for (const NumberRange& range : losses.missing)
        for (std::int64_t number = range.first; number <= range.last; ++number)
            losses.entries.push_back(
                {RankKey{static_cast<std::int32_t>(number), 0}, "damaged in the summary: copy the summary again"});
    losses.damaged += damaged;
    losses.missing.clear();
    return true;
}

void add_missing(const Run& run, Losses& losses) {
    const std::optional<std::int64_t> world = stated_world_size(run);
    if (!world) return;
    std::set<std::int64_t> present;
    for (const RankSlot& rank : run.ranks()) present.insert(rank.key.number);
    losses.missing = find_missing(present, *world);
    if (losses.missing.empty() || add_damaged_of_summary(run, losses)) return;
    const std::uint64_t count = count_numbers(losses.missing);
    losses.entries.push_back({std::nullopt, (count == 1 ? "rank " : "ranks ") + format_ranges(losses.missing) + " of " +
                                                format_count(*world) + ": no file"});
}

void add_of_run(const Run& run, Losses& losses) {
    struct Words {
        std::string_view kind, one, many, what;
    };
    constexpr Words kWords[] = {
        {.kind = "file-unreadable", .one = "file", .many = "files", .what = "could not be opened"},
        {.kind = "folder-unreadable", .one = "folder", .many = "folders", .what = "could not be listed"},
        {.kind = "folder-too-deep", .one = "folder", .many = "folders", .what = "too deep to be searched"}};
    for (const Words& words : kWords) {
        const Diagnostic* const entry = find_entry(run.diagnostics(), words.kind);
        if (!entry) continue;
        losses.files += entry->count;
        losses.entries.push_back({std::nullopt, format_plural(entry->count, words.one, words.many) + " " +
                                                    std::string(words.what) + ": " +
                                                    shorten_utf8(entry->first, kMostExample, " ...")});
    }
}

void add_left_out(const Run& run, Losses& losses) {
    constexpr std::size_t kMostWords = 1200;  // a sentence per kind of file, with its next step
    const Diagnostic* const entry = find_entry(run.diagnostics(), "profile-left-out");
    if (!entry) return;
    losses.left_out = entry->count;
    losses.entries.push_back(
        {std::nullopt, format_plural(entry->count, "profile", "profiles") +
                           " in the folder not read: " + shorten_utf8(entry->first, kMostWords, " ...")});
}

std::shared_ptr<const Losses> make_losses(const Run& run) {
    auto losses = std::make_shared<Losses>();
    add_missing(run, *losses);
    const bool others_have_gpu = has_any_gpu_events(run);
    for (const RankSlot& rank : run.ranks()) {
        std::string what = describe_rank(rank.trace(), others_have_gpu);
        if (what.empty()) continue;
        ++losses->damaged;
        losses->entries.push_back({rank.key, std::move(what)});
    }
    add_of_run(run, *losses);
    add_left_out(run, *losses);
    return losses;
}

}  // namespace

std::string Loss::text() const { return rank ? "rank " + format_rank(*rank) + ": " + what : what; }

const Loss* Losses::find(RankKey key) const {
    const auto it = std::ranges::find(entries, std::optional<RankKey>(key), &Loss::rank);
    return it == entries.end() ? nullptr : &*it;
}

std::string Losses::headline() const {
    std::string text;
    const auto add = [&](std::string part) { text += (text.empty() ? "" : ", ") + std::move(part); };
    if (damaged == 1) {
        const auto it = std::ranges::find_if(entries, [](const Loss& loss) { return loss.rank.has_value(); });
        add("rank " + format_rank(*it->rank) + " is damaged");
    } else if (damaged > 1) {
        add(format_plural(damaged, "rank", "ranks") + " are damaged");
    }
    const std::uint64_t absent = count_numbers(missing);
    if (absent == 1)
        add("rank " + format_ranges(missing) + " is missing");
    else if (absent > 1)
        add(format_plural(absent, "rank", "ranks") + " are missing");
    if (files > 0) add(format_plural(files, "path", "paths") + " unreadable");
    if (left_out > 0) add(format_plural(left_out, "profile is", "profiles are") + " left out");
    return text;
}

std::string Losses::text(std::size_t most_lines) const {
    std::string text;
    for (std::size_t i = 0; i < std::min(entries.size(), most_lines); ++i)
        text += (i > 0 ? "\n" : "") + entries[i].text();
    if (entries.size() > most_lines) text += "\nand " + format_count(entries.size() - most_lines) + " more";
    return text;
}

std::shared_ptr<const Losses> find_losses(const Run& run) {
    return run.derived().get<Losses>([&] { return make_losses(run); });
}

std::optional<std::int64_t> stated_world_size(const Run& run) {
    std::optional<std::int64_t> world;
    for (const RankSlot& rank : run.ranks())
        if (const std::optional<int> stated = rank.trace().info.world_size)
            world = std::max<std::int64_t>(world.value_or(0), *stated);
    return world;
}

std::vector<NumberRange> find_missing(const std::set<std::int64_t>& present, std::int64_t world) {
    std::vector<NumberRange> missing;
    std::int64_t next = 0;
    const auto add_gap = [&](std::int64_t before) {
        if (next < before) missing.push_back({next, before - 1});
    };
    for (const std::int64_t number : present) {
        add_gap(std::min(number, world));
        next = std::max(next, number + 1);
    }
    add_gap(world);
    return missing;
}

std::uint64_t count_numbers(std::span<const NumberRange> ranges) {
    std::uint64_t count = 0;
    for (const NumberRange& range : ranges) count += static_cast<std::uint64_t>(range.last - range.first + 1);
    return count;
}

}  // namespace core
