#include "ui/model/intents/applied_to.hpp"

#include <algorithm>

namespace ui {
namespace {

// The uppermost rank of a bookmark, if the run has it.
std::optional<std::uint32_t> find_rank_of_bookmark(const AppliedTo& to, std::size_t number) {
    if (!to.run || number >= core::kBookmarks) return std::nullopt;
    const std::optional<core::Bookmark>& bookmark = to.session.marks(to.side).bookmarks[number];
    if (!bookmark) return std::nullopt;
    const auto found = std::ranges::find_if(
        to.run->ranks(), [&](const core::RankSlot& rank) { return core::format_rank(rank.key) == bookmark->rank; });
    if (found == to.run->ranks().end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - to.run->ranks().begin());
}

void tell_index_files(const AppliedTo& to) {
    constexpr std::uint64_t kBytesOfGb = 1'000'000'000;
    const UiChoices& choices = to.store.choices();
    to.session.allow_index_files(choices.keep_index_files);
    to.session.place_index_files(choices.index_in_cache,
                                 static_cast<std::uint64_t>(choices.cache_limit_gb) * kBytesOfGb);
}

// Effects beyond the document.
struct FollowUp {
    const AppliedTo& to;
    void operator()(const SelectEvent& select) const {
        if (select.show) add_request(RevealEvent{select.event}, to);
    }
    void operator()(const ShowEvent& show) const { add_request(RevealEvent{show.event}, to); }
    void operator()(const GoToBookmark& go) const { to.applied.top = find_rank_of_bookmark(to, go.number); }
    void operator()(const OpenFind&) const { to.asked().focus_find = true; }
    void operator()(const KeepIndexFiles&) const { tell_index_files(to); }
    void operator()(const PlaceIndexFiles&) const { tell_index_files(to); }
    void operator()(const SetChoices&) const { tell_index_files(to); }
    template <class NoFollowUp>
    void operator()(const NoFollowUp&) const {}
};

}  // namespace

void apply_to_document(const Intent& intent, const DocumentIntent& one, const AppliedTo& to) {
    to.store.apply(intent, to.facts());
    std::visit(FollowUp{to}, one);
}

}  // namespace ui
