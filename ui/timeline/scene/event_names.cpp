#include "ui/timeline/scene/event_names.hpp"

#include "core/store/arguments.hpp"
#include "core/store/string_table.hpp"
#include "ui/style/text.hpp"
#include "ui/style/theme.hpp"

#include <algorithm>

namespace ui {
namespace {

// Hashes description and members, because each rank numbers its groups independently.
std::uint64_t hash_of_group(std::string_view description, std::span<const std::int32_t> ranks) {
    std::string text(description);
    for (const std::int32_t rank : ranks) text += ' ' + std::to_string(rank);
    return core::hash_text(text);
}

std::uint64_t hash_of_group(const core::RankInfo& info, std::string_view name) {
    const auto group = std::ranges::find(info.groups, name, &core::ProcessGroup::name);
    return group == info.groups.end() ? core::hash_text(name) : hash_of_group(group->description, group->ranks);
}

std::uint64_t hash_of_group(const core::RunGroup& group) {
    if (group.members.empty() && group.description.empty()) return core::hash_text(group.name);
    return hash_of_group(group.description, group.members);
}

}  // namespace

const EventNames::Label& EventNames::label(const core::RankSlot& rank, core::EventId event) {
    const core::RankTrace& trace = rank.trace();
    const core::NameId local = trace.name[core::index_of(event)];
    const std::size_t id = core::index_of((*rank.names)[core::index_of(local)]);
    if (id >= labels_.size()) labels_.resize(id + 1 + labels_.size() / 2);
    Label& label = labels_[id];
    if (label.normal_px < 0) {
        label.name = core::short_name(trace.text(local));
        label.normal_px = text_width(small_style(), label.name.normal);
        label.brief_px = text_width(small_style(), label.name.brief);
    }
    return label;
}

std::span<const std::uint8_t> EventNames::shades(const core::RankSlot& rank) {
    const core::RankTrace& trace = rank.trace();
    std::vector<std::uint8_t>& shades = shades_[&trace];
    if (shades.size() != trace.names.size()) {
        shades.resize(trace.names.size());
        for (std::size_t i = 0; i < shades.size(); ++i)
            shades[i] = color::shade_of_name(trace.text(static_cast<core::NameId>(i)));
    }
    return shades;
}

std::span<const std::uint32_t> EventNames::group_colors(const core::RankSlot& rank) {
    const core::RankTrace& trace = rank.trace();
    std::vector<std::uint32_t>& colors = group_colors_[&trace];
    if (colors.size() != trace.names.size()) {
        colors.assign(trace.names.size(), 0);
        for (const core::NameId name : trace.texts(core::Arg::GroupName).values)
            if (std::uint32_t& color = colors[core::index_of(name)]; color == 0)
                color = color::of_hash(hash_of_group(trace.info, trace.text(name)));
    }
    return colors;
}

std::span<const EventColor> EventNames::member_colors(const core::RankSlot& rank, std::uint32_t slot,
                                                      const core::MatchedRunPtr& matched) {
    if (!matched || slot >= matched->ranks.size()) return {};
    if (matched != matched_) {
        matched_ = matched;
        member_colors_.clear();
    }
    const auto [known, is_new] = member_colors_.try_emplace(slot);
    std::vector<EventColor>& colors = known->second;
    if (!is_new) return colors;
    const std::span<const core::MemberEvent> members = matched->ranks[slot].events;
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        const core::Collective& collective = matched->collectives[matched->collective_of({slot, i})];
        const std::uint32_t color = color::of_hash(hash_of_group(matched->groups[collective.group]));
        for (const core::EventId part : core::parts_of(rank.trace(), rank.index->classes(), members[i]))
            colors.push_back({part, color});
    }
    std::ranges::sort(colors, {}, &EventColor::event);
    return colors;
}

void EventNames::forget() {
    matched_ = nullptr;
    member_colors_.clear();
    labels_.clear();
    group_colors_.clear();
    shades_.clear();
}

}  // namespace ui
