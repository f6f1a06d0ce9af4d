#include "ui/timeline/event_names.hpp"

#include "ui/theme.hpp"
#include "ui/widgets/compat.hpp"

namespace ui {

const EventNames::Label& EventNames::label(const core::RankSlot& rank, core::EventId event) {
    const core::RankTrace& trace = rank.trace();
    const core::NameId local = trace.name[core::index_of(event)];
    const std::size_t id = core::index_of((*rank.names)[core::index_of(local)]);
    if (id >= labels_.size()) labels_.resize(id + 1 + labels_.size() / 2);
    Label& label = labels_[id];
    if (label.normal_px < 0) {
        label.name = short_name(trace.text(local));
        const auto width = [](const std::string& text) { return compat::text_width(fonts().small, fonts().small_px, text.data(), text.data() + text.size()); };
        label.normal_px = width(label.name.normal);
        label.brief_px = width(label.name.brief);
    }
    return label;
}

std::span<const std::uint32_t> EventNames::colors(const core::RankSlot& rank) {
    const core::RankTrace& trace = rank.trace();
    std::vector<std::uint32_t>& colors = colors_[&trace];
    if (colors.size() != trace.names.size()) {
        colors.resize(trace.names.size());
        for (std::size_t i = 0; i < colors.size(); ++i) colors[i] = color::of_name(trace.text(static_cast<core::NameId>(i)));
    }
    return colors;
}

void EventNames::forget() {
    labels_.clear();
    colors_.clear();
}

std::string fit_text(ImFont* font, float size_px, const std::string& text, float width_px) {
    constexpr const char* kEllipsis = "\xE2\x80\xA6";
    const char* begin = text.data();
    const char* end = begin + text.size();
    if (compat::text_width(font, size_px, begin, end) <= width_px) return text;
    const float room = width_px - compat::text_width(font, size_px, kEllipsis);
    const char* cut = begin;
    if (room > 0) font->CalcTextSizeA(size_px, room, 0, begin, end, &cut);
    while (cut > begin && cut[-1] == ' ') --cut;
    if (cut - begin < 3) return {};
    return std::string(begin, cut) + kEllipsis;
}

}  // namespace ui
