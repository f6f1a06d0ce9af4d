#include "core/ingest/load/formats.hpp"

#include "core/base/ascii.hpp"
#include "core/base/format.hpp"
#include "core/ingest/flight_recorder/flight_recorder_file.hpp"
#include "core/ingest/index_file/summary_file.hpp"
#include "core/ingest/json/event_splitter.hpp"
#include "core/ingest/json/json_scan.hpp"
#include "core/ingest/kineto/kineto_file.hpp"
#include "core/ingest/kineto/memory_timeline_file.hpp"
#include "core/ingest/load/archive_names.hpp"
#include "core/ingest/load/text_kinds.hpp"
#include "core/ingest/megatron/megatron_log.hpp"
#include "core/ingest/memory_snapshot/memory_snapshot_file.hpp"
#include "core/ingest/nccl/nccl_file.hpp"
#include "core/ingest/nsys/nsys_file.hpp"
#include "core/ingest/perfetto/perfetto_file.hpp"
#include "core/ingest/pickle/read_pickle.hpp"
#include "core/ingest/remote/remote_path.hpp"
#include "core/ingest/rocm/rocm_file.hpp"
#include "core/ingest/source/byte_source.hpp"
#include "core/ingest/sqlite/database_kind.hpp"
#include "core/ingest/sqlite/sqlite_database.hpp"
#include "core/ingest/xplane/xplane_facts.hpp"
#include "core/ingest/xplane/xplane_file.hpp"
#include "core/telemetry/read_telemetry.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace core {
namespace {

constexpr std::size_t kHeadBytes = std::size_t{64} << 10;

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string_view without_bom(std::string_view text) { return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text; }

// The first and second characters that are not spaces.
std::array<char, 2> first_letters(std::string_view text) {
    std::array<char, 2> letters{};
    std::size_t found = 0;
    for (const char c : without_bom(text)) {
        if (!is_json_space(c)) letters[found++] = c;
        if (found == 2) break;
    }
    return letters;
}

bool is_object(const FileHead& head) { return first_letters(head.text)[0] == '{'; }

bool is_pickle(const FileHead& head) { return begins_pickle(head.text); }

bool is_snapshot_file(const FileHead& head) { return begins_memory_snapshot(head.text); }

// c10d's dump at a time-out: {"version", "pg_config", "pg_status", "entries"}, pickled or as JSON.
bool is_flight_recorder(const FileHead& head) { return begins_flight_dump(head.text); }

bool is_json(const FileHead& head) {
    const auto [first, second] = first_letters(head.text);
    if (first == '{') return second == '"' || second == '}';
    if (first != '[' || second == '\0') return false;
    return has("[{\"]", {&second, 1}) || begins_number_list(without_bom(head.text));
}

bool is_text(const FileHead& head) {
    return std::ranges::none_of(head.text, [](char c) { return static_cast<unsigned char>(c) < 9; });
}

// Behind the first object, if that is whole, at the top level or in a list.
std::size_t first_object_end(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \n\r\t[");
    if (begin == kNotFound || text[begin] != '{') return kNotFound;
    const std::size_t size = find_container_end(text.substr(begin));
    return size == kNotFound ? kNotFound : begin + size;
}

// One object per line, without a bracket before the first.
bool is_json_lines(const FileHead& head) {
    const std::string_view text = without_bom(head.text);
    const std::size_t end = is_object(head) ? first_object_end(text) : kNotFound;
    if (end == kNotFound) return false;
    const std::size_t next = text.find_first_not_of(" \n\r\t,", end);
    return next != kNotFound && text[next] == '{';
}

bool is_list_of_objects(const FileHead& head) {
    const auto [first, second] = first_letters(head.text);
    return first == '[' && second == '{';
}

// MegaScan's record of one rank, before its aggregate.py has made a trace of all: times are "rel_ts".
bool is_megascan_raw(const FileHead& head) {
    return is_list_of_objects(head) && has(head.text, "\"rel_ts\"") && has(head.text, "\"ph\"") &&
           !has(head.text, "\"ts\"");
}

// A list whose elements are plainly no events, such as vLLM's execution_details.json.
bool is_other_list(const FileHead& head) {
    return is_list_of_objects(head) && first_object_end(without_bom(head.text)) != kNotFound &&
           !has(head.text, "\"ph\"");
}

bool is_database(const FileHead& head) { return head.text.starts_with(kSqliteMagic); }

// Its tables may be described anywhere in the file.
bool is_database_of(const FileHead& head, DatabaseKind kind) {
    return is_database(head) && kind_of_database(head.path) == kind;
}

bool is_nsys_database(const FileHead& head) { return is_database_of(head, DatabaseKind::Nsys); }

bool is_perfetto(const FileHead& head) { return begins_perfetto(head.text); }

bool is_memory_timeline(const FileHead& head) { return begins_memory_timeline(without_bom(head.text)); }

// A list of lists of numbers.
bool is_list_of_lists(const FileHead& head) {
    const auto [first, second] = first_letters(head.text);
    return first == '[' && second == '[';
}

bool is_rocprofiler(const FileHead& head) { return is_json(head) && has(head.text, "\"rocprofiler-sdk-tool\""); }

bool is_execution_trace(const FileHead& head) {
    return is_json(head) && has(head.text, "\"schema\"") && has(head.text, "\"nodes\"") && has(head.text, "\"pid\"");
}

bool is_request_trace(const FileHead& head) {
    return is_json(head) && has(head.text, "\"traceId\"") && has(head.text, "\"spans\"");
}

bool is_ras_report(const FileHead& head) { return is_json(head) && is_ras_json(head.text); }
bool is_neuron_profile(const FileHead& head) { return is_json(head) && is_neuron_json(head.text); }

// An object with "traceEvents", or too long to know; [ with an object behind it, or nothing yet; events one per line.
bool is_kineto(const FileHead& head) {
    const auto [first, second] = first_letters(head.text);
    if (first == '[' && (is_megascan_raw(head) || is_other_list(head))) return false;
    if (first == '[') return second == '{' || second == ']' || second == '\0';
    if (begins_event_lines(without_bom(head.text))) return true;
    const bool may_come = !head.whole && !is_json_lines(head) && !is_rocprofiler(head) && !is_execution_trace(head) &&
                          !is_request_trace(head) && !is_ras_report(head) && !is_neuron_profile(head);
    return first == '{' && (second == '"' || second == '}') && (has(head.text, "\"traceEvents\"") || may_come);
}

// In lower case, and without the ending of a packed file.
std::string plain_name(std::string name) {
    std::ranges::transform(name, name.begin(), lower_ascii);
    for (const std::string_view ending : {".gz", ".zst", ".xz", ".bz2", ".lz4"})
        if (name.ends_with(ending)) name.resize(name.size() - ending.size());
    return name;
}

bool is_named(const FileHead& head, std::initializer_list<std::string_view> endings) {
    const std::string name = plain_name(head.path.filename().string());
    return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

// As `nsys export -t parquetdir` and arrowdir name their files.
bool is_named_nsys_table(const FileHead& head) {
    const std::string name = plain_name(head.path.filename().string());
    constexpr std::string_view kTables[] = {"cupti_", "nvtx_", "stringids", "target_info", "meta_data", "osrt_"};
    return std::ranges::any_of(kTables, [&](std::string_view table) { return name.starts_with(table); });
}

bool is_columnar(const FileHead& head) {
    return head.text.starts_with("PAR1") || head.text.starts_with("ARROW1") ||
           head.text.starts_with("\xFF\xFF\xFF\xFF");
}

bool is_rocprofiler_table(const FileHead& head) {
    const std::string_view line = head.text.substr(0, head.text.find('\n'));
    return has(line, "\"Start_Timestamp\"") && has(line, "\"End_Timestamp\"");
}

bool holds_traces(const std::vector<std::string>& names) {
    return std::ranges::any_of(names, [](const std::string& name) {
        const std::string plain = plain_name(name);
        return is_named_like_profile(plain) && !plain.ends_with("config.json");
    });
}

constexpr std::string_view kKinetoEndings[] = {".json", ".pfw", ".trace", ".chrometrace"};
constexpr std::string_view kNsysEndings[] = {".sqlite"};
constexpr std::string_view kRpdEndings[] = {".rpd"};
constexpr std::string_view kXPlaneEndings[] = {".xplane.pb"};
constexpr std::string_view kPerfettoEndings[] = {".pftrace", ".perfetto-trace"};

// "_dump_3", "nccl_trace_rank_3", "rank_3", .pickle, .pkl
bool is_named_like_dump(std::string_view file_name) {
    return file_name.ends_with(".pickle") || file_name.ends_with(".pkl") || !dump_stem(file_name).empty();
}

// Many programs keep their data in files named so.
bool is_named_like_database(std::string_view file_name) {
    constexpr std::string_view kEndings[] = {".db", ".rocpd", ".sqlite3"};
    return std::ranges::any_of(kEndings, [&](std::string_view ending) { return file_name.ends_with(ending); });
}

bool is_nccl_log(const FileHead& head) { return is_text(head) && begins_nccl_log(head.text); }
bool is_megatron_log(const FileHead& head) { return is_text(head) && begins_megatron_log(head.text); }
bool is_step_log(const FileHead& head) {
    return is_text(head) && first_letters(head.text)[0] != '{' && begins_step_log(head.text);
}
bool is_nccl_inspector(const FileHead& head) { return begins_nccl_inspector(head.text); }
bool is_nccl_profiler(const FileHead& head) { return begins_nccl_profiler(without_bom(head.text)); }

// As ROCm Systems Profiler names its traces; others have descriptions of messages under such names.
bool is_named_like_proto(std::string_view file_name) { return plain_name(std::string(file_name)).ends_with(".proto"); }

// NCCL_DEBUG_FILE=nccl.%h.%p, a job's output, the inspector's HOST-pidPID.log, a plugin's NAME-HOST-THREAD.txt
bool is_named_like_log(std::string_view file_name) {
    if (file_name.ends_with(".gz")) file_name.remove_suffix(3);
    if (file_name.ends_with(".zst")) file_name.remove_suffix(4);
    constexpr std::string_view kLogEndings[] = {".log", ".out", ".err", ".txt", ".jsonl"};
    return contains_any_case(file_name, "nccl") ||
           std::ranges::any_of(kLogEndings, [&](std::string_view ending) { return file_name.ends_with(ending); });
}

// To read a new format: give it a row. The first row that recognises a file opens it.
constexpr Format kFormats[] = {
    {.id = "summary",
     .title = "Run summary that lockstep index writes, .lockstep-summary",
     .recognise = [](const FileHead& head) { return begins_summary(head.text); },
     .open = open_summary_file},  // only if the file itself is opened: in folders the traces are
    {.id = "flight-recorder",
     .title = "PyTorch flight-recorder dump, pickle or JSON, any name",
     .recognise = is_flight_recorder,
     .open = open_flight_recorder,
     .may_be_named = is_named_like_dump},
    {.id = "memory-snapshot",
     .title = "PyTorch memory snapshot (torch.cuda.memory._dump_snapshot), pickle",
     .recognise = is_snapshot_file,
     .open = open_memory_snapshot,
     .may_be_named = is_named_like_dump},
    {.id = "nccl-log",
     .title = "NCCL debug log (NCCL_DEBUG=INFO), text of any name like .log, .out, .txt",
     .recognise = is_nccl_log,
     .open = open_nccl_log,
     .may_be_named = is_named_like_log},
    {.id = "nccl-inspector",
     .title = "NCCL inspector, JSON lines, .log",
     .recognise = is_nccl_inspector,
     .open = open_nccl_inspector,
     .may_be_named = is_named_like_log},
    {.id = "nccl-profiler",
     .title = "Trace of NCCL's profiler plugin, .txt, .json or .jsonl",
     .recognise = is_nccl_profiler,
     .open = open_nccl_profiler,
     .may_be_named = is_named_like_log},
    {.id = "megatron-log",
     .title = "Training log of Megatron, text of any name like .log, .out, .txt",
     .recognise = is_megatron_log,
     .open = open_megatron_log,
     .may_be_named = is_named_like_log},
    {.id = "training-log",
     .title = "Training log with a time per step (NeMo, torchtitan, DeepSpeed, MaxText and others), text",
     .recognise = is_step_log,
     .open = open_step_log,
     .may_be_named = is_named_like_log},
    {.id = "kineto",
     .title = "PyTorch (Kineto) or Chrome trace JSON, .json or .json.gz",
     .recognise = is_kineto,
     .open = open_kineto_file,
     .endings = kKinetoEndings},
    {.id = "memory-timeline",
     .title = "PyTorch's raw memory timeline, .raw.json.gz",
     .recognise = is_memory_timeline,
     .open = open_memory_timeline},  // only if the file itself is opened, not in folders
    {.id = "nsys",
     .title = "Nsight Systems export, .sqlite",
     .recognise = is_nsys_database,
     .open = open_nsys_file,
     .endings = kNsysEndings},
    {.id = "rocpd",
     .title = "Database of rocprofv3 (rocpd), .db",
     .recognise = [](const FileHead& head) { return is_database_of(head, DatabaseKind::Rocpd); },
     .open = open_rocpd_file,
     .may_be_named = is_named_like_database},
    {.id = "rpd",
     .title = "Database of rpdTracer, .rpd",
     .recognise = [](const FileHead& head) { return is_database_of(head, DatabaseKind::Rpd); },
     .open = open_rpd_file,
     .endings = kRpdEndings,
     .may_be_named = is_named_like_database},
    {.id = "xplane",
     .title = "Profile of JAX or TensorFlow (XPlane), .xplane.pb",
     .recognise = [](const FileHead& head) { return begins_xplane(head.text); },
     .open = open_xplane_file,
     .endings = kXPlaneEndings},
    {.id = "perfetto",
     .title = "Perfetto trace, .pftrace, .perfetto-trace or .proto",
     .recognise = is_perfetto,
     .open = open_perfetto_file,
     .endings = kPerfettoEndings,
     .may_be_named = is_named_like_proto},
};

// How much it matters that a file of a folder is not read.
enum class Worth : std::uint8_t { Nothing, Note, Profile, ByName };  // ByName: a profile if it is named like one

// Files that Lockstep does not open: how to recognise them, what they are, what to do ({} stands for the path), and
// their noun. A kind that gets a reader is a row of kFormats, which is asked first.
struct NearMiss {
    bool (*recognise)(const FileHead&);
    std::string_view what;
    std::string_view next;
    std::string_view one;
    std::string_view many;
    Worth worth = Worth::Nothing;
    bool is_damaged = false;  // a trace that was lost, not a file of another kind
};

constexpr std::string_view kRasStep =
    "for who waits for whom record a flight-recorder dump: TORCH_FR_BUFFER_SIZE=20000 and "
    "TORCH_NCCL_DUMP_ON_TIMEOUT=1, "
    "then `lockstep analyze hangs` of the dumps";
constexpr std::string_view kNeuronStep =
    "write it as Perfetto with `neuron-explorer view -d FOLDER --output-format perfetto` (before Neuron 2.27 "
    "neuron-profile view), and open the .pftrace files";

constexpr NearMiss kNearMisses[] = {
    {[](const FileHead& h) { return h.text.empty(); }, "an empty file", "", "empty file", "empty files", Worth::ByName},
    {[](const FileHead& h) { return h.text.find_first_not_of('\0') == std::string_view::npos; },
     "zero bytes only (a sparse or incomplete file)", "copy it again", "file of zero bytes", "files of zero bytes",
     Worth::ByName},
    {[](const FileHead& h) { return is_database_of(h, DatabaseKind::Ascend); }, "a database of Ascend's profiler",
     "open the trace_view.json written with it", "Ascend database", "Ascend databases", Worth::Profile},
    {[](const FileHead& h) { return is_database_of(h, DatabaseKind::NotOne); },
     "a damaged SQLite database, or one that is still written", "copy it again, or repeat the export",
     "damaged SQLite database", "damaged SQLite databases", Worth::Profile, true},
    {is_database,
     "an SQLite database without tables of Nsight Systems (META_DATA_EXPORT, CUPTI_ACTIVITY_KIND_*), rocprofv3 or "
     "rpdTracer (rocpd_*)",
     "", "other SQLite database", "other SQLite databases"},
    {[](const FileHead& h) {
         return h.text.starts_with("NVIDIA T") || is_named(h, {".nsys-rep", ".qdrep"});
     },
     "an Nsight Systems report (.nsys-rep), which only NVIDIA's tools can read",
     "convert it with `nsys export -t sqlite --include-blobs=true {}`, which --nsys-export runs, and open the "
     ".sqlite file",
     "Nsight Systems report", "Nsight Systems reports", Worth::Profile},
    {[](const FileHead& h) { return is_named(h, {".qdstrm"}); },
     "a raw recording of Nsight Systems (.qdstrm), which has not become a report",
     "make the report with `QdstrmImporter -i {}`, then `nsys export -t sqlite --include-blobs=true` of it",
     "raw Nsight Systems recording", "raw Nsight Systems recordings", Worth::Profile},
    {[](const FileHead& h) { return is_named_nsys_table(h) && is_columnar(h); },
     "a table of an Nsight Systems export in Parquet or Arrow",
     "export the report anew with `nsys export -t sqlite --include-blobs=true REPORT.nsys-rep`", "Nsight Systems table",
     "Nsight Systems tables", Worth::Profile},
    {[](const FileHead& h) { return h.text.starts_with(std::string_view("NVR\0", 4)) || is_named(h, {".ncu-rep"}); },
     "an Nsight Compute report (.ncu-rep): counters of single kernels, replayed, and no timeline",
     "open it with `ncu --import {}`; for a timeline record the run with torch.profiler or nsys",
     "Nsight Compute report", "Nsight Compute reports", Worth::Profile},
    {[](const FileHead& h) { return is_named(h, {".xplane.pb"}); },
     "a damaged profile of JAX or TensorFlow (xplane.pb)", "copy it again", "damaged xplane profile",
     "damaged xplane profiles", Worth::Profile},
    {[](const FileHead& h) { return h.text.starts_with("PERFILE2"); }, "a recording of Linux perf: samples of the CPU",
     "open it with `perf report -i {}`", "recording of perf", "recordings of perf", Worth::Profile},
    {[](const FileHead& h) { return is_named(h, {".otf2"}); }, "an OTF2 trace",
     "write it as Perfetto or JSON: rocprofv3 does with --output-format pftrace", "OTF2 trace", "OTF2 traces",
     Worth::Profile},
    {[](const FileHead& h) {
         return is_named(h, {".ntff", ".neff"});
     },
     "a profile of AWS Neuron (.ntff), which only Neuron's tools can read", kNeuronStep, "Neuron profile",
     "Neuron profiles", Worth::Profile},
    {[](const FileHead& h) { return is_named(h, {".hltv"}); },
     "a profile of Gaudi (.hltv), which only Intel's trace viewer can read",
     "open the .json that the profiler writes next to it, or record the job with torch.profiler and "
     "ProfilerActivity.HPU",
     "Gaudi profile", "Gaudi profiles", Worth::Profile},
    {is_pickle, "a Python pickle of an unknown kind",
     "Lockstep reads flight-recorder dumps, memory snapshots and what torch.profiler's export_chrome_trace writes",
     "Python pickle", "Python pickles", Worth::Note},
    {[](const FileHead& h) { return is_zip(h.text) && holds_traces(list_zip(h.path)); },
     "a ZIP archive that holds traces", "unpack it (`unzip {} -d FOLDER`) and open the folder", "ZIP archive",
     "ZIP archives", Worth::Profile},
    {[](const FileHead& h) { return is_zip(h.text) && !list_zip(h.path).empty(); }, "a ZIP archive without traces",
     "unpack it first if it should hold any", "other ZIP archive", "other ZIP archives"},
    {[](const FileHead& h) { return is_zip(h.text); }, "a ZIP archive whose list of files is damaged or missing",
     "copy it again and unpack it", "damaged ZIP archive", "damaged ZIP archives", Worth::ByName},
    {[](const FileHead& h) { return is_tar(h.text) && holds_traces(list_tar(h.text)); },
     "a TAR archive that holds traces", "unpack it (`tar -xf {} -C FOLDER`) and open the folder", "TAR archive",
     "TAR archives", Worth::Profile},
    {[](const FileHead& h) { return is_tar(h.text); }, "a TAR archive",
     "unpack it (`tar -xf {} -C FOLDER`) and open the folder", "other TAR archive", "other TAR archives"},
    {[](const FileHead& h) { return h.text.starts_with("7z\xBC\xAF\x27\x1C"); }, "a 7z archive", "unpack it first",
     "7z archive", "7z archives", Worth::ByName},
    {[](const FileHead& h) { return h.text.starts_with("\xFF\xFE") || h.text.starts_with("\xFE\xFF"); },
     "text in UTF-16", "save it as UTF-8", "file in UTF-16", "files in UTF-16", Worth::ByName},
    {[](const FileHead& h) { return h.text.starts_with("\x28\xB5\x2F\xFD"); }, "a file compressed with zstd",
     "decompress it first (`zstd -d {}`)", "zstd file", "zstd files", Worth::ByName},
    {[](const FileHead& h) {
         return h.text.starts_with(
             std::string_view("\xFD"
                              "7zXZ\0",
                              6));
     },
     "a file compressed with xz", "decompress it first (`xz -d {}`)", "xz file", "xz files", Worth::ByName},
    {[](const FileHead& h) { return h.text.starts_with("BZh"); }, "a file compressed with bzip2",
     "decompress it first (`bunzip2 {}`)", "bzip2 file", "bzip2 files", Worth::ByName},
    {[](const FileHead& h) { return h.text.starts_with("\x1F\x8B"); }, "a file compressed twice with gzip",
     "decompress it once (`gunzip {}`)", "file packed twice", "files packed twice", Worth::ByName},
    {[](const FileHead& h) { return h.text.starts_with("\x04\x22\x4D\x18"); }, "a file compressed with lz4",
     "decompress it first (`lz4 -d {}`)", "lz4 file", "lz4 files", Worth::ByName},
    {is_list_of_lists, "a list of lists, such as PyTorch's memory timeline in .json",
     "export it to a name that ends in .raw.json.gz", "memory timeline or other list of lists",
     "memory timelines or other lists of lists"},
    {is_neuron_profile, "a profile of AWS Neuron in its own JSON: instructions of a device and no trace events",
     kNeuronStep, "Neuron profile in JSON", "Neuron profiles in JSON", Worth::Profile},
    {is_ras_report, "a report of NCCL's RAS (ncclras) in JSON: states and counts of communicators, and no times",
     kRasStep, "NCCL RAS report", "NCCL RAS reports", Worth::Profile},
    {is_rocprofiler, "rocprofv3's own JSON", "write it as Perfetto: rocprofv3 --output-format pftrace",
     "rocprofv3 result", "rocprofv3 results", Worth::Profile},
    {is_rocprofiler_table, "a table of rocprofv3 (CSV)", "write it as Perfetto: rocprofv3 --output-format pftrace",
     "rocprofv3 table", "rocprofv3 tables", Worth::Profile},
    {is_execution_trace, "a PyTorch execution trace (nodes without times)", "open the Kineto trace recorded with it",
     "execution trace", "execution traces"},
    {is_request_trace, "a distributed request trace (spans)", "Lockstep reads PyTorch profiler traces", "request trace",
     "request traces"},
    {is_megascan_raw, "a raw MegaScan record of one rank",
     "merge the records with MegatronApp's aggregate.py and open the merged trace", "raw MegaScan record",
     "raw MegaScan records", Worth::Profile},
    {is_json_lines, "JSON lines (one object per line) without trace events (\"ph\", \"ts\")", "", "file of JSON lines",
     "files of JSON lines"},
    {is_other_list, "a JSON list whose elements are not trace events (they have no \"ph\")", "", "other JSON file",
     "other JSON files"},
    {is_json, "JSON without \"traceEvents\"", "Lockstep reads what torch.profiler's export_chrome_trace writes",
     "other JSON file", "other JSON files"},
    {[](const FileHead& h) { return is_text(h) && is_watchdog_text(h.text); },
     "a log of a hung job: a watchdog of PyTorch's process groups ran into a time-out",
     "run again with TORCH_FR_BUFFER_SIZE=20000 (before PyTorch 2.9 TORCH_NCCL_TRACE_BUFFER_SIZE=20000) and "
     "TORCH_NCCL_DUMP_ON_TIMEOUT=1, which write a flight-recorder dump per rank to /tmp/nccl_trace_rank_N, or where "
     "TORCH_FR_DUMP_TEMP_FILE (TORCH_NCCL_DEBUG_INFO_TEMP_FILE) says; then `lockstep analyze hangs` of these dumps "
     "names the rank that the others wait for",
     "log of a hung job", "logs of hung jobs", Worth::Profile},
    {[](const FileHead& h) { return is_text(h) && is_ras_text(h.text); },
     "a report of NCCL's RAS (ncclras): states and counts of communicators, and no times", kRasStep, "NCCL RAS report",
     "NCCL RAS reports", Worth::Profile},
    {[](const FileHead& h) { return is_text(h) && is_deepspeed_text(h.text); },
     "a text log of DeepSpeed without the times of at least two steps",
     "Lockstep reads times of steps (steps_per_print, wall_clock_breakdown); for single calls record the run with "
     "torch.profiler",
     "DeepSpeed log", "DeepSpeed logs", Worth::Profile},
    {[](const FileHead& h) { return is_text(h) && is_profiler_table(h.text); },
     "a table of torch.profiler (key_averages), which has sums and no events",
     "write the trace itself with prof.export_chrome_trace(\"rank0.json.gz\") or tensorboard_trace_handler",
     "profiler table", "profiler tables", Worth::Note},
    {[](const FileHead& h) { return is_text(h) && has(h.text, "CUDA out of memory"); },
     "a log of a job that ran out of GPU memory",
     "record what holds the memory: torch.cuda.memory._record_memory_history() at the start, and "
     "torch.cuda.memory._dump_snapshot(\"snapshot.pickle\") when the error is caught",
     "log of an out-of-memory error", "logs of out-of-memory errors", Worth::Note},
    {[](const FileHead& h) { return is_text(h) && (has(h.text, "NCCL INFO") || has(h.text, "NCCL WARN")); },
     "a log of NCCL that names no communicator", "run with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,COLL,TUNING",
     "NCCL log", "NCCL logs", Worth::Profile},
    {[](const FileHead& h) { return is_text(h) && has(h.text, "busbw"); }, "a result table of nccl-tests",
     "open PyTorch profiler traces instead", "nccl-tests result", "nccl-tests results", Worth::Note},
    {[](const FileHead& h) { return recognise_telemetry(h.text).has_value(); },
     "a log of GPU clocks, power or errors, which goes with the traces of its run",
     "open it together with the traces: in their folder, or with --telemetry {}", "log of GPUs", "logs of GPUs"},
    {is_text, "text, not JSON", "", "text file", "text files"},
    {[](const FileHead&) { return true; }, "binary data of an unknown kind", "", "other file", "other files",
     Worth::ByName},
};

const NearMiss& find_miss(const FileHead& head) {
    return *std::ranges::find_if(kNearMisses, [&](const NearMiss& m) { return m.recognise(head); });
}

const Format* find_format(const FileHead& head) {
    const auto found = std::ranges::find_if(all_formats(), [&](const Format& f) { return f.recognise(head); });
    return found == all_formats().end() ? nullptr : &*found;
}

// With the path in place of {}, as a shell takes it.
std::string next_step(const NearMiss& miss, const std::filesystem::path& path) {
    constexpr std::string_view kPlace = "{}";
    std::string text(miss.next);
    if (const std::size_t at = text.find(kPlace); at != std::string::npos)
        text.replace(at, kPlace.size(), quote_for_shell(path.string()));
    return text;
}

// In folders only files named like the dumps beside them are opened without a known ending or content.
Error refusal(const FileHead& head) {
    const NearMiss& miss = find_miss(head);
    std::string message = "not a trace: this is " + std::string(miss.what);
    if (!miss.next.empty()) message += ": " + next_step(miss, head.path);
    if (miss.is_damaged || !dump_stem(head.path.filename().string()).empty()) return bad_input(std::move(message));
    return {ErrorCode::NotFound, std::move(message)};
}

// The unpacked head of a file; `buffer` holds its text.
Result<FileHead> read_head(const std::filesystem::path& path, std::vector<char>& buffer) {
    Result<std::unique_ptr<ByteSource>> source = open_bytes(path);
    if (!source) return std::move(source).error();
    buffer.resize(kHeadBytes);
    const Result<std::size_t> got = read_fully(**source, buffer);
    if (!got) return got.error();
    return FileHead{.path = path, .text = {buffer.data(), *got}, .whole = *got < buffer.size()};
}

// The noun that counts a file: singular, plural.
std::pair<std::string_view, std::string_view> kind_of(const std::filesystem::path& path, std::vector<char>& buffer) {
    const Result<FileHead> head = read_head(path, buffer);
    if (!head) return {"unreadable file", "unreadable files"};
    if (find_format(*head)) return {"trace under another name", "traces under other names"};
    const NearMiss& miss = find_miss(*head);
    return {miss.one, miss.many};
}

}  // namespace

const Catalogue<Format>& formats() {
    static constexpr Catalogue<Format> kCatalogue(kFormats);
    return kCatalogue;
}

Result<std::unique_ptr<TraceReader>> open_trace(const std::filesystem::path& path, LoadProgress& progress) {
    std::vector<char> buffer;
    const Result<FileHead> head = read_head(path, buffer);
    if (!head) return head.error();
    const Format* const format = find_format(*head);
    return format ? format->open(path, progress) : refusal(*head);
}

bool is_named_like_profile(std::string_view file_name) {
    constexpr std::string_view kEndings[] = {".nsys-rep",  ".qdrep", ".qdstrm", ".ncu-rep", ".rpd",  ".db",
                                             ".xplane.pb", ".proto", ".pickle", ".pkl",     ".otf2", ".ntff",
                                             ".hltv",      ".zip",   ".tar",    ".tgz",     ".7z"};
    const std::string name = plain_name(std::string(file_name));
    return has_format_ending(name) ||
           std::ranges::any_of(kEndings, [&](std::string_view ending) { return name.ends_with(ending); });
}

// A format that recognises the file and was not asked, as its files have other names. Texts are quoted in too many
// other files, and JSON that is long is not known to be a trace.
const Format* find_format_of_other_name(const FileHead& head) {
    const Format* const format = find_format(head);
    if (!format || format->may_be_named == is_named_like_log) return nullptr;
    const bool is_found_in_folders = format->may_be_named || !format->endings.empty();
    return is_found_in_folders && !(format->id == "kineto" && !has(head.text, "\"ph\"")) ? format : nullptr;
}

std::optional<UnreadKind> find_unread_kind(const std::filesystem::path& path) {
    std::vector<char> buffer;
    const Result<FileHead> head = read_head(path, buffer);
    if (!head) return std::nullopt;
    if (find_format(*head)) {
        const Format* const format = find_format_of_other_name(*head);
        if (!format) return std::nullopt;
        const std::string_view ending = format->endings.empty() ? ".pickle" : format->endings.front();
        return UnreadKind{.one = "trace under another name",
                          .many = "traces under other names",
                          .next = "open it by its name, or rename it to end in " + std::string(ending),
                          .is_profile = true};
    }
    const NearMiss& miss = find_miss(*head);
    const bool is_profile =
        miss.worth == Worth::Profile ||
        (miss.worth == Worth::ByName && is_named_like_profile(plain_name(path.filename().string())));
    if (!is_profile && miss.worth != Worth::Note) return std::nullopt;
    return UnreadKind{.one = miss.one, .many = miss.many, .next = next_step(miss, path), .is_profile = is_profile};
}

bool has_format_ending(std::string_view file_name) {
    return std::ranges::any_of(all_formats(), [&](const Format& format) {
        return std::ranges::any_of(format.endings, [&](std::string_view ending) {
            return file_name.size() > ending.size() && file_name.ends_with(ending);
        });
    });
}

std::string_view dump_stem(std::string_view file_name) {
    if (file_name.find('.') != std::string_view::npos) return {};
    const std::size_t last = file_name.find_last_not_of("0123456789");
    return last == std::string_view::npos || last + 1 == file_name.size() ? std::string_view()
                                                                          : file_name.substr(0, last + 1);
}

bool is_recognised_dump(const std::filesystem::path& path) {
    std::vector<char> buffer;
    const Result<FileHead> head = read_head(path, buffer);
    return head && (is_flight_recorder(*head) || is_snapshot_file(*head));
}

bool is_recognised_trace(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    const auto may_be = [&](const Format& format) { return format.may_be_named && format.may_be_named(name); };
    if (std::ranges::none_of(all_formats(), may_be)) return false;
    std::vector<char> buffer;
    const Result<FileHead> head = read_head(path, buffer);
    return head && std::ranges::any_of(all_formats(),
                                       [&](const Format& format) { return may_be(format) && format.recognise(*head); });
}

std::string describe_kinds(std::span<const std::filesystem::path> files) {
    struct Kind {
        std::string_view one;
        std::string_view many;
        std::uint64_t count;
    };
    std::vector<Kind> kinds;
    std::vector<char> buffer;
    const auto add = [&](std::string_view one, std::string_view many, std::uint64_t count) {
        const auto known = std::ranges::find(kinds, one, &Kind::one);
        if (known == kinds.end())
            kinds.push_back({.one = one, .many = many, .count = count});
        else
            known->count += count;
    };
    for (const std::filesystem::path& file : files.first(std::min(files.size(), kMostIdentified))) {
        const auto [one, many] = kind_of(file, buffer);
        add(one, many, 1);
    }
    std::ranges::stable_sort(kinds, std::greater{}, &Kind::count);
    if (files.size() > kMostIdentified)
        add("file not looked at", "files not looked at", files.size() - kMostIdentified);
    std::string text;
    for (const Kind& kind : kinds)
        text.append(text.empty() ? "" : ", ").append(format_plural(kind.count, kind.one, kind.many));
    return text;
}

}  // namespace core
