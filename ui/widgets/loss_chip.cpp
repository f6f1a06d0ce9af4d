#include "ui/widgets/loss_chip.hpp"

#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kPaddingOfChip = 8;  // at scale 1

std::string chip_words(const core::Losses& losses, float most) {
    const std::string words = losses.headline();
    return text_width(small_style(), words) + px(2 * kPaddingOfChip) <= most ? words : "!";
}

}  // namespace

std::shared_ptr<const core::Losses> losses_of(const core::Session& session, core::Side side) {
    const core::RunPtr& run = session.run(side);
    const core::RunLoad* const load = session.load(side);
    if (!run || (load && !load->finished())) return nullptr;
    std::shared_ptr<const core::Losses> losses = core::find_losses(*run);
    return losses->empty() ? nullptr : losses;
}

float loss_chip_width(const core::Losses& losses, float most) {
    return std::ceil(text_width(small_style(), chip_words(losses, most))) + px(2 * kPaddingOfChip);
}

void draw_loss_chip(const core::Losses& losses, core::Side side, float most, std::vector<Intent>& intents) {
    const std::string words = chip_words(losses, most);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size{loss_chip_width(losses, most), ImGui::GetFrameHeight()};
    const std::string id = side == core::Side::Baseline ? "##losses" : "##candidate-losses";
    if (invisible_button(id.c_str(), size)) intents.push_back(ShowPanel{"import"});
    record_item(id);
    const color::Palette& palette = color::palette();
    ImDrawList* const list = ImGui::GetWindowDrawList();
    const ImVec2 end{at.x + size.x, at.y + size.y};
    list->AddRectFilled(at, end, color::mix(palette.panel, palette.error, ImGui::IsItemHovered() ? 0.3f : 0.18f),
                        px(4));
    list->AddRect(at, end, palette.error, px(4));
    draw_text(list, small_style(), {at.x + px(kPaddingOfChip), at.y + (size.y - small_style().size_px) / 2 - px(1)},
              palette.error, words);
    tooltip(losses.text(kMostLossLines) + "\nClick: what it means, in the panel Import");
}

std::size_t count_losses(const Frame& frame) {
    std::size_t count = 0;
    for (const core::Side side : core::kSides)
        if (const std::shared_ptr<const core::Losses> losses = losses_of(frame.session, side))
            count += losses->entries.size();
    return count;
}

}  // namespace ui
