#include "core/analysis/run/run_analysis.hpp"

#include "core/analysis/run/stored_answers.hpp"
#include "core/analysis/run/summary_answers.hpp"
#include "core/base/executor.hpp"

#include <algorithm>
#include <chrono>

namespace core {
namespace {

void add_excluded(std::vector<Excluded>& sum, const Excluded& more) {
    const auto it = std::ranges::find(sum, more.what, &Excluded::what);
    if (it == sum.end())
        sum.push_back(more);
    else
        it->count += more.count;
}

void append_tables(std::vector<NamedTable>& tables, const std::vector<NamedTable>& more) {
    for (const NamedTable& named : more) {
        const auto it = std::ranges::find(tables, named.name, &NamedTable::name);
        if (it == tables.end())
            tables.push_back(named);
        else
            it->table.append(named.table);
    }
}

Answer append_partials(const Analysis& analysis, std::span<const Partial* const> partials) {
    Answer answer;
    answer.tables.push_back({"main", Table(analysis.columns())});
    for (const Partial* partial : partials) {
        append_tables(answer.tables, partial->tables);
        answer.series.insert(answer.series.end(), partial->series.begin(), partial->series.end());
        answer.marks.insert(answer.marks.end(), partial->marks.begin(), partial->marks.end());
    }
    return answer;
}

PartialsSource* partials_source = nullptr;

}  // namespace

Result<Answer> merge_partials(const Analysis& analysis, std::span<const Partial* const> partials, const Run& run,
                              const Params& params, const JobContext& context) {
    Result<Answer> answer =
        analysis.merge ? analysis.merge(partials, run, params, context) : append_partials(analysis, partials);
    if (!answer) return answer;
    for (const Partial* partial : partials) {
        for (const Excluded& excluded : partial->excluded) add_excluded(answer->excluded, excluded);
    }
    return answer;
}

namespace {

Result<Answer> compute_answer(const Analysis& analysis, const Run& run, const Filter& filter, const Params& params,
                              unsigned threads, PartialsSource* source, const JobContext& context) {
    ComparedSlots compared = slots_of(analysis, run, filter);
    const PartialsTask task{.analysis = analysis,
                            .run = run,
                            .filter = filter,
                            .params = params,
                            .slots = std::move(compared.slots),
                            .threads = threads};
    Result<std::vector<Result<Partial>>> partials =
        source ? source->compute(task, context) : compute_partials(task, context);
    if (!partials) return std::move(partials).error();
    std::vector<const Partial*> finished;
    for (std::size_t place = 0; place < partials->size(); ++place) {
        Result<Partial>& partial = (*partials)[place];
        if (!partial) return std::move(partial).error().within("rank " + format_rank(run.rank(task.slots[place]).key));
        finished.push_back(&*partial);
    }
    Result<Answer> answer = merge_partials(analysis, finished, run, params, context);
    if (answer) add_other_captures(*answer, compared.left_out);
    return answer;
}

}  // namespace

std::vector<std::size_t> slots_of(const Run& run, const Filter& filter) {
    std::vector<std::size_t> slots;
    for (std::size_t slot = 0; slot < run.ranks().size(); ++slot)
        if (filter.accepts_rank(run.rank(slot).key)) slots.push_back(slot);
    return slots;
}

ComparedSlots slots_of(const Analysis& analysis, const Run& run, const Filter& filter) {
    std::vector<std::size_t> slots = slots_of(run, filter);
    if (analysis.one_capture) return choose_compared(run, std::move(slots));
    return {.slots = std::move(slots), .left_out = 0};
}

void add_other_captures(Answer& answer, std::uint64_t left_out) {
    if (left_out > 0) add_excluded(answer.excluded, {std::string(kOtherCaptures), left_out});
}

Result<Partial> compute_partial(const PartialsTask& task, std::size_t place, const JobContext& context) {
    if (std::optional<Result<Partial>> kept =
            summary::find_partial(task.run, task.slots[place], task.analysis, task.filter))
        return *std::move(kept);
    const Result<RankView> view = build_rank_view(task.run, task.slots[place], task.filter, context);
    if (!view) return view.error();
    return task.analysis.rank(*view, task.params, context);
}

std::vector<Result<Partial>> compute_partials(const PartialsTask& task, const JobContext& context) {
    std::vector<Result<Partial>> partials(task.slots.size(), cancelled_error());
    if (context.progress) context.progress->total = task.slots.size();
    Executor::instance().parallel_for(Priority::Answer, task.slots.size(), task.threads, [&](std::size_t place) {
        if (context.cancelled()) return;
        partials[place] = compute_partial(task, place, context);
        if (context.progress) ++context.progress->done;
    });
    return partials;
}

void set_partials_source(PartialsSource* source) { partials_source = source; }

namespace {

Result<Answer> find_or_compute(const Analysis& analysis, const Run& run, const Filter& filter, const Params& params,
                               unsigned threads, PartialsSource* source, const JobContext& context) {
    if (std::optional<Error> refusal = summary::find_refusal(run, analysis, filter, params)) return *std::move(refusal);
    if (std::optional<Result<Answer>> kept = summary::find_answer(run, analysis)) return *std::move(kept);
    const std::shared_ptr<StoredAnswers> stored = stored_answers_of(run, analysis, filter, params);
    if (stored)
        if (std::optional<Answer> answer = stored->find(run, analysis)) return *std::move(answer);
    const auto begin = std::chrono::steady_clock::now();
    Result<Answer> answer = compute_answer(analysis, run, filter, params, threads, source, context);
    if (stored && answer && std::chrono::steady_clock::now() - begin >= kLeastToStore)
        stored->store(run, analysis, *answer);
    return answer;
}

}  // namespace

Result<Answer> run_analysis(const Analysis& analysis, const Run& run, const Filter& filter, const Params& params,
                            unsigned threads, const JobContext& context) {
    return find_or_compute(analysis, run, filter, params, threads, partials_source, context);
}

Result<Answer> run_analysis(const Analysis& analysis, const Run& run, const Filter& filter, const Params& params,
                            unsigned threads, PartialsSource& source, const JobContext& context) {
    return find_or_compute(analysis, run, filter, params, threads, &source, context);
}

}  // namespace core
