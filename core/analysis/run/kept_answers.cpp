#include "core/analysis/run/kept_answers.hpp"

#include "core/analysis/run/answer_bytes.hpp"
#include "core/base/checksum.hpp"
#include "core/base/deflate.hpp"
#include "core/query/filter_text.hpp"

#include <algorithm>
#include <span>

namespace core {
namespace {

// References to events mean nothing without the events.
Table without_events(const Table& table) {
    Table kept(table.columns());
    std::vector<Cell> cells(table.columns().size());
    for (std::size_t row = 0; row < table.rows(); ++row) {
        for (std::size_t c = 0; c < cells.size(); ++c)
            cells[c] = table.columns()[c].unit == Unit::Event ? Cell{} : table.cell(row, c);
        kept.add_row(cells);
    }
    return kept;
}

bool names_events(const Answer& answer) {
    if (!answer.marks.empty() || !answer.series.empty()) return true;
    for (const NamedTable& named : answer.tables)
        for (std::size_t c = 0; c < named.table.columns().size(); ++c)
            for (std::size_t row = 0; row < named.table.rows(); ++row)
                if (named.table.columns()[c].unit == Unit::Event && !named.table.absent(row, c)) return true;
    return false;
}

// An answer whose columns both sides know.
Answer empty_answer(const Analysis& analysis) {
    Answer answer;
    answer.tables.push_back({"main", Table(analysis.columns())});
    return answer;
}

}  // namespace

bool has_declared_tables(const Analysis& analysis, const Answer& answer) {
    return std::ranges::all_of(std::span(answer.tables).subspan(1), [&](const NamedTable& named) {
        const auto declared = std::ranges::find(analysis.tables, named.name, &SecondaryTable::name);
        return declared != analysis.tables.end() && named.table.columns() == declared->columns();
    });
}

std::optional<std::string> KeptAnswer::read() const {
    constexpr std::uint64_t kMostBytes = std::uint64_t{512} << 20;
    if (all > kMostBytes || all / kMostDeflateRatio > packed.size()) return std::nullopt;
    std::string raw(all, '\0');
    const bool whole = inflate_bytes(std::as_bytes(std::span(packed)), std::as_writable_bytes(std::span(raw)));
    return whole ? std::optional(raw.substr(offset, size)) : std::nullopt;
}

std::optional<KeptAnswer> find_kept(std::string_view all, std::string_view id) {
    ByteReader in(all);
    std::optional<KeptAnswer> found;
    std::uint64_t offset = 0;
    for (std::size_t left = in.items(3); left > 0 && in.ok(); --left) {
        const std::string_view name = in.text();
        const std::uint64_t schema = in.unsigned_number();
        const std::uint64_t size = in.unsigned_number();
        if (!found && name == id) found = KeptAnswer{.schema = schema, .offset = offset, .size = size, .packed = {}};
        if (__builtin_add_overflow(offset, size, &offset)) return std::nullopt;
    }
    const std::string_view packed = in.text();
    if (!in.ok() || !found) return std::nullopt;
    found->all = offset;
    found->packed = packed;
    return found;
}

void KeptWriter::add(std::string_view id, std::uint64_t schema, std::string_view bytes) {
    heads_.text(id);
    heads_.unsigned_number(schema);
    heads_.unsigned_number(bytes.size());
    bytes_ += bytes;
    ++count_;
}

std::string KeptWriter::take() {
    constexpr int kLevel = 6;
    ByteWriter count, packed;
    count.unsigned_number(count_);
    packed.text(deflate_bytes(std::as_bytes(std::span(bytes_)), kLevel));
    return std::move(count).take() + std::move(heads_).take() + std::move(packed).take();
}

std::string encode_kept(const Analysis& analysis, const Answer& answer) {
    Answer kept;
    for (const NamedTable& named : answer.tables) kept.tables.push_back({named.name, without_events(named.table)});
    kept.excluded = answer.excluded;
    AnswerWriter writer;
    ByteWriter known, out;
    writer.write(known, empty_answer(analysis));
    writer.write(out, kept);
    return std::move(out).take();
}

std::uint64_t schema_of(const Analysis& analysis) {
    ByteWriter known;
    AnswerWriter().write(known, empty_answer(analysis));
    const std::string bytes = std::move(known).take();
    return checksum(std::as_bytes(std::span(bytes)));
}

Result<Answer> decode_kept(const Analysis& analysis, std::string_view bytes) {
    ByteWriter known;
    AnswerWriter().write(known, empty_answer(analysis));
    const std::string primer = std::move(known).take();
    AnswerReader reader;
    ByteReader first(primer), in(bytes);
    (void)reader.read(first).has_value();
    Result<Answer> answer = reader.read(in);
    if (!answer || !in.at_end() || answer->tables.empty() || names_events(*answer))
        return bad_input("the summary's answer is damaged");
    if (answer->main().columns() != analysis.columns() || !has_declared_tables(analysis, *answer))
        return bad_input("the summary's answer has other columns: write it again with `lockstep index`");
    return answer;
}

bool is_of_ranks(const FilterTerm& term) {
    return std::holds_alternative<RankTerm>(term.what) || std::holds_alternative<CaptureTerm>(term.what);
}

std::string key_of(const Analysis& analysis, Filter filter) {
    std::erase_if(filter.terms, is_of_ranks);
    return std::string(analysis.id) + (filter.empty() ? "" : " " + format_filter(filter));
}

bool is_kept_of_rank(const Analysis& analysis) {
    return analysis.in_summary == InSummary::OfRank || analysis.in_summary == InSummary::OfRankAndSteps;
}

}  // namespace core
