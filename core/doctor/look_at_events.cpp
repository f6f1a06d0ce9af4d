#include "core/base/format.hpp"
#include "core/doctor/examine_run.hpp"
#include "core/doctor/thresholds.hpp"

#include <algorithm>

namespace core::doctor {
namespace {

bool is_many(std::uint64_t count, std::uint64_t of, double share) {
    return count > kFewEvents && static_cast<double>(count) > share * static_cast<double>(of);
}

// "12 of 3,456 GPU events (0.35 %)"
std::string share_text(std::uint64_t count, std::uint64_t of, std::string_view one, std::string_view many = {}) {
    const double share = of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
    return format_count(count) + " of " + count_of(of, one, many) + " (" + format_ratio(share) + ")";
}

// One kind of event, over the ranks where it is worth telling.
struct Told {
    std::uint64_t count = 0;
    std::uint64_t of = 0;
    Duration size{};
    EventRef example;
    std::vector<RankKey> ranks;

    void add(const Sheet& sheet, std::size_t slot, const Tally& tally, std::uint64_t whole) {
        const bool worse = !example.valid() || tally.size > size;
        if (worse) example = {static_cast<std::uint32_t>(slot), tally.example};
        if (worse) size = tally.size;
        count += tally.count;
        of += whole;
        ranks.push_back(sheet.key(slot));
    }
    bool any() const { return count > 0; }
};

// Where it is many of what `whole` counts; any at all where many is 0.
template <class Whole>
Told collect_told(const Sheet& sheet, Tally RankVitals::*tally, double many, const Whole& whole) {
    Told told;
    for (std::size_t slot = 0; slot < sheet.ranks.size(); ++slot) {
        const std::uint64_t of = whole(*sheet.ranks[slot], sheet.trace(slot));
        const Tally& own = (*sheet.ranks[slot]).*tally;
        if (own.count > 0 && (many == 0 || is_many(own.count, of, many))) told.add(sheet, slot, own, of);
    }
    return told;
}

std::uint64_t gpu_events(const RankVitals&, const RankTrace& trace) { return trace.gpu_events.size(); }
std::uint64_t all_events(const RankVitals&, const RankTrace& trace) { return trace.size(); }

DoctorFinding& put_down(Sheet& sheet, std::string_view id, const Told& told, std::string text) {
    DoctorFinding& finding = sheet.tell(id, told.count, std::move(text));
    finding.ranks = told.ranks;
    finding.example = sheet.example_of(told.example);
    return finding;
}

void tell_unrecorded_launches(Sheet& sheet) {
    Told told;
    bool has_calls = false;
    for (std::size_t slot = 0; slot < sheet.ranks.size(); ++slot) {
        const std::span<const EventId> gpu = sheet.trace(slot).gpu_events;
        if (gpu.empty() || sheet.ranks[slot]->linked > 0) continue;
        Tally all{gpu.size(), gpu.front(), {}};
        told.add(sheet, slot, all, gpu.size());
        has_calls = has_calls || sheet.ranks[slot]->has_launch_calls;
    }
    if (!told.any()) return;
    put_down(sheet, "launches-not-recorded", told,
             (told.count == 1 ? "the one GPU event has" : "none of " + count_of(told.count, "GPU event") + " has") +
                 std::string(told.count == 1 ? " no" : " a") + " launch in the trace: " +
                 (has_calls ? "runtime calls are there, but none fits" : "no runtime calls were recorded"));
}

void tell_without_launch(Sheet& sheet) {
    Told told;
    std::uint64_t before = 0;
    std::uint64_t lost = 0;
    bool is_lost = false;
    for (std::size_t slot = 0; slot < sheet.ranks.size(); ++slot) {
        const RankVitals& rank = *sheet.ranks[slot];
        const std::uint64_t gpu = sheet.trace(slot).gpu_events.size();
        const bool loses = is_many(rank.launch_lost.count, gpu, kManyLost);
        if (rank.linked == 0 || (!loses && !is_many(rank.before_window.count, gpu, kManyBeforeWindow))) continue;
        Tally both = loses ? rank.launch_lost : rank.before_window;
        both.count = rank.launch_lost.count + rank.before_window.count;
        if (loses && !is_lost) told.example = {};  // what is lost is the better example
        told.add(sheet, slot, both, gpu);
        before += rank.before_window.count;
        lost += rank.launch_lost.count;
        is_lost = is_lost || loses;
    }
    if (!told.any()) return;
    std::string text = share_text(told.count, told.of, "GPU event") + " have no launch in the trace: ";
    if (before > 0)
        text += format_count(static_cast<std::int64_t>(before)) +
                " at the head of their streams, launched before the window opened";
    if (before > 0 && lost > 0) text += "; ";
    if (lost > 0) text += format_count(static_cast<std::int64_t>(lost)) + " behind others that have one";
    DoctorFinding& finding = put_down(sheet, "kernels-without-launch", told, std::move(text));
    if (!is_lost) finding.severity = DoctorSeverity::Note;
}

void tell_before_launch(Sheet& sheet) {
    Told told;
    for (std::size_t slot = 0; slot < sheet.ranks.size(); ++slot) {
        const RankVitals& rank = *sheet.ranks[slot];
        const bool far = rank.before_launch.count > 0 && rank.before_launch.size > kClockError;
        if (far || is_many(rank.before_launch.count, rank.linked, kManyBeforeLaunch))
            told.add(sheet, slot, rank.before_launch, rank.linked);
    }
    if (!told.any()) return;
    put_down(sheet, "kernels-before-launch", told,
             share_text(told.count, told.of, "launched GPU event") +
                 " begin before the call that launches them, by up to " + format_duration(told.size));
}

void tell_lost_work(Sheet& sheet) {
    const Told told = collect_told(sheet, &RankVitals::work_lost, kManyLost,
                                   [](const RankVitals& rank, const RankTrace&) { return rank.launches; });
    if (!told.any()) return;
    put_down(sheet, "launches-without-kernel", told,
             share_text(told.count, told.of, "launch", "launches") +
                 " of kernels and graphs have no GPU event, between others that have");
}

void tell_durations(Sheet& sheet) {
    if (const Told told = collect_told(sheet, &RankVitals::too_long, 0, all_events); told.any())
        put_down(sheet, "implausible-duration", told,
                 count_of(told.count, "event") + " longer than " + format_duration(kLongestGpuEvent) +
                     " on the GPU or a day on the CPU, up to " + format_duration(told.size));
    if (const Told told = collect_told(sheet, &RankVitals::no_length, kManyOfNoLength, gpu_events); told.any())
        put_down(sheet, "gpu-duration-zero", told,
                 share_text(told.count, told.of, "GPU event") + " take no time at all");
    if (const Told told = collect_told(sheet, &RankVitals::overlapping, kManyOverlapping, gpu_events); told.any())
        put_down(sheet, "kernels-overlap", told,
                 share_text(told.count, told.of, "GPU event") +
                     " begin before an earlier one on their stream has ended, by up to " + format_duration(told.size));
}

void tell_communication(Sheet& sheet) {
    const Told unknown = collect_told(sheet, &RankVitals::unknown_communication, 0, gpu_events);
    if (unknown.any()) {
        Wide time = 0;
        for (const RankVitalsPtr& rank : sheet.ranks) time += rank->unknown_time.count();
        put_down(sheet, "unknown-communication", unknown,
                 count_of(unknown.count, "GPU event") + " are named like communication and count as compute, " +
                     format_duration(Duration{clamped(time)}) + " in all");
    }
    if (const Told told = collect_told(sheet, &RankVitals::group_cut, 0, gpu_events); told.any())
        put_down(sheet, "group-ranks-cut", told,
                 count_of(told.count, "event") + " of communication have a cut list of the group's ranks");
    if (const Told told = collect_told(sheet, &RankVitals::shapes_cut, 0, all_events); told.any())
        put_down(sheet, "shapes-cut", told, count_of(told.count, "list") + " of input shapes or types cut short");
}

}  // namespace

void look_at_events(Sheet& sheet) {
    tell_unrecorded_launches(sheet);
    tell_without_launch(sheet);
    tell_before_launch(sheet);
    tell_lost_work(sheet);
    tell_durations(sheet);
    tell_communication(sheet);
}

}  // namespace core::doctor
