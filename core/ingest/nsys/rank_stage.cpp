#include "core/ingest/nsys/rank_stage.hpp"

#include <algorithm>
#include <utility>

namespace core {
namespace {

constexpr std::uint64_t kRecordsOfBatch = 1 << 14;

}  // namespace

void append_json_string(std::string& to, std::string_view text) {
    constexpr std::string_view kHex = "0123456789abcdef";
    to += '"';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            to.append("\\").append(1, c);
        else if (byte < 0x20)
            to.append("\\u00").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
        else
            to += c;
    }
    to += '"';
}

void RowArguments::clear() {
    integers.clear();
    texts.clear();
    json_.clear();
}

void RowArguments::begin(std::string_view key) {
    json_ += json_.empty() ? "{" : ", ";
    append_json_string(json_, key);
    json_ += ": ";
}

void RowArguments::add(std::string_view key, std::int64_t value) {
    begin(key);
    json_ += std::to_string(value);
}

void RowArguments::add(std::string_view key, std::string_view value) {
    begin(key);
    append_json_string(json_, value);
}

void RowArguments::add_json(std::string_view key, std::string_view json) {
    begin(key);
    json_ += json;
}

void RowArguments::add(std::string_view key, Arg arg, std::int64_t value) {
    add(key, value);
    add_column(arg, value);
}

std::string_view RowArguments::json() {
    if (!json_.empty()) json_ += '}';
    return json_;
}

void RankStage::add(const StagedRow& row, RowArguments& arguments) {
    const auto order = static_cast<std::uint32_t>(batch_.records.total++);
    const auto at = static_cast<std::uint32_t>(batch_.events.size());
    StringPool& pool = batch_.pool;
    batch_.events.push_back({.start_ns = row.start_ns,
                             .duration_ns = row.duration_ns,
                             .name = pool.intern(row.name),
                             .category = pool.intern(row.category),
                             .pid = pool.intern(row.pid),
                             .tid = pool.intern(row.tid),
                             .id = pool.intern(row.id),
                             .order = order,
                             .phase = row.phase,
                             .has_collective = row.has_collective});
    for (const auto& [arg, value] : arguments.integers)
        batch_.integers[static_cast<std::size_t>(arg)].push_back({at, value});
    for (const auto& [arg, value] : arguments.texts)
        batch_.texts[static_cast<std::size_t>(arg)].push_back({at, pool.intern(value)});
    batch_.text_store.add(order, 0, arguments.json(), {});
    ++(row.phase == Phase::Complete  ? batch_.records.complete
       : row.phase == Phase::Instant ? batch_.records.instants
                                     : batch_.records.paired);
    if (batch_.records.total >= kRecordsOfBatch) flush();
}

void RankStage::add_counter(std::int64_t time_ns, std::string_view pid, std::string_view name, std::string_view series,
                            double value) {
    StringPool& pool = batch_.pool;
    batch_.counters.push_back({.time_ns = time_ns,
                               .pid = pool.intern(pid),
                               .name = pool.intern(name),
                               .series = pool.intern(series),
                               .value = value});
    ++batch_.records.total;
    ++batch_.records.counters;
    if (batch_.records.total >= kRecordsOfBatch) flush();
}

void RankStage::drop(std::string_view kind, std::string_view example) {
    ++batch_.records.total;
    ++batch_.records.dropped;
    batch_.diagnostics.add(kind, example);
}

void RankStage::note(std::string_view kind, std::string_view example, std::uint64_t count) {
    batch_.diagnostics.add(kind, example, count);
}

void RankStage::name(MetadataKind kind, std::string_view pid, std::string_view tid, std::string_view text) {
    StringPool& pool = batch_.pool;
    batch_.metadata.push_back(
        {.kind = kind, .pid = pool.intern(pid), .tid = pool.intern(tid), .text = pool.intern(text), .number = 0});
}

void RankStage::flush() {
    records_ += batch_.records.total;
    builder_.append(std::exchange(batch_, {}));
}

}  // namespace core
