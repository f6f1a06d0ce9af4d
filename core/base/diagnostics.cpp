#include "core/base/diagnostics.hpp"

#include "core/base/format.hpp"

#include <algorithm>
#include <cassert>

namespace core {
namespace {

// A new kind of diagnostic is one row here.
constexpr DiagnosticKind kKinds[] = {
    {.id = "event-dropped",
     .severity = Severity::Loss,
     .meaning = "An event could not be read and is missing from every number; see the byte offset.",
     .incomplete = true,
     .one = "event",
     .many = "events",
     .fate = "could not be read"},
    {.id = "event-malformed",
     .severity = Severity::Loss,
     .meaning = "An event lacks a usable time, phase or duration and was left out.",
     .incomplete = true,
     .one = "event",
     .many = "events",
     .fate = "could not be read"},
    {.id = "bytes-zero",
     .severity = Severity::Loss,
     .meaning = "Bytes of the file are zero, which no text holds: that part was never written, or was lost in a copy.",
     .incomplete = true,
     .one = "byte",
     .many = "bytes",
     .fate = "never written or lost"},
    {.id = "file-truncated",
     .severity = Severity::Loss,
     .meaning = "The file ends in the middle, or is packed and damaged; events before that place are shown.",
     .incomplete = true},
    {.id = "event-without-state",
     .severity = Severity::Loss,
     .meaning = "An event needs names and settings of an earlier packet of a Perfetto trace that was lost while "
                "recording, or is "
                "absent; it was left out.",
     .incomplete = false,
     .one = "event",
     .many = "events",
     .fate = "left out after packets were lost while recording"},
    {.id = "name-missing",
     .severity = Severity::Loss,
     .meaning =
         "An event refers to a name that no packet before it in the Perfetto trace holds; it is shown as (no name)."},
    {.id = "packets-damaged",
     .severity = Severity::Loss,
     .meaning = "Compressed packets of a Perfetto trace are damaged; what precedes the damage is shown, and how many "
                "events are "
                "missing is unknown.",
     .incomplete = true},
    {.id = "events-left-out",
     .severity = Severity::Loss,
     .meaning =
         "The file packs more events than measured times can be packed into; those after the first ones are left out.",
     .incomplete = true,
     .one = "event",
     .many = "events",
     .fate = "left out of a file packed too densely"},
    {.id = "time-not-recorded",
     .severity = Severity::Loss,
     .meaning = "An event's time was never written: it is 0 or so far from all others that nothing supports it. It was "
                "left out.",
     .incomplete = true,
     .one = "event",
     .many = "events",
     .fate = "without a time left out"},
    {.id = "gpu-work-missing",
     .severity = Severity::Loss,
     .meaning = "Launches have no GPU event, as the profiler lost its record: busy time is too small, and what the GPU "
                "did meanwhile is unknown.",
     .incomplete = true},
    {.id = "text-after-end",
     .severity = Severity::Loss,
     .meaning = "Text with events follows the end of the list or of the document, as where a second document was "
                "appended or a longer file was overwritten; it was not read.",
     .incomplete = true,
     .one = "event",
     .many = "events",
     .fate = "after the end of the document not read"},
    {.id = "categories-joined",
     .severity = Severity::Loss,
     .meaning = "The file has more categories of events than are told apart; the later ones count as one.",
     .incomplete = true},
    {.id = "groups-joined",
     .severity = Severity::Loss,
     .meaning = "A file has more process groups than are told apart; collectives of the later ones count as of none.",
     .incomplete = true},
    {.id = "steps-beyond",
     .severity = Severity::Loss,
     .meaning =
         "The file has more steps than collectives can be assigned to; collectives in the later ones are in no step.",
     .incomplete = true},
    {.id = "records-lost",
     .severity = Severity::Loss,
     .meaning = "Numbers of NCCL's records have gaps: the records between were dropped while recording.",
     .incomplete = true,
     .one = "record",
     .many = "records",
     .fate = "of NCCL lost while recording"},
    {.id = "end-without-begin",
     .severity = Severity::Loss,
     .meaning = "An end event has no begin on its thread and was left out."},
    {.id = "flow-unmatched",
     .severity = Severity::Note,
     .meaning = "A flow arrow has an end that points at no event; it is not drawn."},
    {.id = "object-event",
     .severity = Severity::Note,
     .meaning = "Object, clock and memory-dump events are not shown on the timeline."},
    {.id = "argument-unreadable",
     .severity = Severity::Loss,
     .meaning = "A known argument has a type or range that cannot be used; its text is kept."},
    {.id = "duration-impossible",
     .severity = Severity::Repair,
     .meaning = "A GPU event outlasts the work that follows it on its stream; it was cut where the next begins."},
    {.id = "step-without-length",
     .severity = Severity::Repair,
     .meaning = "The mark of a step has length 0: the profiler was stopped in it. How long it took is unknown, so it "
                "doesn't count as a step."},
    {.id = "number-unreadable",
     .severity = Severity::Repair,
     .meaning = "An argument is NaN or infinite, which JSON cannot hold; that value is lost, the others were read."},
    {.id = "negative-duration", .severity = Severity::Repair, .meaning = "A negative duration was taken as zero."},
    {.id = "duration-missing",
     .severity = Severity::Repair,
     .meaning = "A complete event has no duration; it was taken as zero."},
    {.id = "absurd-duration",
     .severity = Severity::Repair,
     .meaning = "A time or duration beyond 64-bit nanoseconds was cut."},
    {.id = "begin-without-end",
     .severity = Severity::Repair,
     .meaning = "A begin event never ends; it was closed at the end of the trace."},
    {.id = "end-name-differs",
     .severity = Severity::Repair,
     .meaning = "An end event names another event than the innermost open begin of its thread; it ended that one all "
                "the same."},
    {.id = "text-repaired",
     .severity = Severity::Repair,
     .meaning = "A text held raw control characters, bad UTF-8, a stray quote or a backslash that begins no escape, "
                "and was repaired."},
    {.id = "json-repaired",
     .severity = Severity::Repair,
     .meaning = "The JSON lacked a comma or a bracket and was read on, or had brackets too many after its end."},
    {.id = "child-cut",
     .severity = Severity::Repair,
     .meaning = "A CPU event outlives the event it lies in; in call trees it is cut at its parent's end."},
    {.id = "correlation-reused",
     .severity = Severity::Repair,
     .meaning = "Two launch calls share one correlation; the first in the file owns the GPU events."},
    {.id = "duplicate-step",
     .severity = Severity::Repair,
     .meaning = "A step number occurs more than once; all its ranges count as that step."},
    {.id = "steps-on-gpu-rows",
     .severity = Severity::Guess,
     .meaning =
         "Marks of steps (ProfilerStep#N) are on GPU rows only; steps are those of CPU threads, so the rank has none."},
    {.id = "rank-guessed",
     .severity = Severity::Guess,
     .meaning = "The file does not say its rank; it was taken from a name or from the order of names."},
    {.id = "ranks-in-one-file",
     .severity = Severity::Guess,
     .meaning =
         "One file holds several ranks; they were told apart by names of processes and threads, or by an argument."},
    {.id = "device-by-shape",
     .severity = Severity::Guess,
     .meaning =
         "Categories of the writer do not tell GPU work; it was told by names of processes, arguments or arrows."},
    {.id = "device-ranks",
     .severity = Severity::Guess,
     .meaning = "A host's file holds several devices: each is a rank, counted on from host to host of a folder."},
    {.id = "rank-duplicate",
     .severity = Severity::Guess,
     .meaning = "Several files claim one rank: separate captures, all kept and never compared as ranks."},
    {.id = "runs-apart",
     .severity = Severity::Guess,
     .meaning = "Files without a rank that cannot be of one run: captures of the same ranks, never compared as ranks."},
    {.id = "rank-windows",
     .severity = Severity::Note,
     .meaning = "Several files hold one rank, one after another: windows of one job, in which the rank is one."},
    {.id = "rank-copy",
     .severity = Severity::Note,
     .meaning = "A file holds the same events as another one of its rank; it was left out."},
    {.id = "clock-guessed",
     .severity = Severity::Guess,
     .meaning = "A file's clock has nothing in common with the others; it was aligned at its start."},
    {.id = "clock-unrelated",
     .severity = Severity::Guess,
     .meaning = "Events on a clock that no clock snapshot relates to the trace's clock; they are placed by their own "
                "clock, so "
                "they may be far from events that happened at the same time."},
    {.id = "nsys-error",
     .severity = Severity::Loss,
     .meaning = "Nsight Systems reported errors while recording; its own words are quoted."},
    {.id = "nsys-warning",
     .severity = Severity::Note,
     .meaning = "Nsight Systems reported warnings while recording; its own words are quoted."},
    {.id = "nsys-process-left-out",
     .severity = Severity::Note,
     .meaning = "Events of processes without kernels, in a file of several ranks: nothing says whose they are, so they "
                "are left "
                "out."},
    {.id = "conversion-left-out",
     .severity = Severity::Note,
     .meaning = "A file was made of the trace next to it and shows the same events; it was left out."},
    {.id = "process-left-out",
     .severity = Severity::Note,
     .meaning = "Events of processes without GPU work, or samples of GPUs that no rank uses, in a file of several "
                "ranks: they are in no rank, so they are left out."},
    {.id = "nsys-whole-graph",
     .severity = Severity::Note,
     .meaning = "CUDA graphs were recorded as one piece of work each; the kernels in them are unknown."},
    {.id = "step-marks-differ",
     .severity = Severity::Guess,
     .meaning =
         "Ranges of different names were taken as steps on different ranks; name the right ones with --step-marks."},
    {.id = "nccl-left-out",
     .severity = Severity::Note,
     .meaning = "Lines of a log or trace of NCCL that tell of no rank, or more of them than are kept."},
    {.id = "nccl-rank-unknown",
     .severity = Severity::Note,
     .meaning = "A log of NCCL says neither which rank wrote it nor a process that a trace names; its facts join no "
                "collective."},
    {.id = "log-line-dropped",
     .severity = Severity::Loss,
     .meaning = "A training log's line about iterations could not be read, or is one too many: its iterations are in "
                "no table."},
    {.id = "snapshot-without-times",
     .severity = Severity::Guess,
     .meaning = "A memory snapshot without times: its events lie a microsecond apart, in their order."},
    {.id = "snapshot-differs",
     .severity = Severity::Guess,
     .meaning = "The history of a memory snapshot does not lead to its blocks at the end; it has no totals over time."},
    {.id = "kernel-without-launch",
     .severity = Severity::Note,
     .meaning = "GPU events whose launch is not in the trace: launched before the window opened, or lost."},
    {.id = "no-rank",
     .severity = Severity::Note,
     .meaning = "A file of a process that is no rank: its number lies beyond the world, and it has no GPU work; it was "
                "left out."},
    {.id = "not-a-trace",
     .severity = Severity::Note,
     .meaning = "A file in the folder is not a trace and was skipped."},
    {.id = "profile-left-out",
     .severity = Severity::Loss,
     .meaning = "The folder holds profiles that are recognised but not read: whatever is in them is in no number.",
     .incomplete = true},
    {.id = "file-left-out",
     .severity = Severity::Note,
     .meaning =
         "Files of the folder are recognised and left out: they hold no times, or those of a file that is read."},
    {.id = "simulation-left-out",
     .severity = Severity::Note,
     .meaning = "A simulated timeline (ideal-NAME) lies beside the recorded one: it is another run, and not a rank of "
                "this one."},
    {.id = "graph-capture-left-out",
     .severity = Severity::Note,
     .meaning = "A trace of how graphs were captured lies beside those of the run: it is no rank, and says what the "
                "kernels of "
                "their replays are."},
    {.id = "file-unreadable",
     .severity = Severity::Loss,
     .meaning = "A file could not be opened as a trace; the other ranks are shown.",
     .incomplete = true},
    {.id = "summary-damaged",
     .severity = Severity::Loss,
     .meaning = "A rank of a run summary is damaged: the other ranks are shown. Copy the summary again.",
     .incomplete = true},
    {.id = "file-gone",
     .severity = Severity::Loss,
     .meaning = "The file a rank was read from was cut or overwritten while it was open: the rank is empty. Open the "
                "run again.",
     .incomplete = true},
    {.id = "folder-unreadable",
     .severity = Severity::Loss,
     .meaning = "A folder could not be listed: the ranks in it are missing. Make it readable and open the run again.",
     .incomplete = true},
    {.id = "folder-too-deep",
     .severity = Severity::Loss,
     .meaning = "A folder lies deeper than folders are searched: the ranks in it are missing. Open that folder itself.",
     .incomplete = true},
    {.id = "index-rebuilt",
     .severity = Severity::Note,
     .meaning =
         "An index file was stale, damaged or of another version; it was not used, and made anew from the trace."},
    {.id = "index-not-written",
     .severity = Severity::Note,
     .meaning = "No index file could be kept, so the trace is read in full each time; see where and why."},
    {.id = "index-alone",
     .severity = Severity::Note,
     .meaning = "Opened from an index file without its trace: nothing says whether the trace has changed since."},
    {.id = "metadata-truncated",
     .severity = Severity::Note,
     .meaning = "The file's metadata is larger than what is kept; known fields were read."},
};

}  // namespace

std::string Diagnostic::describe() const {
    if (kind->fate.empty()) return first;
    return format_plural(count, kind->one, kind->many).append(" ").append(kind->fate);
}

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
