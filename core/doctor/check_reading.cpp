#include "core/doctor/examine_run.hpp"
#include "core/doctor/thresholds.hpp"

#include <algorithm>

namespace core::doctor {
namespace {

struct Phrase {
    std::string_view id;
    std::string_view one;      // "3 events …"
    std::string_view happened;  // in the past, which fits one and many but for "was"
    std::string_view many = {};  // where an s does not make it
};

constexpr Phrase kPhrases[] = {
    {"event-dropped", "event", "could not be read"},
    {"events-left-out", "event", "had to be left out of a file packed too densely"},
    {"event-malformed", "event", "had no usable time, phase or duration"},
    {"time-not-recorded", "event", "had no time: 0, or far from all others"},
    {"bytes-zero", "byte", "was zero: never written, or lost"},
    {"text-after-end", "event", "after the end of the list or of the document could not be read"},
    {"categories-joined", "category", "had to count as one: there are too many", "categories"},
    {"groups-joined", "collective", "belonged to one of too many process groups"},
    {"steps-beyond", "step", "after the first 65,535 have no collectives"},
    {"records-lost", "record", "of NCCL got lost while recording: the numbers have gaps"},
    {"duration-impossible", "GPU event", "outlasted the work after it on its stream"},
    {"step-without-length", "step mark", "had length 0: how long the step took is unknown"},
    {"number-unreadable", "argument", "had the value NaN or infinity"},
    {"no-rank", "file", "belonged to a process that is no rank"},
    {"file-truncated", "file", "ended in the middle or held damaged data"},
    {"event-without-state", "event", "needed names of a packet that was lost while recording, or is absent"},
    {"name-missing", "event", "referred to a name that the file lacks"},
    {"packets-damaged", "compressed packet", "held damaged data, and an unknown number of events is missing"},
    {"file-unreadable", "file", "could not be opened"},
    {"summary-damaged", "rank", "of a summary held damaged data"},
    {"file-gone", "file", "changed while open, and its rank is gone"},
    {"folder-unreadable", "folder", "could not be listed"},
    {"folder-too-deep", "folder", "lay too deep to be searched"},
    {"simulation-left-out", "simulated timeline", "belonged to another run"},
    {"graph-capture-left-out", "trace", "of captured graphs belonged to no rank"},
    {"not-a-trace", "file", "held no trace"},
    {"profile-left-out", "profile", "could not be read"},
    {"file-left-out", "file", "of a known kind held nothing to read"},
    {"end-without-begin", "end event", "had no begin"},
    {"begin-without-end", "event", "never ended"},
    {"end-name-differs", "end event", "named another event than the one it closed"},
    {"argument-unreadable", "argument", "could not be used"},
    {"negative-duration", "event", "had a negative duration"},
    {"duration-missing", "event", "had no duration"},
    {"absurd-duration", "time value", "lay beyond 73 years"},
    {"text-repaired", "text", "held control characters, bad UTF-8, a stray quote or a broken escape"},
    {"json-repaired", "place", "lacked a comma or a bracket, or had one too many"},
    {"child-cut", "CPU event", "ended after the parent event"},
    {"correlation-reused", "GPU event", "had two launch calls to choose from"},
    {"steps-on-gpu-rows", "step mark", "lay on a GPU row only"},
    {"duplicate-step", "step mark", "repeated a number"},
    {"rank-guessed", "rank number", "had to be guessed"},
    {"ranks-in-one-file", "file", "held several ranks"},
    {"device-by-shape", "rank", "had GPU work told by its shape"},
    {"device-ranks", "device", "became a rank"},
    {"rank-duplicate", "file", "claimed a rank that another one has"},
    {"runs-apart", "rank", "belonged to another run in the folder"},
    {"rank-windows", "file", "held a later window of a rank"},
    {"rank-copy", "file", "held the same events as another one of its rank"},
    {"clock-guessed", "file", "had a clock that has nothing in common with the others"},
    {"clock-unrelated", "event", "had a clock that nothing in the file relates to the others"},
    {"nsys-error", "error", "came from Nsight Systems"},
    {"nsys-warning", "warning", "came from Nsight Systems"},
    {"nsys-process-left-out", "event", "belonged to a process without kernels"},
    {"conversion-left-out", "file", "showed the events of another one"},
    {"process-left-out", "event or sample", "belonged to no rank", "events or samples"},
    {"nsys-whole-graph", "CUDA graph launch", "came without the kernels in it", "CUDA graph launches"},
    {"nccl-left-out", "line", "of a source of NCCL could not be used"},
    {"nccl-rank-unknown", "file", "of NCCL did not say its rank"},
    {"log-line-dropped", "line", "about iterations could not be read"},
    {"step-marks-differ", "rank", "had other step marks than the first"},
    {"snapshot-without-times", "allocator event", "had no time"},
    {"snapshot-differs", "memory snapshot", "did not lead to its own blocks"},
    {"object-event", "event", "stood for an object, a clock mark or a memory dump"},
    {"flow-unmatched", "flow arrow end", "pointed at no event"},
    {"metadata-truncated", "metadata member", "could not be kept"},
};

std::string describe_kind(const DiagnosticKind& kind, std::uint64_t count) {
    const auto* const phrase = std::ranges::find(kPhrases, kind.id, &Phrase::id);
    if (phrase == std::end(kPhrases)) return count_of(count, "time") + ": " + std::string(kind.meaning);
    return count_of(count, phrase->one, phrase->many) + " " + std::string(phrase->happened);
}

// Every profiler leaves some of these, so only ranks with many are reported.
bool is_worth_reporting(const DiagnosticKind& kind, std::uint64_t count, const RankStats& rank_stats,
                        const RankTrace& trace) {
    const auto is_share = [&](std::uint64_t whole, double many) {
        return count > kFewEvents && static_cast<double>(count) > many * static_cast<double>(whole);
    };
    if (kind.id == "child-cut") return is_share(rank_stats.cpu_events, kManyCut);
    if (kind.id == "flow-unmatched") return is_share(trace.info.records.flows, kManyFlows);
    return true;
}

void report_ranks(FindingSink& sink, const DiagnosticKind& kind) {
    Diagnostics all;
    std::vector<RankKey> ranks;
    for (std::size_t slot = 0; slot < sink.ranks.size(); ++slot) {
        const RankTrace& trace = sink.trace(slot);
        const std::uint64_t count = trace.diagnostics.count(kind.id);
        if (count == 0 || !is_worth_reporting(kind, count, *sink.ranks[slot], trace)) continue;
        ranks.push_back(sink.key(slot));
        const auto entry = std::ranges::find(trace.diagnostics.entries(), &kind, &Diagnostic::kind);
        all.add(kind.id, trace.info.path.filename().string() + ": " + entry->first, count);
    }
    if (all.empty()) return;
    // A reader may say of one file that it ends early, and of its last event as well.
    const std::uint64_t count = kind.id == "file-truncated" ? ranks.size() : all.count(kind.id);
    DoctorFinding& finding = sink.add(kind.id, count, describe_kind(kind, count));
    finding.ranks = std::move(ranks);
    finding.example.text = all.entries().front().first;
}

void report_guessed(FindingSink& sink, const Diagnostic& entry) {
    // One rank alone has no number to be mixed up with.
    if (sink.run.ranks().size() == 1) return;
    std::vector<RankKey> ranks;
    std::uint64_t by_order = 0;
    for (const RankSlot& rank : sink.run.ranks()) {
        if (rank.source != RankSource::DistributedInfo) ranks.push_back(rank.key);
        if (rank.source == RankSource::Order) ++by_order;
    }
    std::string text = describe_kind(*entry.kind, entry.count) + ", ";
    if (by_order == 0)
        text += "from names of files and folders";
    else if (by_order < entry.count)
        text += count_of(by_order, "of them", "of them") + " from the order of names alone";
    else
        text += "from the order of names alone";
    DoctorFinding& finding = sink.add(entry.kind->id, entry.count, std::move(text));
    if (by_order > 0) finding.severity = DoctorSeverity::Warning;
    finding.ranks = std::move(ranks);
    finding.example.text = entry.first;
}

void report_of_run(FindingSink& sink, const Diagnostic& entry) {
    if (!is_reported(*entry.kind)) return;
    if (entry.kind->id == "rank-guessed") return report_guessed(sink, entry);
    DoctorFinding& finding = sink.add(entry.kind->id, entry.count, describe_kind(*entry.kind, entry.count));
    if (entry.kind->id == "rank-duplicate" || entry.kind->id == "runs-apart" || entry.kind->id == "rank-windows")
        for (const RankSlot& rank : sink.run.ranks())
            if (!sink.is_first_capture(rank.key)) finding.ranks.push_back(rank.key);
    finding.example.text = entry.first;
}

}  // namespace

void check_reading(FindingSink& sink) {
    for (const Diagnostic& entry : sink.run.diagnostics().entries()) report_of_run(sink, entry);
    for (const DiagnosticKind& kind : all_diagnostic_kinds())
        if (is_reported(kind)) report_ranks(sink, kind);
}

}  // namespace core::doctor
