#include "core/analysis/partials/summary_answers.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/partials/answer_bytes.hpp"
#include "core/base/checksum.hpp"
#include "core/base/deflate.hpp"
#include "core/base/format.hpp"
#include "core/index/summary_rank.hpp"
#include "core/query/filter_text.hpp"

#include <algorithm>
#include <span>

namespace core {
namespace {

// More of one rank and analysis is left out: what a summary may take of a rank is bounded.
constexpr std::size_t kMostBytesOfRank = std::size_t{32} << 10;
constexpr std::size_t kMostBytesOfRun = std::size_t{64} << 20;

bool is_kept_of_rank(const Analysis& analysis) {
    return analysis.in_summary == InSummary::OfRank || analysis.in_summary == InSummary::OfRankAndSteps;
}

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

std::string encode(const Analysis& analysis, const Answer& answer) {
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

Result<Answer> decode(const Analysis& analysis, std::string_view bytes) {
    ByteWriter known;
    AnswerWriter().write(known, empty_answer(analysis));
    const std::string primer = std::move(known).take();
    AnswerReader reader;
    ByteReader first(primer), in(bytes);
    (void)reader.read(first).has_value();
    Result<Answer> answer = reader.read(in);
    if (!answer || !in.at_end() || answer->tables.empty() || names_events(*answer))
        return bad_input("the summary's answer is damaged");
    if (answer->main().columns() != analysis.columns())
        return bad_input("the summary's answer has other columns: write it again with `lockstep index`");
    return answer;
}

// Kept answers: how many there are, then the id, schema and size of each, then all of them in this order, packed. So
// one can see whether there is one without unpacking.
struct KeptAnswer {
    std::uint64_t schema = 0;
    std::uint64_t offset = 0;  // unpacked
    std::uint64_t size = 0;
    std::uint64_t all = 0;  // bytes, unpacked
    std::string_view packed;

    // Absent: damaged.
    std::optional<std::string> read() const {
        constexpr std::uint64_t kMostBytes = std::uint64_t{512} << 20;
        if (all > kMostBytes || all / kMostDeflateRatio > packed.size()) return std::nullopt;
        std::string raw(all, '\0');
        const bool whole = inflate_bytes(std::as_bytes(std::span(packed)), std::as_writable_bytes(std::span(raw)));
        return whole ? std::optional(raw.substr(offset, size)) : std::nullopt;
    }
};
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

class KeptWriter {
public:
    void add(std::string_view id, std::uint64_t schema, std::string_view bytes) {
        heads_.text(id);
        heads_.unsigned_number(schema);
        heads_.unsigned_number(bytes.size());
        bytes_ += bytes;
        ++count_;
    }
    std::size_t size() const { return bytes_.size(); }
    std::string take() {
        constexpr int kLevel = 6;
        ByteWriter count, packed;
        count.unsigned_number(count_);
        packed.text(deflate_bytes(std::as_bytes(std::span(bytes_)), kLevel));
        return std::move(count).take() + std::move(heads_).take() + std::move(packed).take();
    }

private:
    ByteWriter heads_;
    std::string bytes_;
    std::uint64_t count_ = 0;
};

bool is_of_ranks(const FilterTerm& term) {
    return std::holds_alternative<RankTerm>(term.what) || std::holds_alternative<CaptureTerm>(term.what);
}

bool is_of_all_events(const Filter& filter) { return std::ranges::all_of(filter.terms, is_of_ranks); }

std::string steps_too(const Analysis& analysis) {
    return analysis.in_summary == InSummary::OfRankAndSteps
               ? ", or for one of its first steps: step:N and ranks can be chosen"
               : ": ranks can be chosen";
}

// Key of a kept answer; its filter is without ranks, which choose among the kept ones.
std::string key_of(const Analysis& analysis, Filter filter) {
    std::erase_if(filter.terms, is_of_ranks);
    return std::string(analysis.id) + (filter.empty() ? "" : " " + format_filter(filter));
}

// False if cancelled. What cannot be kept is left out.
bool add_partial(const RankView& view, const Analysis& analysis, KeptWriter& kept, const JobContext& context) {
    const Result<Params> params = make_params(analysis, {});
    const Result<Partial> partial = analysis.rank(view, *params, context);
    if (context.cancelled()) return false;
    if (!partial || partial->tables.size() != 1 || !partial->series.empty()) return true;
    const std::string bytes = encode(analysis, *partial);
    if (bytes.size() <= kMostBytesOfRank) kept.add(key_of(analysis, *view.filter), schema_of(analysis), bytes);
    return true;
}

bool is_whole(const Run& run) {
    return std::ranges::all_of(run.ranks(), [&](const RankSlot& rank) {
        const SummaryFacts* const facts = summary_of(rank.trace());
        return facts && facts->ranks == run.ranks().size();
    });
}

Result<std::string> encode_answers(std::span<const SummaryText> texts, const JobContext& context,
                                   const std::function<Result<Answer>(const Analysis&, const Params&)>& answer_of) {
    KeptWriter kept;
    for (const SummaryText& text : texts) kept.add(text.id, 0, text.bytes);
    for (const Analysis* const analysis : analyses_of_run()) {
        const Result<Params> params = make_params(*analysis, {});
        const Result<Answer> answer = answer_of(*analysis, *params);
        if (context.cancelled()) return cancelled_error();
        if (!answer || !answer->series.empty()) continue;
        const std::string bytes = encode(*analysis, *answer);
        if (bytes.size() <= kMostBytesOfRun) kept.add(analysis->id, schema_of(*analysis), bytes);
    }
    return kept.take();
}

Error refuse(const Run& run, const std::string& why) {
    return {ErrorCode::NotFound, run.name() + ": a run summary " + why + ": open the run's traces or index files"};
}

std::string_view kept_bytes(const Run& run, std::size_t slot, InSummary use) {
    return use == InSummary::OfRun ? answers_of_run(run) : answers_of_rank(run.rank(slot).trace());
}

std::optional<Error> refuse_kept(const Run& run, const Analysis& analysis, const Filter& filter, InSummary use) {
    const std::string id(analysis.id);
    const std::uint64_t damaged = count_damaged_ranks(run);
    if (use == InSummary::OfRun && filter.empty() && damaged > 0)
        return Error{ErrorCode::NotFound, run.name() + ": " + format_plural(damaged, "rank", "ranks") +
                                              " of the run summary " + (damaged == 1 ? "is" : "are") +
                                              " damaged, and " + id +
                                              " is of all ranks together: copy the summary again"};
    if (use == InSummary::OfRun && (!filter.empty() || !is_whole(run)))
        return refuse(run, "keeps " + id + " for all of its ranks together, without a filter");
    const std::uint64_t schema = schema_of(analysis);
    for (std::size_t slot = 0; slot < run.ranks().size(); ++slot) {
        if (!filter.accepts_rank(run.rank(slot).key)) continue;
        if (!is_as_summarised(run, slot))
            return refuse(run, "keeps " + id + " for the clocks and ranks that it was written with (--clocks auto)");
        if (use == InSummary::OfRun && slot > 0) continue;
        const std::optional<KeptAnswer> kept = find_kept(kept_bytes(run, slot, use), key_of(analysis, filter));
        if (!kept && is_of_all_events(filter))
            return refuse(run, "does not keep " + id + " of this run, as it is too large or could not be made");
        if (!kept) return refuse(run, "has " + id + " for all events only" + steps_too(analysis));
        if (kept->schema != schema) return refuse(run, "of another version does not keep " + id + " as it is now");
    }
    return std::nullopt;
}

constexpr std::size_t kFewRanks = 16;

Run first_ranks_of(const Run& run) {
    RunParts parts = run.parts();
    parts.ranks.resize(kFewRanks);
    parts.pages = nullptr;
    return Run(std::move(parts));
}

// Whether the tables of `answer` are those of `known`; one that it does not have is like its main one.
bool knows_tables(const Answer& known, const Answer& answer) {
    return std::ranges::all_of(answer.tables, [&](const NamedTable& named) {
        const Table* const same = known.find(named.name);
        return named.table.columns() == (same ? *same : known.main()).columns();
    });
}

}  // namespace

Result<std::string> encode_answers_of_rank(const Run& run, std::size_t slot, std::span<const std::int64_t> steps,
                                           std::size_t step_bytes, const JobContext& context) {
    KeptWriter kept;
    const Filter all;
    const Result<RankView> whole = build_rank_view(run, slot, all, context);
    if (!whole) return whole.error();
    for (const Analysis& analysis : all_analyses()) {
        if (is_kept_of_rank(analysis) && !add_partial(*whole, analysis, kept, context)) return cancelled_error();
    }
    const std::size_t most = kept.size() + step_bytes;
    for (const std::int64_t number : steps) {
        if (kept.size() >= most) break;
        const Filter of_step{{{.negated = false, .what = StepTerm{.complete = false, .numbers = {{number, number}}}}}};
        const Result<RankView> view = build_rank_view(run, slot, of_step, context);
        if (!view) return view.error();
        for (const Analysis& analysis : all_analyses()) {
            const bool is_of_step = analysis.in_summary == InSummary::OfRankAndSteps;
            if (is_of_step && !add_partial(*view, analysis, kept, context)) return cancelled_error();
        }
    }
    return kept.take();
}

std::vector<const Analysis*> analyses_of_run() {
    std::vector<const Analysis*> analyses;
    for (const Analysis& analysis : all_analyses())
        if (analysis.in_summary == InSummary::OfRun) analyses.push_back(&analysis);
    return analyses;
}

Result<std::string> encode_answers_of_run(const Run& run, unsigned threads, std::span<const SummaryText> texts,
                                          const JobContext& context) {
    return encode_answers(texts, context, [&](const Analysis& analysis, const Params& params) {
        return run_analysis(analysis, run, {}, params, threads, context);
    });
}

Result<std::string> encode_answers_of_run(const Run& run, unsigned threads, std::span<const SummaryText> texts,
                                          PartialsSource& source, const JobContext& context) {
    return encode_answers(texts, context, [&](const Analysis& analysis, const Params& params) {
        return run_analysis(analysis, run, {}, params, threads, source, context);
    });
}

std::string text_of_summary(const Run& run, std::string_view id) {
    const std::optional<KeptAnswer> kept = find_kept(answers_of_run(run), id);
    return kept ? kept->read().value_or("") : "";
}

namespace summary {

std::optional<Error> find_refusal(const Run& run, const Analysis& analysis, const Filter& filter,
                                  const Params& params) {
    if (!is_summary(run)) return std::nullopt;
    const std::string id(analysis.id);
    const InSummary use = analysis.in_summary;
    if (use == InSummary::Nothing) return needs_events(run, "which " + id + " is computed from");
    if (use == InSummary::Computed && !is_of_all_events(filter))
        return refuse(run, "has " + id + " for all events only" + steps_too(analysis));
    if (use == InSummary::Computed) return std::nullopt;
    const Result<Params> standard = make_params(analysis, {});
    if (!standard || *standard != params) return refuse(run, "keeps " + id + " for its standard parameters");
    return refuse_kept(run, analysis, filter, use);
}

std::optional<Result<Partial>> find_partial(const Run& run, std::size_t slot, const Analysis& analysis,
                                            const Filter& filter) {
    const RankTrace& trace = run.rank(slot).trace();
    if (!summary_of(trace) || !is_kept_of_rank(analysis)) return std::nullopt;
    const std::optional<KeptAnswer> kept = find_kept(answers_of_rank(trace), key_of(analysis, filter));
    if (!kept) return Result<Partial>(needs_events(run, "which " + std::string(analysis.id) + " is computed from"));
    const std::optional<std::string> bytes = kept->read();
    Result<Answer> partial =
        bytes ? decode(analysis, *bytes) : Result<Answer>(bad_input("the summary's answers are damaged"));
    if (partial && partial->tables.size() != 1) return Result<Partial>(bad_input("the summary's answer is damaged"));
    return partial;
}

std::optional<Result<Answer>> find_answer(const Run& run, const Analysis& analysis,
                                          const std::function<Result<Answer>(const Run&)>& compute) {
    if (analysis.in_summary != InSummary::OfRun || !is_summary(run)) return std::nullopt;
    const std::optional<KeptAnswer> kept = find_kept(answers_of_run(run), analysis.id);
    if (!kept) return Result<Answer>(needs_events(run, "which " + std::string(analysis.id) + " is computed from"));
    const std::optional<std::string> bytes = kept->read();
    if (!bytes) return Result<Answer>(bad_input("the summary's answers are damaged"));
    Result<Answer> answer = decode(analysis, *bytes);
    if (!answer || answer->tables.size() == 1) return answer;
    // Few ranks have the tables that all have, but for some that need more to be told.
    if (run.ranks().size() > kFewRanks) {
        const Result<Answer> few = compute(first_ranks_of(run));
        if (few && knows_tables(*few, *answer)) return answer;
    }
    const Result<Answer> computed = compute(run);
    if (!computed) return Result<Answer>(computed.error());
    if (knows_tables(*computed, *answer)) return answer;
    return Result<Answer>(bad_input("the summary's answer has other columns: write it again with `lockstep index`"));
}

}  // namespace summary
}  // namespace core
