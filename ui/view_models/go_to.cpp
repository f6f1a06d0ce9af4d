#include "ui/view_models/go_to.hpp"

#include "core/base/ascii.hpp"
#include "core/base/format.hpp"
#include "core/query/filter_text.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace ui {
namespace {

constexpr std::int64_t kOfRun = 50;  // going to a time shows no more than this part of the run
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

std::map<std::int64_t, core::RunRange> ranges_of_steps(const core::Run& run) {
    std::map<std::int64_t, core::RunRange> ranges;
    for (const core::RankSlot& slot : run.ranks()) {
        for (const core::Step& step : slot.trace().steps) {
            const core::RunRange range = slot.clock.to_run(step.range);
            const auto [at, fresh] = ranges.try_emplace(step.number, range);
            if (!fresh) at->second = {std::min(at->second.begin, range.begin), std::max(at->second.end, range.end)};
        }
    }
    return ranges;
}

core::RunTime middle_of(core::RunRange range) { return range.begin + range.length() / 2; }

class DestinationFinder {
public:
    DestinationFinder(const core::Run& run, core::RunRange view, std::string_view text)
        : run_(run), view_(view), words_(lower_words(text)) {
        if (words_.size() == 1) add_time(words_.front());
    }

    void add_steps() {
        for (const auto& [number, range] : ranges_of_steps(run_))
            add({"step " + std::to_string(number), core::format_duration(range.length()), range, {}});
    }
    void add_ranks() {
        for (std::uint32_t slot = 0; slot < run_.ranks().size(); ++slot) {
            const core::RankTrace& trace = run_.rank(slot).trace();
            if (trace.size() == 0) continue;
            const core::EventId first = trace.gpu_events.empty() ? core::EventId{0} : trace.gpu_events.front();
            add({name_of(slot), core::format_count(trace.size()) + " events", {}, {slot, first}});
        }
    }
    void add_tracks(std::size_t most) {
        for (std::uint32_t slot = 0; slot < run_.ranks().size() && found_.size() < most; ++slot) {
            const core::RankTrace& trace = run_.rank(slot).trace();
            for (const core::Track& track : trace.tracks) {
                const core::Lane* const lane = first_lane(trace, track);
                if (lane == nullptr) continue;
                add({name_of(slot) + " \xC2\xB7 " + std::string(trace.text(track.name)), {}, {}, {slot, lane->first}});
            }
        }
    }
    std::vector<Destination> take(std::size_t most) {
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

    // Its rows may be empty.
    static const core::Lane* first_lane(const core::RankTrace& trace, const core::Track& track) {
        for (std::uint32_t i = 0; i < track.lane_count; ++i) {
            const core::Lane& lane = trace.lanes[track.first_lane + i];
            if (lane.first != lane.last) return &lane;
        }
        return nullptr;
    }

    void add_time(const std::string& word) {
        const char last = word.back();
        if (last >= '0' && last <= '9') return;  // without a unit it is a number of something
        const core::Result<core::Duration> offset = core::parse_duration(word);
        if (!offset) return;
        const bool relative = word.front() == '+' || word.front() == '-';
        const core::RunRange whole = run_.window();
        const core::RunTime from = relative ? middle_of(view_) : run_.origin();
        // Far outside there is nothing, and no overflow either.
        const core::Duration reach = whole.length() + whole.length();
        const core::RunTime to =
            std::clamp(from + std::clamp(*offset, -reach, reach), whole.begin, std::max(whole.begin, whole.end));
        const core::Duration shown = std::max(std::min(view_.length(), whole.length() / kOfRun), kLeastShown);
        found_.push_back({words_.size() + 1,
                          {core::format_duration_exact(to - run_.origin()),
                           "from the start of the run",
                           core::RunRange{to - shown / 2, to + shown / 2},
                           {}}});
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
    return finder.take(most);
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
