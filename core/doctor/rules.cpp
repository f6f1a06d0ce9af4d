#include "core/doctor/rules.hpp"

#include <algorithm>
#include <cassert>

namespace core {
namespace {

using enum DoctorSeverity;

// In order of report. Kinds of core/base/diagnostics keep their ids here.
constexpr DoctorRule kDoctorRules[] = {
    {"folder-unreadable", Error, "The ranks in this folder are missing from every number.",
     "Make the folder readable (chmod u+rx) and open the run again."},
    {"folder-too-deep", Error, "The ranks in this folder are missing from every number.",
     "Open the deeper folder itself, or move the traces up."},
    {"file-unreadable", Error, "This file is in no number; the other ranks are shown.",
     "See where it breaks; write the trace again, or move the file out of the folder."},
    {"profile-left-out", Error, "They are in no number.",
     "See each: convert or unpack it and open the folder again, or move it out of the folder."},
    {"summary-damaged", Error,
     "This rank is in no number, and what the summary keeps of all ranks together cannot be shown.",
     "Copy the summary again; if it is damaged where it was written, write it again with lockstep index."},
    {"file-gone", Error, "The rank is in no number; the other ranks are shown.",
     "Open the run again; write files of a run that is open to another name, and rename them."},
    {"rank-empty", Error, "The rank has no events, so it is in no table, and means over ranks leave it out.",
     "See whether the profiler ran on this rank: schedule, wait and warmup steps, an early exit."},
    {"time-not-recorded", Error,
     "They are in no number: spans, means, gaps and steps are of the events that have a time; totals are too small.",
     "The profiler lost them: record fewer steps at a time, or update the driver and the profiler."},
    {"text-after-end", Error, "They are missing from every number.",
     "A second document was appended, or a longer file was overwritten: write each export into a new file."},
    {"bytes-zero", Error, "Events are missing there, or have lost names and times.",
     "The disk was full, or a copy was interrupted: copy the file again, or record it again."},
    {"records-lost", Error, "Counts and sums are too small by these records; collectives in the gaps are in no table.",
     "The ring of NCCL's inspector ran over: give it a larger buffer, or let it dump more often."},
    {"categories-joined", Error, "Later categories count as one; events that are GPU work are told by their own.",
     "See what writes a category per event."},
    {"steps-beyond", Warning, "Collectives in them belong to no step.", "Record fewer steps in one file."},
    {"groups-joined", Warning, "Collectives of the later groups count as of none, and may be matched wrongly.",
     "Record fewer process groups in one file."},
    {"file-truncated", Error, "Events after that place are missing, on that rank only: its totals are too small.",
     "Copy the file again; let the profiler finish before the job ends."},
    {"event-without-state", Error, "They are missing from every number.",
     "Packets were lost while recording: give Perfetto larger buffers (buffers.size_kb), or record less."},
    {"name-missing", Error, "They are counted as (no name) and in no table by their own name.",
     "See the packet: whatever wrote the file refers to a name before it writes it, or after names were cleared."},
    {"packets-damaged", Error, "An unknown number of events is missing, on that rank only: its totals are too small.",
     "Copy the file again; let the profiler finish before the job ends."},
    {"events-left-out", Error, "They are missing from every number.",
     "No profiler writes so many events in so few bytes: see where the file comes from; unpacked, it opens in full."},
    {"event-dropped", Error, "They are missing from every number.", "See the byte offset; write the trace again."},
    {"event-malformed", Error, "They are missing from every number.",
     "See the byte offset: whatever wrote or edited the file left out a time, a phase or a duration."},
    {"end-without-begin", Error, "They are missing from every number.",
     "The beginning lies before the trace, or begins and ends are on different threads."},
    {"argument-unreadable", Error,
     "Numbers that need the argument (launches, sizes, collectives) leave these events out; their text is kept.",
     "See the byte offset: not a number, or out of range."},
    {"rank-duplicate", Warning,
     "They are separate captures, kept as 3, 3\u00B7b, ... and in sums over all ranks both count; they are never "
     "compared as ranks.",
     "Open one folder per run, or choose one capture (capture:a, rank:3\u00B7b)."},
    {"runs-apart", Warning,
     "No file states its rank, and these ran on GPUs of another model, or on the same GPUs at another time: they are "
     "captures of the same ranks (0, 0\u00B7b, ...) and are never compared as ranks.",
     "Compare them: lockstep diff PATH --a capture:a --b capture:b, or open one folder per run."},
    {"rank-windows", Note,
     "A rank is one, whose windows have gaps between them: what was not recorded is neither idle nor busy. Tables have "
     "a "
     "row per window (3, 3\u00B7b, ...).",
     "Nothing; capture:b chooses one window."},
    {"rank-copy", Note, "The copy is in no number.", "Nothing, or remove the copy from the folder."},
    {"world-size-differs", Warning, "The files are of different jobs: nothing across their ranks means anything.",
     "Open each job on its own, two of them as baseline and candidate."},
    {"ranks-missing", Warning,
     "Who is late or waits may be among the missing; means and imbalance are of the ranks that are here.",
     "Collect the missing files into the folder, unless only these ranks were recorded."},
    {"rank-cpu-only", Warning, "The rank has no GPU time: it is empty in breakdowns, kernels and overlap.",
     "Record the work of the GPU as well; see whether another tool held its counters or its tracing."},
    {"rank-guessed", Note, "If the guess is wrong, ranks are mixed up in every comparison across them.",
     "Write rank numbers into the names (rank3.json), or record after init_process_group, so that the file says it."},
    {"snapshot-without-times", Note, "Only the order of allocations means anything, not the time between them.",
     "Nothing: this writer records no times."},
    {"snapshot-differs", Warning, "Totals and peaks of this memory snapshot are absent; counts and blocks are right.",
     "Take the snapshot again, with a longer history (max_entries)."},
    {"ranks-in-one-file", Note,
     "Each opens as a rank of its own. Where names say pipeline, data and tensor ranks only, the numbers follow "
     "Megatron's order and can differ from the job's.",
     "Nothing, if these are the ranks of the job. No index file is kept, so the file is read in full each time."},
    {"device-by-shape", Note, "Times of kernels are as recorded; which rows are a GPU's is a guess by their names.",
     "Look at the rows of the timeline: if one that is not a GPU's counts as one, say so to the authors of Lockstep."},
    {"device-ranks", Note, "Numbers of ranks follow the names of hosts and the devices; those of the job can differ.",
     "Nothing, if the hosts' names sort as the job numbers them."},
    {"windows-apart", Warning,
     "The ranks were not recorded at the same time, or their clocks disagree: waits and lateness cannot be measured.",
     "Start the profiler on all ranks at the same step."},
    {"windows-differ", Warning, "Outside their common time, breakdowns and counts of the ranks cover different work.",
     "Compare within common steps (step:...) or the common time; start the profiler on all ranks at the same step."},
    {"steps-not-common", Warning,
     "Numbers of the other steps come from some ranks only: means and spreads over ranks cover different work.",
     "Filter to the steps that all ranks have."},
    {"steps-absent", Note, "Tables per step are empty; other numbers are not affected.",
     "Call profiler.step() at the end of each iteration."},
    {"duplicate-step", Warning, "All ranges of one number count as that step, so it is longer than the others.",
     "Two profilers or two loops count steps: keep one, or filter by time."},
    {"times-far-off", Warning,
     "They stretch the span of the run and shrink shares of the whole window. The timeline first shows the rest.",
     "See the example: a wrong clock, or events left from an earlier profile. Filter by time."},
    {"clock-guessed", Warning, "Times are comparable within each file only: these files were aligned at their starts.",
     "Open two runs as baseline and candidate. A file that was cut short has lost the base of its times: copy it "
     "again."},
    {"clock-unrelated", Warning,
     "Times of these events cannot be compared with those of the rest of the file: they are placed by their own clock.",
     "Record with clock snapshots (builtin_data_sources in the trace configuration), or write all events on one "
     "clock."},
    {"clocks-apart", Warning, "Arrivals and waits across ranks are wrong by that much; times within a rank are right.",
     "Synchronise the hosts' clocks (PTP, chrony); trust differences across ranks only where they are larger."},
    {"clocks-unknown", Warning,
     "Collectives that repeat evenly and carry no number can be matched to the wrong ones, so clocks are taken as "
     "recorded. Arrivals and waits across ranks may be wrong.",
     "Record with a PyTorch that writes the number of each collective (Seq), or synchronise the hosts' clocks."},
    {"collectives-differ", Warning,
     "Ranks take part in one collective with different operations or sizes: the job ran out of step and may hang or "
     "compute wrongly. These collectives are left out of clocks, waits and bandwidth.",
     "Look at what the ranks did before the first of them: a branch that not every rank takes, or uneven inputs."},
    {"collectives-unjoined", Warning,
     "Others wait there for ever, or the profiler lost the records. Nobody is named as last in these collectives.",
     "Look at the last collective of the rank before the first that it lacks, and at a flight-recorder dump of the "
     "job."},
    {"kernels-before-launch", Warning,
     "The clocks of GPU and CPU disagree on that rank: launch delays are too short by that much, and queue lengths "
     "leave these launches out.",
     "Trust launch delays only where they are much longer; newer drivers and profilers convert the clock better."},
    {"kernels-without-launch", Warning,
     "They belong to no operator. Those at the head are in no step: a filter by step drops them; the others are in the "
     "step in which they run.",
     "If they are in the first iteration, record a warmup step before. If not, the profiler lost records: record fewer "
     "steps or activities."},
    {"graph-nodes-lost", Warning,
     "GPU work of these graphs is missing: busy time and counts are too small, and pauses there are not idle.",
     "The profiler lost GPU records: record fewer steps at a time, or give it larger buffers."},
    {"launches-without-kernel", Warning,
     "GPU work is missing: busy time and kernel counts are too small, and what the GPU did meanwhile is unknown, not "
     "idle.",
     "The profiler lost GPU records: record fewer steps at a time, or give it larger buffers."},
    {"collectives-not-recorded", Warning,
     "Communication is unknown, not 0: exposed time, overlap and waits are absent or too small.",
     "The profiler lost the GPU records of communication, or the backend's kernels have names that no rule of kernel "
     "classes takes as such."},
    {"steps-on-gpu-rows", Warning,
     "Tables per step are empty: marks of steps are read from CPU threads, and here they are on GPU rows only.",
     "Record with ProfilerActivity.CPU as well, and call profiler.step() at the end of each iteration."},
    {"launches-not-recorded", Note,
     "Launch links are missing: no delays, queue lengths or operators of kernels; GPU times are not affected.",
     "Record the calls of the CPU as well, if the writer can (in PyTorch ProfilerActivity.CPU)."},
    {"correlation-reused", Warning,
     "The first call in the file owns the GPU events; the other one appears to launch nothing.",
     "Several processes or captures were merged into one file: open them one by one."},
    {"unknown-communication", Warning,
     "They count as compute: communication, overlap and exposed time are wrong by that much.",
     "Add their names to the rules of kernel classes as communication, if that is what they are."},
    {"group-ranks-cut", Warning,
     "The writer cut the list of members, and the file does not hold it in full: groups that begin alike look the "
     "same.",
     "Record with a PyTorch that writes distributedInfo with pg_config."},
    {"absurd-duration", Warning, "They were cut there; sums, spans and shares that contain them are meaningless.",
     "Filter them out by duration (-dur:>1h), and see the byte offset for what wrote them."},
    {"implausible-duration", Warning, "Sums, shares and busy time that contain them are meaningless.",
     "Filter them out by duration (-dur:>10m); a profiler that misses an end writes such events."},
    {"duration-impossible", Warning, "They count up to the start of the next event on their stream.",
     "The profiler wrote a wrong end: update the driver and the profiler."},
    {"step-without-length", Warning,
     "Its events are in no step: how long it took, its idle time and its gaps are unknown.",
     "Stop the profiler after profiler.step(), not within an iteration."},
    {"negative-duration", Warning, "They count as zero, so sums are too small.",
     "The writer's clock went back, or the file was edited: record it again."},
    {"duration-missing", Warning, "They count as zero, so sums are too small.",
     "See the byte offset for what wrote them."},
    {"begin-without-end", Warning, "They were closed at the end of the trace, so they appear longer than they were.",
     "Ignore the durations of these events; stop the profiler after they end."},
    {"end-name-differs", Warning,
     "Durations of these events may be swapped: each ended the innermost one that was open.",
     "Begin and end events of one thread must nest: write complete events (X), or put overlapping work on other "
     "threads."},
    {"gpu-duration-zero", Note, "They count without time: means are too small.",
     "The writer rounds to microseconds: use a profiler that writes nanoseconds."},
    {"kernels-overlap", Note,
     "Sums of kernel time count such times twice; busy time, breakdown and overlap count them once.",
     "Expected where kernels of a graph run side by side or launch early (PDL). Otherwise several streams were written "
     "as one."},
    {"child-cut", Note, "Self times of these operators and of their parents are cut at the parent's end.",
     "Annotations that end out of order cause this: close the innermost first."},
    {"flow-unmatched", Note, "These arrows are not drawn; GPU events without a correlation lose their launch.",
     "Nothing, if the other ends are outside the recorded window."},
    {"shapes-cut", Note, "Operators grouped by shapes may be merged where only the cut part differs.",
     "Nothing: the writer cut them, and the file does not hold the rest."},
    {"metadata-truncated", Note, "Devices, groups or versions may be unknown; events are not affected.",
     "Remove the large member from the file if these matter."},
    {"text-repaired", Note, "Names may differ from what was written; times are right.",
     "Nothing; whatever wrote the names should escape them."},
    {"number-unreadable", Note, "These values are absent; the other arguments of the event were read.",
     "Nothing: the writer divided by zero."},
    {"json-repaired", Note, "Events before and after that place were read.",
     "Let the profiler finish before the job ends."},
    {"object-event", Note, "They describe no work and are in no number.", "Nothing."},
    {"nsys-error", Warning, "Some of the recording can be missing; what is there is right.",
     "See what Nsight Systems said, and record again."},
    {"nsys-warning", Note, "What Nsight Systems says is missing is missing here; all else is whole.",
     "See what Nsight Systems said."},
    {"nsys-process-left-out", Note, "Calls, ranges and copies of these processes are in no rank; kernels are whole.",
     "Nothing, if they are launchers or data loaders; else record each rank with an nsys of its own."},
    {"conversion-left-out", Note, "Its events are in the run once.", "Nothing. Open it by itself to see it."},
    {"process-left-out", Note, "They are in no rank; GPU work is whole.",
     "Nothing, if they are launchers or data loaders; else record each rank into a file of its own."},
    {"nsys-whole-graph", Note, "Each counts as one kernel: kernels within graphs are in no table.",
     "Record with nsys profile --cuda-graph-trace=node."},
    {"nccl-left-out", Note, "They are in no table; what is there is right.",
     "Nothing, if few; else see the first one."},
    {"telemetry-other-time", Note, "Its clocks, power and errors are in no number.",
     "Record the log while the profiler runs, and on a clock that is right."},
    {"telemetry-other-device", Note, "Its clocks, power and errors are in no number.",
     "Nothing if it is another job's; else say with --gpu-map which GPU is which rank."},
    {"telemetry-no-time", Note, "Its clocks, power and errors are in no number.",
     "Log with a time: nvidia-smi --query-gpu=timestamp,..., dmon -o DT, or ts before each line."},
    {"telemetry-no-header", Note, "Its columns have no meaning, so they are in no number.",
     "Log with a header, or name the columns with --telemetry-columns."},
    {"telemetry-zone-guessed", Note, "The zone follows from where the log covers the traces.",
     "Nothing if it is right; else --telemetry-utc says it."},
    {"telemetry-zone-undecided", Note, "Its clocks, power and errors are in no number.",
     "Say the zone of the log with --telemetry-utc."},
    {"telemetry-unmapped", Note, "Its clocks, power and errors are in no number.",
     "Say with --gpu-map FILE (columns host, rank or local_rank, uuid) which GPU is which rank."},
    {"nccl-rank-unknown", Note, "Algorithms and protocols in these files join no collective.",
     "Keep the log from its start, or put the rank into its name: NCCL_DEBUG_FILE=rank3.log."},
    {"log-line-dropped", Warning, "The series of iterations has a gap there; what is there is right.",
     "See the line; a job that writes into one file from several processes can mix lines."},
    {"step-marks-differ", Warning, "Steps of the ranks are not the same work: nothing per step compares across ranks.",
     "Say which ranges are steps: --step-marks NAME."},
    {"graph-capture-left-out", Note,
     "Its events are in no number; its operators, modules and shapes are those of the replays.",
     "Nothing; open it by itself to see the capture."},
    {"simulation-left-out", Note, "The simulation is in no number.",
     "Compare the two: open the recorded file as baseline and ideal-NAME as candidate."},
    {"no-rank", Note, "The file is in no number.", "Nothing; open it by itself to see what its process did."},
    {"file-left-out", Note, "They are in no number.", "Nothing; what each is says what it would take to read it."},
    {"not-a-trace", Note, "The file is in no number.", "Nothing, unless it should be a trace."},
};

// About the files, not their contents.
constexpr std::string_view kNotOfTheTrace[] = {"index-rebuilt", "index-not-written", "index-alone"};
// Reported with more than the reader of a file knows.
constexpr std::string_view kToldOtherwise[] = {"kernel-without-launch", "gpu-work-missing"};

}  // namespace

std::string_view name_of(DoctorSeverity severity) {
    constexpr std::string_view kNames[] = {"note", "warning", "error"};
    return kNames[static_cast<std::size_t>(severity)];
}

std::span<const DoctorRule> all_doctor_rules() { return kDoctorRules; }

bool is_loss(const DoctorRule& rule) {
    constexpr std::string_view kLosses[] = {"time-not-recorded",
                                            "text-after-end",
                                            "records-lost",
                                            "categories-joined",
                                            "file-truncated",
                                            "event-without-state",
                                            "packets-damaged",
                                            "events-left-out",
                                            "event-dropped",
                                            "event-malformed",
                                            "launches-without-kernel",
                                            "graph-nodes-lost",
                                            "step-without-length",
                                            "collectives-not-recorded",
                                            "steps-on-gpu-rows",
                                            "bytes-zero",
                                            "groups-joined"};
    return std::ranges::find(kLosses, rule.id) != std::end(kLosses);
}

namespace doctor {

const DoctorRule& rule(std::string_view id) {
    const auto* const it = std::ranges::find(kDoctorRules, id, &DoctorRule::id);
    assert(it != std::end(kDoctorRules));
    return *it;
}

bool is_reported(const DiagnosticKind& kind) {
    const auto lists = [&](const auto& ids) { return std::ranges::find(ids, kind.id) != std::end(ids); };
    return !lists(kNotOfTheTrace) && !lists(kToldOtherwise);
}

}  // namespace doctor
}  // namespace core
