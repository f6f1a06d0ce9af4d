#include "core/ingest/load/formats.hpp"

#include "core/ingest/source/bytes.hpp"
#include "core/ingest/json_scan.hpp"
#include "core/ingest/kineto_file.hpp"
#include "core/ingest/kineto/memory_timeline_file.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace core {
namespace {

constexpr std::size_t kHeadBytes = std::size_t{64} << 10;

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string_view without_bom(std::string_view text) { return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text; }

// The first and second characters that are no space.
std::array<char, 2> first_letters(std::string_view text) {
    std::array<char, 2> letters{};
    std::size_t found = 0;
    for (const char c : without_bom(text)) {
        if (!is_json_space(c)) letters[found++] = c;
        if (found == 2) break;
    }
    return letters;
}

bool is_pickle(const FileHead& head) {
    return head.text.size() > 2 && head.text[0] == '\x80' && head.text[1] >= 2 && head.text[1] <= 5;
}

bool is_json(const FileHead& head) {
    const auto [first, second] = first_letters(head.text);
    if (first == '{') return second == '"' || second == '}';
    return first == '[' && second != '\0' && has("[{\"0123456789-]", {&second, 1});
}

bool is_text(const FileHead& head) {
    return std::ranges::none_of(head.text, [](char c) { return static_cast<unsigned char>(c) < 9; });
}

// One object per line.
bool is_json_lines(const FileHead& head) {
    const std::string_view text = without_bom(head.text);
    const std::size_t begin = text.find_first_not_of(" \n\r\t");
    if (begin == kNotFound || text[begin] != '{') return false;
    const std::size_t end = find_container_end(text.substr(begin));
    if (end == kNotFound) return false;
    const std::size_t next = text.find_first_not_of(" \n\r\t", begin + end);
    return next != kNotFound && text[next] == '{';
}

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

// An object with "traceEvents", or too long to know; [ with an object behind it, or nothing yet.
bool is_kineto(const FileHead& head) {
    const auto [first, second] = first_letters(head.text);
    if (first == '[') return second == '{' || second == ']' || second == '\0';
    const bool may_come = !head.whole && !is_json_lines(head) && !is_rocprofiler(head) && !is_execution_trace(head) &&
                          !is_request_trace(head);
    return first == '{' && (second == '"' || second == '}') && (has(head.text, "\"traceEvents\"") || may_come);
}

// To read a new format: give it a row. The first row that recognises a file opens it.
constexpr Format kFormats[] = {
    {"kineto", "PyTorch (Kineto) or Chrome trace JSON, .json or .json.gz", is_kineto, open_kineto_file},
    {"memory-timeline", "PyTorch's raw memory timeline, .raw.json.gz", is_memory_timeline, open_memory_timeline},
};

// Files that are no trace we can open: how they begin, what they are, and what to do instead.
struct NearMiss {
    bool (*recognise)(const FileHead&);
    std::string_view what;
};

constexpr NearMiss kNearMisses[] = {
    {[](const FileHead& h) { return h.text.empty(); }, "an empty file"},
    {[](const FileHead& h) { return h.text.starts_with("SQLite format 3") && has(h.text, "CUPTI_ACTIVITY"); },
     "an Nsight Systems database (SQLite): Lockstep reads PyTorch profiler traces; record with torch.profiler"},
    {[](const FileHead& h) { return h.text.starts_with("SQLite format 3"); },
     "an SQLite database (Nsight Systems or another profiler): Lockstep reads PyTorch profiler traces in JSON"},
    {[](const FileHead& h) { return h.text.starts_with("NVIDIA T") || h.path.extension() == ".nsys-rep"; },
     "an Nsight Systems report (.nsys-rep), which only NVIDIA's tools can read: record with torch.profiler instead"},
    {is_pickle, "a Python pickle, such as a memory snapshot of PyTorch: open it at pytorch.org/memory_viz"},
    {[](const FileHead& h) { return h.text.starts_with("PK\x03\x04"); }, "a ZIP archive: unpack it first"},
    {[](const FileHead& h) { return h.text.starts_with("\xFF\xFE") || h.text.starts_with("\xFE\xFF"); },
     "text in UTF-16: save it as UTF-8"},
    {[](const FileHead& h) { return h.text.starts_with("\x28\xB5\x2F\xFD"); },
     "a file packed with zstd: unpack it first"},
    {[](const FileHead& h) { return h.text.starts_with("\x1F\x8B"); }, "a file packed twice with gzip: unpack it once"},
    {[](const FileHead& h) { return h.text.starts_with("BZh"); }, "a file packed with bzip2: unpack it first"},
    {[](const FileHead& h) {
         return h.text.starts_with(
             "\xFD"
             "7zXZ");
     },
     "a file packed with xz: unpack it first"},
    {is_list_of_lists,
     "a list of lists, such as PyTorch's memory timeline in .json: export it to a name that ends in .raw.json.gz"},
    {is_rocprofiler, "rocprofv3's own JSON: record the same run with torch.profiler"},
    {is_execution_trace, "a PyTorch execution trace (nodes without times): open the Kineto trace recorded with it"},
    {is_request_trace, "a distributed request trace (spans): Lockstep reads PyTorch profiler traces"},
    {is_json_lines, "JSON lines (one object per line), such as the log of NCCL's profiler plugin: no \"traceEvents\""},
    {is_json, "JSON without \"traceEvents\": Lockstep reads what torch.profiler's export_chrome_trace writes"},
    {[](const FileHead& h) { return is_text(h) && (has(h.text, "NCCL INFO") || has(h.text, "NCCL WARN")); },
     "a log of NCCL: open the PyTorch profiler traces of the same run instead"},
    {[](const FileHead& h) { return is_text(h) && has(h.text, "busbw"); },
     "a result table of nccl-tests: open PyTorch profiler traces instead"},
    {is_text, "text, but no JSON"},
    {[](const FileHead&) { return true; }, "binary data of an unknown kind"},
};

Error refusal(const FileHead& head) {
    const auto* const miss = std::ranges::find_if(kNearMisses, [&](const NearMiss& m) { return m.recognise(head); });
    return {ErrorCode::NotFound, "not a trace: this is " + std::string(miss->what)};
}

}  // namespace

std::span<const Format> all_formats() { return kFormats; }

Result<std::unique_ptr<TraceReader>> open_trace(const std::filesystem::path& path, LoadProgress& progress) {
    Result<std::unique_ptr<ByteSource>> source = open_bytes(path);
    if (!source) return std::move(source).error();
    std::vector<char> buffer(kHeadBytes);
    const Result<std::size_t> got = read_fully(**source, buffer);
    if (!got) return got.error();
    const FileHead head{path, {buffer.data(), *got}, *got < buffer.size()};
    const auto* const format = std::ranges::find_if(kFormats, [&](const Format& f) { return f.recognise(head); });
    if (format == std::end(kFormats)) return refusal(head);
    return format->open(path, progress);
}

}  // namespace core
