#include "ui/timeline/event_names.hpp"

#include "ui/theme.hpp"
#include "ui/widgets/text.hpp"

namespace ui {

const EventNames::Label& EventNames::label(const core::RankSlot& rank, core::EventId event) {
    const core::RankTrace& trace = rank.trace();
    const core::NameId local = trace.name[core::index_of(event)];
    const std::size_t id = core::index_of((*rank.names)[core::index_of(local)]);
    if (id >= labels_.size()) labels_.resize(id + 1 + labels_.size() / 2);
    Label& label = labels_[id];
    if (label.normal_px < 0) {
        label.name = short_name(trace.text(local));
        label.normal_px = text_width(small_style(), label.name.normal);
        label.brief_px = text_width(small_style(), label.name.brief);
    }
    return label;
}

std::span<const std::uint32_t> EventNames::colors(const core::RankSlot& rank) {
    const core::RankTrace& trace = rank.trace();
    std::vector<std::uint32_t>& colors = colors_[&trace];
    if (colors.size() != trace.names.size()) {
        colors.resize(trace.names.size());
        for (std::size_t i = 0; i < colors.size(); ++i)
            colors[i] = color::of_name(trace.text(static_cast<core::NameId>(i)));
    }
    return colors;
}

void EventNames::forget() {
    labels_.clear();
    colors_.clear();
}

}  // namespace ui
