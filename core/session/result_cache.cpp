#include "core/session/result_cache.hpp"

#include "core/analysis/engine/scope.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "core/analysis/run/stored_answers.hpp"
#include "core/base/executor.hpp"
#include "core/index/summary_rank.hpp"
#include "core/query/filter_text.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <ranges>
#include <unordered_map>

namespace core {
namespace {

constexpr std::uint64_t kLetGoFrames = 3;
constexpr std::uint64_t kSweepFrames = 32;
constexpr std::size_t kEntryBytes = 512;  // overhead per entry

class KeyText {
public:
    template <class T>
    KeyText& add(const T& number) {
        static_assert(std::is_trivially_copyable_v<T>);
        text_.append(reinterpret_cast<const char*>(&number), sizeof number);
        return *this;
    }
    KeyText& add_address(const void* address) { return add(reinterpret_cast<std::uintptr_t>(address)); }
    KeyText& add_text(std::string_view text) {
        add(text.size());
        text_ += text;
        return *this;
    }
    std::string take() { return std::move(text_); }

private:
    std::string text_;
};

// The index's address identifies rank and rules; its weak pointer tells whether the address was
// reused.
struct SelectionEntry {
    std::weak_ptr<const RankIndex> index;
    std::mutex building;
    std::atomic<bool> ready{false};
    SelectionPtr selection;               // written once, under `building`, before ready
    std::uint64_t last_asked = 0;

    Result<SelectionPtr> ensure(const Run& run, std::size_t slot, const Filter& filter, const JobContext& context) {
        const std::lock_guard lock(building);
        if (selection) return selection;
        Result<SelectionPtr> built = Selection::build(run, slot, filter, context);
        if (!built) return built;
        selection = *built;
        ready.store(true, std::memory_order_release);
        return selection;
    }
    std::size_t bytes() const {
        if (!ready.load(std::memory_order_acquire)) return kEntryBytes;
        // Sizes of the selection's own events, partition and bits; 0 without a filter.
        const RankIndexPtr alive = index.lock();
        if (!alive) return kEntryBytes;
        const bool own = selection->gpu_events().data() != alive->trace().gpu_events.data();
        return kEntryBytes + (own ? (selection->gpu_events().size() + selection->window_events().size()) * 48 +
                                        alive->trace().size() / 4
                                  : 0);
    }
};
using SelectionEntryPtr = std::shared_ptr<SelectionEntry>;

struct PartialEntry {
    std::weak_ptr<const RankIndex> index;
    Job<Partial> job;
    std::uint64_t last_asked = 0;
    std::size_t bytes = 0;                // set once finished
};
using PartialEntryPtr = std::shared_ptr<PartialEntry>;

struct AnswerEntry {
    const Analysis* analysis = nullptr;
    RunPtr run;                           // released when done
    Filter filter;
    Params params;
    std::shared_ptr<StoredAnswers> stored;  // null: this answer is not stored
    Job<AnswerPtr> look_up;  // in these, before anything is computed; null answer: not there
    std::chrono::steady_clock::time_point begun{};  // to compute
    std::vector<PartialEntryPtr> partials;
    std::uint64_t other_captures = 0;     // left out
    Job<Answer> merge;  // of a summary: all of it
    AnswerPtr answer;
    std::string error;
    std::string scope;
    bool done = false;
    double progress = 0;
    std::uint64_t last_asked = 0;
    std::size_t bytes = 0;
};
using AnswerEntryPtr = std::shared_ptr<AnswerEntry>;

struct Slot {
    std::string key;
    AnswerPtr last;
    std::uint64_t last_asked = 0;
};

// Entries are held here, so eviction spares them as long as they are asked for.
struct SelectionSlot {
    std::string key;
    std::vector<SelectionEntryPtr> entries;
    std::vector<Job<SelectionPtr>> jobs;
    std::uint64_t last_asked = 0;
    bool is_done() const {
        return std::ranges::all_of(jobs, [](const Job<SelectionPtr>& job) { return job.poll() != nullptr; });
    }
};

double share_done(const Progress& progress) {
    const auto total = progress.total.load(std::memory_order_relaxed);
    const auto done = progress.done.load(std::memory_order_relaxed);
    return total == 0 ? 0.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
}

// A filter that asks for matches depends on the run as well as the rank.
std::uint64_t run_in_key(const Run& run, const Filter& filter) { return filter.needs_matches() ? run.id() : 0; }

std::string selection_key(const Run& run, std::size_t slot, const Filter& filter) {
    return KeyText()
        .add_address(run.rank(slot).index.get())
        .add(run_in_key(run, filter))
        .add_text(format_filter(filter.without_time_and_rank()))
        .take();
}

}  // namespace

struct ResultCache::Impl {
    JobPool& pool;
    std::size_t budget;
    std::uint64_t frame = 1;
    std::size_t kept_bytes = 0;
    std::unordered_map<std::uint64_t, Slot> slots;
    std::unordered_map<std::uint64_t, SelectionSlot> selection_slots;
    std::unordered_map<std::string, AnswerEntryPtr> answers;
    std::unordered_map<std::string, PartialEntryPtr> partials;
    std::unordered_map<std::string, SelectionEntryPtr> selections;
    std::vector<std::string> open_partials;   // keys of partials not yet counted as finished

    SelectionEntryPtr selection_entry(const Run& run, std::size_t slot, const Filter& filter) {
        const RankSlot& rank = run.rank(slot);
        SelectionEntryPtr& entry = selections[selection_key(run, slot, filter)];
        if (!entry || entry->index.lock() != rank.index) {
            entry = std::make_shared<SelectionEntry>();
            entry->index = rank.index;
        }
        entry->last_asked = frame;
        return entry;
    }

    PartialEntryPtr partial_entry(const Analysis& analysis, const RunPtr& run, std::size_t slot, const Filter& filter,
                                  const Params& params) {
        const RankSlot& rank = run->rank(slot);
        KeyText text;
        // Inputs of a rank's partial besides the rank: its number, its slot (series and marks name
        // it), its clock and the run's origin.
        text.add_address(rank.index.get())
            .add(rank.key.packed())
            .add(slot)
            .add(rank.clock.offset.count())
            .add(rank.clock.drift);
        text.add(ns_of(rank.clock.reference)).add(ns_of(run->origin())).add_text(analysis.id);
        for (const std::int64_t value : params) text.add(value);
        text.add(analysis.of_run ? run->id() : run_in_key(*run, filter));
        text.add_text(format_filter(filter));
        std::string key = text.take();
        PartialEntryPtr& entry = partials[key];
        if (entry && entry->index.lock() == rank.index) {
            entry->last_asked = frame;
            return entry;
        }
        if (entry) kept_bytes -= entry->bytes;
        entry = std::make_shared<PartialEntry>();
        entry->index = rank.index;
        entry->last_asked = frame;
        entry->job = start_partial(analysis, run, slot, filter, params);
        open_partials.push_back(std::move(key));
        return entry;
    }

    Job<Partial> start_partial(const Analysis& analysis, const RunPtr& run, std::size_t slot, const Filter& filter,
                               const Params& params) {
        return Job<Partial>::start(
            pool,
            [&analysis, run, slot, filter, params,
             selection = selection_entry(*run, slot, filter)](const JobContext& context) -> Result<Partial> {
                Result<SelectionPtr> chosen = selection->ensure(*run, slot, filter.without_time_and_rank(), context);
                if (!chosen) return std::move(chosen).error();
                return analysis.rank(view_rank(*run, slot, filter, *chosen), params, context);
            });
    }

    void start_selections(SelectionSlot& wanted, const RunPtr& run, const Filter& filter) {
        wanted.entries.clear();
        wanted.jobs.clear();
        // Last rank first, as in make_answer.
        for (std::size_t slot = run->ranks().size(); slot-- > 0;) {
            if (!filter.accepts_rank(run->rank(slot).key)) continue;
            SelectionEntryPtr entry = selection_entry(*run, slot, filter);
            wanted.entries.push_back(entry);
            if (entry->ready.load(std::memory_order_acquire)) continue;
            wanted.jobs.push_back(Job<SelectionPtr>::start(pool, [run, slot, filter, entry](const JobContext& context) {
                return entry->ensure(*run, slot, filter.without_time_and_rank(), context);
            }));
        }
    }

    // No rank of a summary arrives later, and its answers are kept with it: nothing is gained by a share for each rank.
    Job<Answer> start_whole(const Analysis& analysis, const RunPtr& run, const Filter& filter, const Params& params) {
        return Job<Answer>::start(pool, [&analysis, run, filter, params](const JobContext& context) {
            return run_analysis(analysis, *run, filter, params, Executor::instance().threads(), context);
        });
    }

    AnswerEntryPtr make_answer(const Analysis& analysis, const RunPtr& run, const Filter& filter,
                               const Params& params) {
        auto entry = std::make_shared<AnswerEntry>();
        entry->analysis = &analysis;
        entry->run = run;
        entry->params = params;
        entry->filter = filter;
        if (is_summary(*run))
            entry->merge = start_whole(analysis, run, filter, params);
        else if (entry->stored = stored_answers_of(*run, analysis, filter, params); entry->stored)
            entry->look_up = start_look_up(*entry);
        else
            start_partials(*entry);
        return entry;
    }

    Job<AnswerPtr> start_look_up(const AnswerEntry& entry) {
        return Job<AnswerPtr>::start(
            pool, [analysis = entry.analysis, run = entry.run, stored = entry.stored](const JobContext&) {
                std::optional<Answer> found = stored->find(*run, *analysis);
                return Result<AnswerPtr>(found ? std::make_shared<const Answer>(*std::move(found)) : nullptr);
            });
    }

    void start_partials(AnswerEntry& entry) {
        entry.begun = std::chrono::steady_clock::now();
        if (entry.analysis->rank == nullptr) return;
        // Submitted last rank first: the pool takes the newest work first, so the first rank
        // finishes first.
        const ComparedSlots compared = slots_of(*entry.analysis, *entry.run, entry.filter);
        entry.other_captures = compared.left_out;
        for (const std::size_t slot : compared.slots | std::views::reverse)
            entry.partials.push_back(partial_entry(*entry.analysis, entry.run, slot, entry.filter, entry.params));
        std::ranges::reverse(entry.partials);
    }

    void finish(AnswerEntry& entry, AnswerPtr answer, std::string error) {
        entry.answer = std::move(answer);
        entry.error = std::move(error);
        entry.done = true;
        entry.progress = 1;
        entry.run = nullptr;
        entry.stored = nullptr;
        entry.look_up = {};
        entry.partials.clear();
        entry.merge = {};
        entry.bytes = kEntryBytes + (entry.answer ? entry.answer->resident_bytes() : 0);
        kept_bytes += entry.bytes;
    }

    // Polls the entry's jobs; starts the merge once every rank is done.
    void advance(AnswerEntry& entry) {
        if (entry.done) return;
        if (entry.look_up) {
            const Result<AnswerPtr>* const found = entry.look_up.poll();
            if (!found) return;
            if (*found && **found) return finish(entry, **found, {});
            entry.look_up = {};
            start_partials(entry);
        }
        if (entry.merge) {
            if (const Result<Answer>* merged = entry.merge.poll()) {
                if (*merged)
                    finish(entry, std::make_shared<const Answer>(**merged), {});
                else
                    finish(entry, nullptr, merged->error().message);
            } else {
                entry.progress = std::max(entry.progress, 0.95 * share_done(entry.merge.progress()));
            }
            return;
        }
        double done = 0;
        bool all = true;
        for (const PartialEntryPtr& partial : entry.partials) {
            const Result<Partial>* result = partial->job.poll();
            if (result && !*result) return finish(entry, nullptr, result->error().message);
            all = all && result;
            done += result ? 1.0 : share_done(partial->job.progress());
        }
        entry.progress = 0.95 * done / static_cast<double>(std::max<std::size_t>(1, entry.partials.size()));
        if (all) entry.merge = start_merge(entry);
    }

    Job<Answer> start_merge(const AnswerEntry& entry) {
        return Job<Answer>::start(
            pool,
            [analysis = entry.analysis, run = entry.run, params = entry.params, partials = entry.partials,
             other_captures = entry.other_captures, stored = entry.stored,
             begun = entry.begun](const JobContext& context) -> Result<Answer> {
                std::vector<const Partial*> parts;
                for (const PartialEntryPtr& partial : partials) parts.push_back(&**partial->job.poll());
                Result<Answer> answer = merge_partials(*analysis, parts, *run, params, context);
                if (answer) add_other_captures(*answer, other_captures);
                if (answer && stored && std::chrono::steady_clock::now() - begun >= kLeastToStore)
                    stored->store(*run, *analysis, *answer);
                return answer;
            });
    }

    void drop_if_unwanted(const std::string& key) {
        const auto found = answers.find(key);
        if (found == answers.end() || found->second->done) return;
        for (const auto& [id, slot] : slots)
            if (slot.key == key) return;
        answers.erase(found);
        drop_unwanted_partials();
    }

    // Drops unfinished partials that no answer waits for; releasing the job stops it.
    void drop_unwanted_partials() {
        std::erase_if(open_partials, [&](const std::string& key) {
            const auto found = partials.find(key);
            if (found == partials.end()) return true;
            PartialEntry& entry = *found->second;
            if (const Result<Partial>* result = entry.job.poll()) {
                entry.bytes = kEntryBytes + (*result ? (*result)->resident_bytes() : 0);
                kept_bytes += entry.bytes;
                return true;
            }
            if (found->second.use_count() > 1) return false;
            partials.erase(found);
            return true;
        });
    }

    void forget_closed_ranks();
    void evict();
};

// A rank is closed when only our own selections hold it.
void ResultCache::Impl::forget_closed_ranks() {
    std::unordered_map<const RankIndex*, long> held;
    for (const auto& [key, entry] : selections)
        if (entry->ready.load(std::memory_order_acquire)) ++held[entry->index.lock().get()];
    std::erase_if(selections, [&](const auto& item) {
        const RankIndexPtr index = item.second->index.lock();
        return !index || index.use_count() - 1 <= held[index.get()];
    });
    std::erase_if(partials, [&](const auto& item) {
        const bool gone = item.second->bytes > 0 && item.second->index.expired();
        if (gone) kept_bytes -= item.second->bytes;
        return gone;
    });
}

// Evicts the least recently requested entries down to 90 % of the budget, never those of this
// frame.
void ResultCache::Impl::evict() {
    std::size_t selection_bytes = 0;
    for (const auto& [key, entry] : selections) selection_bytes += entry->bytes();
    if (kept_bytes + selection_bytes <= budget) return;

    enum class Kind { Result, OfRank, Chosen };
    struct Candidate {
        std::uint64_t last_asked;
        Kind kind;
        const std::string* key;
        std::size_t bytes;
    };
    std::vector<Candidate> candidates;
    for (const auto& [key, entry] : answers)
        if (entry->done && entry->last_asked + 1 < frame)
            candidates.push_back(
                {.last_asked = entry->last_asked, .kind = Kind::Result, .key = &key, .bytes = entry->bytes});
    for (const auto& [key, entry] : partials)
        if (entry->bytes > 0 && entry.use_count() == 1)
            candidates.push_back(
                {.last_asked = entry->last_asked, .kind = Kind::OfRank, .key = &key, .bytes = entry->bytes});
    for (const auto& [key, entry] : selections)
        if (entry.use_count() == 1 && entry->last_asked + 1 < frame)
            candidates.push_back(
                {.last_asked = entry->last_asked, .kind = Kind::Chosen, .key = &key, .bytes = entry->bytes()});
    std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
        return a.last_asked != b.last_asked ? a.last_asked < b.last_asked : a.kind > b.kind;
    });
    std::size_t total = kept_bytes + selection_bytes;
    for (const Candidate& candidate : candidates) {
        if (total <= budget / 10 * 9) break;
        total -= candidate.bytes;
        if (candidate.kind != Kind::Chosen) kept_bytes -= candidate.bytes;
        const std::string key = *candidate.key;
        if (candidate.kind == Kind::Result)
            answers.erase(key);
        else if (candidate.kind == Kind::OfRank)
            partials.erase(key);
        else
            selections.erase(key);
    }
}

ResultCache::ResultCache(JobPool& pool, std::size_t budget_bytes)
    : impl_(new Impl{.pool = pool,
                     .budget = budget_bytes,
                     .frame = 1,
                     .kept_bytes = 0,
                     .slots = {},
                     .selection_slots = {},
                     .answers = {},
                     .partials = {},
                     .selections = {},
                     .open_partials = {}}) {}
ResultCache::~ResultCache() = default;

Request ResultCache::request(std::uint64_t slot_id, const Analysis& analysis, const RunPtr& shown, const Filter& filter,
                             const Params& params) {
    Slot& slot = impl_->slots[slot_id];
    slot.last_asked = impl_->frame;
    const RunPtr run = shown && shown->summary() ? shown->summary() : shown;
    if (!run) return {.answer = slot.last, .fresh = false, .progress = 0, .error = "nothing is open"};
    KeyText text;
    text.add(run->id()).add_text(analysis.id);
    for (const std::int64_t value : params) text.add(value);
    std::string key = text.add_text(format_filter(filter)).take();
    AnswerEntryPtr& found = impl_->answers[key];
    if (!found) {
        found = impl_->make_answer(analysis, run, filter, params);
        found->scope = describe_scope(*run, analysis, filter);
    }
    const AnswerEntryPtr entry = found;
    entry->last_asked = impl_->frame;
    if (slot.key != key) {
        const std::string old = std::exchange(slot.key, std::move(key));
        impl_->drop_if_unwanted(old);
    }
    impl_->advance(*entry);
    if (entry->done && entry->answer) {
        slot.last = entry->answer;
        return {.answer = entry->answer, .fresh = true, .progress = 1, .error = {}, .scope = entry->scope};
    }
    return {
        .answer = slot.last, .fresh = false, .progress = entry->progress, .error = entry->error, .scope = entry->scope};
}

Request ResultCache::request_selection(std::uint64_t slot_id, const RunPtr& shown, const Filter& filter) {
    const RunPtr run = shown && shown->summary() ? shown->summary() : shown;
    if (!run) return {.answer = nullptr, .fresh = false, .progress = 0, .error = "nothing is open"};
    if (is_summary(*run)) return {.answer = nullptr, .fresh = true, .progress = 1, .error = {}};
    SelectionSlot& slot = impl_->selection_slots[slot_id];
    slot.last_asked = impl_->frame;
    std::string key = KeyText().add(run->id()).add_text(format_filter(filter)).take();
    if (slot.key != key) {
        slot.key = std::move(key);
        impl_->start_selections(slot, run, filter);
    }
    // Each job is polled once: one that ends meanwhile is not both done and without progress.
    double left = 0;
    bool done = true;
    for (const Job<SelectionPtr>& job : slot.jobs) {
        const Result<SelectionPtr>* built = job.poll();
        if (built && !*built)
            return {.answer = nullptr, .fresh = false, .progress = 1, .error = built->error().message};
        done = done && built;
        if (!built) left += 1 - share_done(job.progress());
    }
    const double all = static_cast<double>(std::max<std::size_t>(1, slot.entries.size()));
    return {.answer = nullptr, .fresh = done, .progress = 1 - left / all, .error = {}};
}

SelectionPtr ResultCache::find_selection(const RunPtr& run, std::size_t rank_slot, const Filter& filter) const {
    if (!run) return nullptr;
    const RankSlot& rank = run->rank(rank_slot);
    const auto found = impl_->selections.find(selection_key(*run, rank_slot, filter));
    if (found == impl_->selections.end() || found->second->index.lock() != rank.index) return nullptr;
    found->second->last_asked = impl_->frame;
    return found->second->ready.load(std::memory_order_acquire) ? found->second->selection : nullptr;
}

void ResultCache::end_frame() {
    ++impl_->frame;
    std::vector<std::string> left;
    std::erase_if(impl_->slots, [&](const auto& item) {
        if (impl_->frame - item.second.last_asked <= kLetGoFrames) return false;
        left.push_back(item.second.key);
        return true;
    });
    for (const std::string& key : left) impl_->drop_if_unwanted(key);
    std::erase_if(impl_->selection_slots,
                  [&](const auto& item) { return impl_->frame - item.second.last_asked > kLetGoFrames; });
    impl_->drop_unwanted_partials();
    if (impl_->frame % kSweepFrames != 0 && impl_->kept_bytes <= impl_->budget) return;
    impl_->forget_closed_ranks();
    impl_->evict();
}

std::size_t ResultCache::running() const {
    const auto answers = std::ranges::count_if(impl_->answers, [](const auto& item) { return !item.second->done; });
    const auto selections =
        std::ranges::count_if(impl_->selection_slots, [](const auto& item) { return !item.second.is_done(); });
    return static_cast<std::size_t>(answers + selections);
}

std::size_t ResultCache::resident_bytes() const {
    std::size_t bytes = impl_->kept_bytes;
    for (const auto& [key, entry] : impl_->selections) bytes += entry->bytes();
    return bytes;
}

}  // namespace core
