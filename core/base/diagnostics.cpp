#include "core/base/diagnostics.hpp"

#include <algorithm>
#include <cassert>

namespace core {
namespace {

// A new kind of diagnostic is one row here.
constexpr DiagnosticKind kKinds[] = {
    {"event-dropped", Severity::Loss,
     "An event could not be read and is missing from every number; see the byte offset."},
    {"event-malformed", Severity::Loss, "An event lacks a usable time, phase or duration and was left out."},
    {"file-truncated", Severity::Loss,
     "The file ends in the middle, or is packed and damaged; events before that place are shown."},
    {"event-without-state", Severity::Loss,
     "An event needs names and settings of an earlier packet of a Perfetto trace that was lost while recording, or is "
     "absent; it was left out."},
    {"name-missing", Severity::Loss,
     "An event refers to a name that no packet before it in the Perfetto trace holds; it is shown as (no name)."},
    {"packets-damaged", Severity::Loss,
     "Compressed packets of a Perfetto trace are damaged; what precedes the damage is shown, and how many events are "
     "missing is unknown."},
    {"packets-in-zstd", Severity::Loss,
     "Packets of a Perfetto trace are compressed with zstd and were not read; how many events are missing is unknown."},
    {"events-left-out", Severity::Loss,
     "The file packs more events than measured times can be packed into; those after the first ones are left out."},
    {"end-without-begin", Severity::Loss, "An end event has no begin on its thread and was left out."},
    {"flow-unmatched", Severity::Note, "A flow arrow has an end that points at no event; it is not drawn."},
    {"object-event", Severity::Note, "Object, clock and memory-dump events are not shown on the timeline."},
    {"argument-unreadable", Severity::Loss,
     "A known argument has a type or range that cannot be used; its text is kept."},
    {"negative-duration", Severity::Repair, "A negative duration was taken as zero."},
    {"duration-missing", Severity::Repair, "A complete event has no duration; it was taken as zero."},
    {"absurd-duration", Severity::Repair, "A time or duration beyond 64-bit nanoseconds was cut."},
    {"begin-without-end", Severity::Repair, "A begin event never ends; it was closed at the end of the trace."},
    {"end-name-differs", Severity::Repair,
     "An end event names another event than the innermost open begin of its thread; it ended that one all the same."},
    {"text-repaired", Severity::Repair,
     "A text held raw control characters, bad UTF-8 or a stray quote and was repaired."},
    {"json-repaired", Severity::Repair,
     "The JSON lacked a comma or a bracket and was read on, or had text after its end, which was passed over."},
    {"child-cut", Severity::Repair,
     "A CPU event outlives the event it lies in; in call trees it is cut at its parent's end."},
    {"correlation-reused", Severity::Repair,
     "Two launch calls share one correlation; the first in the file owns the GPU events."},
    {"duplicate-step", Severity::Repair, "A step number occurs more than once; all its ranges count as that step."},
    {"rank-guessed", Severity::Guess,
     "The file does not say its rank; it was taken from a name or from the order of names."},
    {"ranks-in-one-file", Severity::Guess,
     "One file holds several ranks; they were told apart by names of processes and threads, or by an argument."},
    {"rank-duplicate", Severity::Guess,
     "Several files claim one rank: separate captures, all kept and never compared as ranks."},
    {"rank-windows", Severity::Note,
     "Several files hold one rank, one after another: windows of one job, in which the rank is one."},
    {"rank-copy", Severity::Note, "A file holds the same events as another one of its rank; it was left out."},
    {"clock-guessed", Severity::Guess,
     "A file's clock has nothing in common with the others; it was aligned at its start."},
    {"clock-unrelated", Severity::Guess,
     "Events on a clock that no clock snapshot relates to the trace's clock; they are placed by their own clock, so "
     "they may be far from events that happened at the same time."},
    {"nsys-error", Severity::Loss, "Nsight Systems reported errors while recording; its own words are quoted."},
    {"nsys-warning", Severity::Note, "Nsight Systems reported warnings while recording; its own words are quoted."},
    {"nsys-process-left-out", Severity::Note,
     "Events of processes without kernels, in a file of several ranks: nothing says whose they are, so they are left "
     "out."},
    {"nsys-whole-graph", Severity::Note,
     "CUDA graphs were recorded as one piece of work each; the kernels in them are unknown."},
    {"step-marks-differ", Severity::Guess,
     "Ranges of different names were taken as steps on different ranks; name the right ones with --step-marks."},
    {"nccl-left-out", Severity::Note,
     "Lines of a log or trace of NCCL that tell of no rank, or more of them than are kept."},
    {"nccl-rank-unknown", Severity::Note,
     "A log of NCCL says neither which rank wrote it nor a process that a trace names; its facts join no collective."},
    {"log-line-dropped", Severity::Loss,
     "A training log's line about iterations could not be read, or is one too many: its iterations are in no table."},
    {"snapshot-without-times", Severity::Guess,
     "A memory snapshot without times: its events lie a microsecond apart, in their order."},
    {"snapshot-differs", Severity::Guess,
     "The history of a memory snapshot does not lead to its blocks at the end; it has no totals over time."},
    {"kernel-without-launch", Severity::Note,
     "GPU events whose launch is not in the trace: launched before the window opened; in no step."},
    {"not-a-trace", Severity::Note, "A file in the folder is not a trace and was skipped."},
    {"simulation-left-out", Severity::Note,
     "A simulated timeline (ideal-NAME) lies beside the recorded one: it is another run, and not a rank of this one."},
    {"graph-capture-left-out", Severity::Note,
     "A trace of how CUDA graphs were captured before the run (vLLM) lies beside those of the run: it is no rank."},
    {"file-unreadable", Severity::Loss, "A file could not be opened as a trace; the other ranks are shown."},
    {"summary-damaged", Severity::Loss,
     "A rank of a run summary is damaged: the other ranks are shown. Copy the summary again."},
    {"file-gone", Severity::Loss,
     "The file a rank was read from was cut or overwritten while it was open: the rank is empty. Open the run again."},
    {"folder-unreadable", Severity::Loss,
     "A folder could not be listed: the ranks in it are missing. Make it readable and open the run again."},
    {"folder-too-deep", Severity::Loss,
     "A folder lies deeper than folders are searched: the ranks in it are missing. Open that folder itself."},
    {"index-rebuilt", Severity::Note,
     "An index file was stale, damaged or of another version; it was not used, and made anew from the trace."},
    {"index-not-written", Severity::Note,
     "No index file could be kept, so the trace is read in full each time; see where and why."},
    {"index-alone", Severity::Note,
     "Opened from an index file without its trace: nothing says whether the trace has changed since."},
    {"metadata-truncated", Severity::Note, "The file's metadata is larger than what is kept; known fields were read."},
};

}  // namespace

std::string_view name_of(Severity severity) {
    constexpr std::string_view kNames[] = {"note", "guess", "repair", "loss"};
    return kNames[static_cast<std::size_t>(severity)];
}

std::span<const DiagnosticKind> all_diagnostic_kinds() { return kKinds; }

const DiagnosticKind* find_diagnostic_kind(std::string_view id) {
    const auto* it = std::ranges::find(kKinds, id, &DiagnosticKind::id);
    return it == std::end(kKinds) ? nullptr : it;
}

const DiagnosticKind& diagnostic_kind(std::string_view id) {
    const DiagnosticKind* const kind = find_diagnostic_kind(id);
    assert(kind != nullptr);
    return *kind;
}

void Diagnostics::add(std::string_view kind_id, std::string_view example, std::uint64_t count) {
    if (count == 0) return;
    const DiagnosticKind* kind = &diagnostic_kind(kind_id);
    const auto it = std::ranges::find(entries_, kind, &Diagnostic::kind);
    if (it != entries_.end()) {
        it->count += count;
        return;
    }
    const auto before = [](const Diagnostic& a, const Diagnostic& b) {
        if (a.kind->severity != b.kind->severity) return a.kind->severity > b.kind->severity;
        return a.kind->id < b.kind->id;
    };
    Diagnostic entry{.kind = kind, .count = count, .first = std::string(example)};
    entries_.insert(std::ranges::upper_bound(entries_, entry, before), entry);
}

bool Diagnostics::is_first(std::string_view kind_id) const { return count(kind_id) == 0; }

void Diagnostics::merge(const Diagnostics& other, std::string_view where) {
    for (const Diagnostic& entry : other.entries_) {
        add(entry.kind->id, where.empty() ? entry.first : std::string(where) + ": " + entry.first, entry.count);
    }
}

void Diagnostics::move_to(std::string_view kind_id, std::string_view from_kind_id) {
    const auto it = std::ranges::find(entries_, from_kind_id, [](const Diagnostic& d) { return d.kind->id; });
    if (it == entries_.end()) return;
    const Diagnostic moved = std::move(*it);
    entries_.erase(it);
    add(kind_id, moved.first, moved.count);
}

std::uint64_t Diagnostics::count(std::string_view kind_id) const {
    const auto it = std::ranges::find(entries_, kind_id, [](const Diagnostic& d) { return d.kind->id; });
    return it == entries_.end() ? 0 : it->count;
}

}  // namespace core
