#include "core/analysis/run/write_summary_answers.hpp"

#include "core/analysis/run/kept_answers.hpp"

#include <functional>

namespace core {
namespace {

// More of one rank and analysis is left out: what a summary may take of a rank is bounded.
constexpr std::size_t kMostBytesOfRank = std::size_t{32} << 10;
constexpr std::size_t kMostBytesOfRun = std::size_t{64} << 20;

// False if cancelled. What cannot be kept is left out.
bool add_partial(const RankView& view, const Analysis& analysis, KeptWriter& kept, const JobContext& context) {
    const Result<Params> params = make_params(analysis, {});
    const Result<Partial> partial = analysis.rank(view, *params, context);
    if (context.cancelled()) return false;
    if (!partial || partial->tables.size() != 1 || !partial->series.empty()) return true;
    const std::string bytes = encode_kept(analysis, *partial);
    if (bytes.size() <= kMostBytesOfRank) kept.add(key_of(analysis, *view.filter), schema_of(analysis), bytes);
    return true;
}

Result<std::string> encode_answers(std::span<const Analysis> all, std::span<const SummaryText> texts,
                                   const JobContext& context,
                                   const std::function<Result<Answer>(const Analysis&, const Params&)>& answer_of) {
    KeptWriter kept;
    for (const SummaryText& text : texts) kept.add(text.id, 0, text.bytes);
    for (const Analysis* const analysis : analyses_of_run(all)) {
        const Result<Params> params = make_params(*analysis, {});
        const Result<Answer> answer = answer_of(*analysis, *params);
        if (context.cancelled()) return cancelled_error();
        if (!answer || !answer->series.empty()) continue;
        const std::string bytes = encode_kept(*analysis, *answer);
        if (bytes.size() <= kMostBytesOfRun) kept.add(analysis->id, schema_of(*analysis), bytes);
    }
    return kept.take();
}

}  // namespace

Result<std::string> encode_answers_of_rank(std::span<const Analysis> analyses, const Run& run, std::size_t slot,
                                           std::span<const std::int64_t> steps, std::size_t step_bytes,
                                           const JobContext& context) {
    KeptWriter kept;
    const Filter all;
    const Result<RankView> whole = build_rank_view(run, slot, all, context);
    if (!whole) return whole.error();
    for (const Analysis& analysis : analyses) {
        if (is_kept_of_rank(analysis) && !add_partial(*whole, analysis, kept, context)) return cancelled_error();
    }
    const std::size_t most = kept.size() + step_bytes;
    for (const std::int64_t number : steps) {
        if (kept.size() >= most) break;
        const Filter of_step{{{.negated = false, .what = StepTerm{.complete = false, .numbers = {{number, number}}}}}};
        const Result<RankView> view = build_rank_view(run, slot, of_step, context);
        if (!view) return view.error();
        for (const Analysis& analysis : analyses) {
            const bool is_of_step = analysis.in_summary == InSummary::OfRankAndSteps;
            if (is_of_step && !add_partial(*view, analysis, kept, context)) return cancelled_error();
        }
    }
    return kept.take();
}

std::vector<const Analysis*> analyses_of_run(std::span<const Analysis> all) {
    std::vector<const Analysis*> analyses;
    for (const Analysis& analysis : all)
        if (analysis.in_summary == InSummary::OfRun) analyses.push_back(&analysis);
    return analyses;
}

Result<std::string> encode_answers_of_run(std::span<const Analysis> analyses, const Run& run, unsigned threads,
                                          std::span<const SummaryText> texts, const JobContext& context) {
    return encode_answers(analyses, texts, context, [&](const Analysis& analysis, const Params& params) {
        return run_analysis(analysis, run, {}, params, threads, context);
    });
}

Result<std::string> encode_answers_of_run(std::span<const Analysis> analyses, const Run& run, unsigned threads,
                                          std::span<const SummaryText> texts, PartialsSource& source,
                                          const JobContext& context) {
    return encode_answers(analyses, texts, context, [&](const Analysis& analysis, const Params& params) {
        return run_analysis(analysis, run, {}, params, threads, source, context);
    });
}

}  // namespace core
