#include "ui/model/go_to.hpp"

#include "core/base/ascii.hpp"
#include "core/base/format.hpp"
#include "core/query/filter_text.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace ui {
namespace {

constexpr std::int64_t kOfRun = 50;  // going to a time shows at most 1/50 of the run
constexpr core::Duration kLeastShown{1000};

std::vector<std::string> lower_words(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : text) {
        if (c == ' ') {
            if (!word.empty()) words.push_back(std::exchange(word, {}));
        } else {
            word += core::lower_ascii(c);
        }
    }
    if (!word.empty()) words.push_back(word);
    return words;
}

using StepRanges = std::unordered_map<std::int64_t, core::RunRange>;

StepRanges ranges_of_steps(const core::Run& run) {
    StepRanges ranges;
    for (const core::RankSlot& slot : run.ranks()) {
        for (const core::Step& step : slot.trace().steps) {
            const core::RunRange range = slot.to_run(step.range);
            const auto [at, fresh] = ranges.try_emplace(step.number, range);
            if (!fresh) at->second = {std::min(at->second.begin, range.begin), std::max(at->second.end, range.end)};
        }
    }
    return ranges;
}

core::RunTime middle_of(core::RunRange range) { return range.begin + range.length() / 2; }

core::EventRef first_event(const core::Run& run, std::uint32_t slot) {
    const core::RankTrace& trace = run.rank(slot).trace();
    if (trace.size() == 0) return {};
    return {slot, trace.gpu_events.empty() ? core::EventId{0} : trace.gpu_events.front()};
}

// A range of length `shown` around `middle`, which is moved into the run first.
core::RunRange range_around(const core::Run& run, core::RunTime middle, core::Duration shown) {
    const core::RunRange whole = run.window();
    const core::RunTime at = std::clamp(middle, whole.begin, std::max(whole.begin, whole.end));
    shown = std::clamp(shown, kLeastShown, std::max(whole.length(), kLeastShown));
    return {at - shown / 2, at + shown / 2};
}

// Collects destinations whose titles contain all words, each scored by its number of whole-word matches.
class DestinationFinder {
public:
    DestinationFinder(const core::Run& run, core::RunRange view, std::string_view text)
        : run_(run), view_(view), words_(lower_words(text)) {
        if (words_.size() == 1) add_time(words_.front());
    }

    void add_steps() {
        const StepRanges ranges = ranges_of_steps(run_);
        for (const auto& [number, range] : std::map<std::int64_t, core::RunRange>(ranges.begin(), ranges.end()))
            add({.title = "step " + std::to_string(number),
                 .note = core::format_duration(range.length()),
                 .range = range,
                 .reveal = {}});
    }
    void add_ranks() {
        for (std::uint32_t slot = 0; slot < run_.ranks().size(); ++slot) {
            const std::size_t events = run_.rank(slot).trace().size();
            if (events > 0)
                add({.title = name_of(slot),
                     .note = core::format_count(events) + " events",
                     .range = {},
                     .reveal = first_event(run_, slot)});
        }
    }
    void add_tracks(std::size_t most) {
        const std::size_t before = found_.size();
        for (std::uint32_t slot = 0; slot < run_.ranks().size() && found_.size() - before < most; ++slot) {
            const core::RankTrace& trace = run_.rank(slot).trace();
            for (const core::Track& track : trace.tracks) {
                const core::Lane* const lane = first_lane(trace, track);
                if (lane == nullptr) continue;
                add({.title = name_of(slot) + " \xC2\xB7 " + std::string(trace.text(track.name)),
                     .note = {},
                     .range = {},
                     .reveal = {slot, lane->first}});
            }
        }
    }
    std::vector<Destination> consume_best(std::size_t most) {
        std::ranges::stable_sort(found_, std::ranges::greater{}, &Scored::score);
        std::vector<Destination> destinations;
        for (Scored& one : found_) {
            if (destinations.size() == most) break;
            destinations.push_back(std::move(one.destination));
        }
        return destinations;
    }

private:
    struct Scored {
        std::size_t score;
        Destination destination;
    };

    std::string name_of(std::uint32_t slot) const { return "rank " + core::format_rank(run_.rank(slot).key); }

    // Rows of the lane may be empty.
    static const core::Lane* first_lane(const core::RankTrace& trace, const core::Track& track) {
        for (std::uint32_t i = 0; i < track.lane_count; ++i) {
            const core::Lane& lane = trace.lanes[track.first_lane + i];
            if (lane.first != lane.last) return &lane;
        }
        return nullptr;
    }

    void add_time(const std::string& word) {
        const char last = word.back();
        if (last >= '0' && last <= '9') return;  // a plain number means a step, rank or stream
        const core::Result<core::Duration> offset = core::parse_duration(word);
        if (!offset) return;
        const bool relative = word.front() == '+' || word.front() == '-';
        const core::RunTime from = relative ? middle_of(view_) : run_.origin();
        const core::Duration reach = run_.window().length();  // bounds the time, which also prevents overflow
        const core::RunRange range = range_around(run_, from + std::clamp(*offset, -reach, reach),
                                                  std::min(view_.length(), run_.window().length() / kOfRun));
        // A parsed time scores above any title.
        found_.push_back({words_.size() + 1,
                          {.title = core::format_duration_exact(middle_of(range) - run_.origin()),
                           .note = "from the start of the run",
                           .range = range,
                           .reveal = {}}});
    }

    void add(Destination destination) {
        const std::vector<std::string> title = lower_words(destination.title);
        std::size_t score = 0;
        for (const std::string& word : words_) {
            const auto has = [&](const std::string& part) { return part.find(word) != std::string::npos; };
            if (std::ranges::none_of(title, has)) return;
            if (std::ranges::find(title, word) != title.end()) ++score;
        }
        found_.push_back({score, std::move(destination)});
    }

    const core::Run& run_;
    core::RunRange view_;
    std::vector<std::string> words_;
    std::vector<Scored> found_;
};

}  // namespace

std::vector<Destination> find_destinations(const core::Run& run, core::RunRange view, std::string_view text,
                                           std::size_t most) {
    DestinationFinder finder(run, view, text);
    finder.add_steps();
    finder.add_ranks();
    finder.add_tracks(std::max<std::size_t>(most, 1) * 50);
    return finder.consume_best(most);
}

core::Result<Place> parse_place(std::string_view text) {
    Place place;
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const std::string_view part = rest.substr(0, comma);
        rest.remove_prefix(std::min(comma + 1, rest.size()));
        const std::size_t equals = part.find('=');
        const std::string_view key = part.substr(0, equals);
        const std::string_view value = equals == std::string_view::npos ? "" : part.substr(equals + 1);
        const auto refuse = [&](std::string_view expected) {
            return core::bad_input("'" + std::string(part) + "': expected " + std::string(expected));
        };
        const bool again = (key == "rank" && !place.rank.empty()) || (key == "step" && place.step) ||
                           (key == "t" && place.time) || (key == "span" && place.span);
        if (again) return refuse("each part once");
        if (key == "rank" && !value.empty()) {
            place.rank = value;
        } else if (key == "step") {
            std::int64_t step = 0;
            const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), step);
            if (error != std::errc{} || end != value.data() + value.size()) return refuse("a step's number");
            place.step = step;
        } else if (key == "t" || key == "span") {
            const core::Result<core::Duration> duration = core::parse_duration(value);
            if (!duration || duration->count() < 0) return refuse("a time such as 1.2345s");
            (key == "t" ? place.time : place.span) = *duration;
        } else {
            return refuse("rank=3, step=12, t=1.2345s or span=2ms");
        }
    }
    if (place.rank.empty() && !place.step && !place.time)
        return core::bad_input("'" + std::string(text) +
                               "': expected rank=3, step=12 or t=1.2345s, with commas between");
    if (place.span && !place.time) return core::bad_input("span needs t, the middle of the shown range");
    if (place.step && place.time) return core::bad_input("give either step or t, not both");
    return place;
}

std::string format_place(const Place& place) {
    std::string text;
    const auto add = [&](std::string_view key, const std::string& value) {
        text.append(text.empty() ? "" : ",").append(key).append("=").append(value);
    };
    if (!place.rank.empty()) add("rank", place.rank);
    if (place.step) add("step", std::to_string(*place.step));
    if (place.time) add("t", std::to_string(place.time->count()) + "ns");
    if (place.span) add("span", std::to_string(place.span->count()) + "ns");
    return text;
}

core::Result<Destination> find_place(const core::Run& run, const Place& place) {
    Destination destination;
    if (!place.rank.empty()) {
        const auto named = [&](const core::RankSlot& slot) { return core::format_rank(slot.key) == place.rank; };
        const auto slot = std::ranges::find_if(run.ranks(), named);
        if (slot == run.ranks().end())
            return core::Error{core::ErrorCode::NotFound, "the run has no rank " + place.rank};
        destination.reveal = first_event(run, static_cast<std::uint32_t>(slot - run.ranks().begin()));
    }
    if (place.step) {
        const StepRanges steps = ranges_of_steps(run);
        const auto step = steps.find(*place.step);
        if (step == steps.end())
            return core::Error{core::ErrorCode::NotFound, "the run has no step " + std::to_string(*place.step)};
        destination.range = step->second;
    }
    if (place.time)
        destination.range = range_around(run, run.origin() + std::min(*place.time, run.window().length()),
                                         place.span.value_or(run.window().length() / kOfRun));
    return destination;
}

Place place_of_view(const core::Run& run, core::RunRange view, core::EventRef selected) {
    core::RunTime middle = middle_of(view);
    Place place;
    if (selected.valid()) {
        const core::RankSlot& rank = run.rank(selected.slot);
        const core::RunTime event = middle_of(rank.range_of(selected.event));
        place.rank = core::format_rank(rank.key);
        if (event >= view.begin && event <= view.end) middle = event;
    }
    place.time = std::max(middle - run.origin(), core::Duration{0});
    place.span = view.length();
    return place;
}

std::optional<core::RunRange> find_newest_step(const core::Run& run) {
    struct Newest {
        std::set<std::int32_t> ranks;
        core::RunRange range;
    };
    std::map<std::int64_t, Newest> steps;
    std::set<std::int32_t> all;
    for (const core::RankSlot& rank : run.ranks())
        for (const core::Step& step : rank.trace().steps) {
            const core::RunRange range = rank.to_run(step.range);
            all.insert(rank.key.number);
            const auto [known, fresh] = steps.try_emplace(step.number, Newest{.ranks = {}, .range = range});
            known->second.ranks.insert(rank.key.number);
            known->second.range = {std::min(known->second.range.begin, range.begin),
                                   std::max(known->second.range.end, range.end)};
        }
    std::optional<core::RunRange> newest;
    for (const auto& [number, step] : steps)
        if (step.ranks.size() == all.size() && (!newest || step.range.begin > newest->begin)) newest = step.range;
    return newest;
}

std::optional<core::RunRange> find_step_beside(const core::Run& run, core::RunRange view, bool forward) {
    const core::RunTime middle = middle_of(view);
    std::optional<core::RunRange> beside;
    for (const auto& [number, range] : ranges_of_steps(run)) {
        if (forward && range.begin > middle && (!beside || range.begin < beside->begin)) beside = range;
        if (!forward && range.end < middle && (!beside || range.end > beside->end)) beside = range;
    }
    return beside;
}

}  // namespace ui
