#include "core/analysis/run/stored_answers.hpp"

#include "core/analysis/efficiency/device_peaks.hpp"
#include "core/analysis/engine/link_speeds.hpp"
#include "core/analysis/findings/limits.hpp"
#include "core/analysis/run/answer_bytes.hpp"
#include "core/analysis/run/kept_answers.hpp"
#include "core/base/checksum.hpp"
#include "core/base/output_file.hpp"
#include "core/base/platform/files.hpp"
#include "core/base/platform/processes.hpp"
#include "core/base/small_file.hpp"
#include "core/telemetry/telemetry_settings.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

namespace core {
namespace {

constexpr std::string_view kMagic = "lockstep answers 1\n";
constexpr std::size_t kMostBytesOfAnswer = std::size_t{4} << 20;
constexpr std::size_t kMostBytes = std::size_t{32} << 20;

std::uint64_t checksum_of(std::string_view bytes) { return checksum(std::as_bytes(std::span(bytes))); }

// Changes whenever the program is built anew.
void add_program(ByteWriter& out, const FileStatus& program) {
    out.unsigned_number(program.bytes);
    out.number(program.written_ns);
}

// Clocks by the times that they give both ends of a trace.
void add_ranks(ByteWriter& out, const Run& run) {
    out.text(run.name());
    out.unsigned_number(run.rules().hash());
    out.number(ns_of(run.origin()));
    for (const RankSlot& rank : run.ranks()) {
        out.number(rank.key.packed());
        out.unsigned_number(static_cast<std::uint64_t>(rank.source));
        for (const RankTime at : {rank.trace().window.begin, rank.trace().window.end}) {
            out.number(ns_of(rank.to_run(at)));
            out.number(ns_of(rank.recorded_clock().to_run(at)));
        }
    }
    // A note can be of this load alone ("index-not-written"); no answer depends on one.
    for (const Diagnostic& entry : run.diagnostics().entries()) {
        if (entry.kind->severity == Severity::Note) continue;
        out.text(entry.kind->id);
        out.unsigned_number(entry.count);
    }
}

void add_settings(ByteWriter& out, const Run& run) {
    out.text(given_peaks_of(run)->text());
    out.text(link_speeds_of(run)->text());
    const std::shared_ptr<const Limits> limits = limits_of(run);
    for (std::size_t i = 0; i < kLimits; ++i) out.real(limits->value(i));
    const std::shared_ptr<const TelemetrySettings> telemetry = telemetry_settings();
    out.flag(telemetry->utc_offset.has_value());
    out.number(telemetry->utc_offset.value_or(0));
    out.text(telemetry->columns);
    for (const MappedGpu& gpu : telemetry->map) {
        out.text(gpu.host);
        out.number(gpu.local_rank);
        out.number(gpu.rank);
        out.text(gpu.gpu);
    }
}

std::uint64_t key_of(const Run& run) {
    ByteWriter out;
    if (const std::optional<FileStatus> program = find_file_status(program_file())) add_program(out, *program);
    out.unsigned_number(run.parts().files->identity);
    add_ranks(out, run);
    add_settings(out, run);
    const std::string bytes = std::move(out).take();
    return checksum_of(bytes);
}

std::size_t events_of(const Run& run, std::int64_t rank) {
    const RankKey key = RankKey::unpacked(rank);
    const auto slot = std::ranges::lower_bound(run.ranks(), key, {}, &RankSlot::key);
    return slot != run.ranks().end() && slot->key == key ? slot->trace().size() : 0;
}

// An event of a row is one of a rank that the row names, or else of the first; the least of them bounds it, as the file
// can hold anything.
bool has_events_of(const Table& table, std::size_t row, const Run& run) {
    std::optional<std::size_t> most;
    std::int64_t last = -1;
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
        if (table.absent(row, c)) continue;
        const Unit unit = table.columns()[c].unit;
        if (unit == Unit::Rank)
            most = std::min(most.value_or(std::size_t{index_of(kNoEvent)}), events_of(run, table.integer(row, c)));
        if (unit != Unit::Event) continue;
        if (table.integer(row, c) < 0) return false;
        last = std::max(last, table.integer(row, c));
    }
    if (last < 0) return true;
    if (!most) most = run.ranks().empty() ? 0 : run.rank(0).trace().size();
    return static_cast<std::uint64_t>(last) < *most;
}

bool fits(const Answer& answer, const Run& run) {
    for (const NamedTable& named : answer.tables)
        for (std::size_t row = 0; row < named.table.rows(); ++row)
            if (!has_events_of(named.table, row, run)) return false;
    const auto is_of_run = [&](const Mark& mark) {
        return !mark.event.valid() || (mark.event.slot < run.ranks().size() &&
                                       index_of(mark.event.event) < run.rank(mark.event.slot).trace().size());
    };
    return std::ranges::all_of(answer.marks, is_of_run) &&
           std::ranges::all_of(answer.series, [&](const Series& series) {
               return series.slot < run.ranks().size() && series.time.size() == series.value.size();
           });
}

bool is_of(const Analysis& analysis, const Answer& answer) {
    return !answer.tables.empty() && answer.tables.front().name == "main" &&
           answer.main().columns() == analysis.columns() && has_declared_tables(analysis, answer);
}

bool is_standard(const Analysis& analysis, const Filter& filter, const Params& params) {
    if (!filter.empty()) return false;
    const Result<Params> standard = make_params(analysis, {});
    return standard && *standard == params;
}

std::map<std::string, std::string, std::less<>> read_answers(const std::filesystem::path& file, std::uint64_t key) {
    const std::optional<FileStatus> status = find_file_status(file);
    if (!status || !status->is_regular() || !status->is_own) return {};
    const Result<std::string> text = read_small_file(file, kMostBytes + kMagic.size() + 64);
    if (!text || !text->starts_with(kMagic)) return {};
    ByteReader head(std::string_view(*text).substr(kMagic.size()));
    const std::uint64_t written_for = head.unsigned_number();
    const std::uint64_t sum = head.unsigned_number();
    const std::string_view body = head.text();
    if (!head.at_end() || !head.ok() || written_for != key || checksum_of(body) != sum) return {};
    ByteReader in(body);
    std::map<std::string, std::string, std::less<>> answers;
    for (std::size_t left = in.items(2); left > 0 && in.ok(); --left) {
        std::string id(in.text());
        answers[std::move(id)] = in.text();
    }
    return in.ok() && in.at_end() ? answers : std::map<std::string, std::string, std::less<>>();
}

std::string file_of(const std::map<std::string, std::string, std::less<>>& answers, std::uint64_t key) {
    ByteWriter body, file;
    body.unsigned_number(answers.size());
    for (const auto& [id, bytes] : answers) {
        body.text(id);
        body.text(bytes);
    }
    const std::string bytes = std::move(body).take();
    file.unsigned_number(key);
    file.unsigned_number(checksum_of(bytes));
    file.text(bytes);
    return std::string(kMagic) + std::move(file).take();
}

struct Holder {  // what is derived from a run does not change, but this does
    std::shared_ptr<StoredAnswers> answers = std::make_shared<StoredAnswers>();
};

// Never through a link, which can lead to any file of the user.
bool may_replace(const std::filesystem::path& file) {
    const std::optional<FileStatus> status = find_file_status(file, LastLink::Keep);
    return !status || status->is_regular();
}

}  // namespace

void StoredAnswers::read(const Run& run) {
    if (!key_) key_ = key_of(run);
    if (std::exchange(is_read_, true)) return;
    for (const std::filesystem::path& place : run.parts().files->answers)
        if (answers_ = read_answers(place, *key_); !answers_.empty()) return;
}

std::optional<Answer> StoredAnswers::find(const Run& run, const Analysis& analysis) {
    std::string bytes;
    {
        const std::lock_guard lock(mutex_);
        read(run);
        const auto found = answers_.find(analysis.id);
        if (found == answers_.end()) return std::nullopt;
        bytes = found->second;
    }
    ByteReader in(bytes);
    Result<Answer> answer = AnswerReader().read(in);
    if (!answer || !in.at_end() || !is_of(analysis, *answer) || !fits(*answer, run)) return std::nullopt;
    return *std::move(answer);
}

void StoredAnswers::store(const Run& run, const Analysis& analysis, const Answer& answer) {
    if (answer.resident_bytes() > 4 * kMostBytesOfAnswer) return;
    ByteWriter out;
    AnswerWriter().write(out, answer);
    if (out.size() > kMostBytesOfAnswer) return;
    const std::lock_guard lock(mutex_);
    is_read_ = false;  // another process may have stored more
    std::map<std::string, std::string, std::less<>> own = std::move(answers_);
    answers_ = {};
    read(run);
    answers_.merge(own);
    answers_.insert_or_assign(std::string(analysis.id), std::move(out).take());
    const std::string file = file_of(answers_, *key_);
    if (file.size() > kMostBytes) {
        answers_.erase(std::string(analysis.id));
        return;
    }
    for (const std::filesystem::path& place : run.parts().files->answers)
        if (may_replace(place) && write_whole_file(place, file, {.sync = false})) return;
}

std::shared_ptr<StoredAnswers> stored_answers_of(const Run& run, const Analysis& analysis, const Filter& filter,
                                                 const Params& params) {
    static const bool kKnowsProgram = find_file_status(program_file()).has_value();
    if (!kKnowsProgram || !run.parts().files || run.summary() || !is_standard(analysis, filter, params)) return nullptr;
    return run.derived().get<Holder>([] { return std::make_shared<Holder>(); })->answers;
}

}  // namespace core
