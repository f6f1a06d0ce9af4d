#pragma once
// The settings: theme, size, wheel, index files, what devices can do, limits of verdict and health, and where all of
// that is kept. Every change applies
// at once and is kept from one start to the next. Main thread only.

#include "core/analysis/findings/limits.hpp"
#include "core/ingest/index_file/index_places.hpp"
#include "core/session/device_settings.hpp"
#include "ui/model/panel.hpp"

#include <map>
#include <string>

namespace ui {

class SettingsDialog {
public:
    // ask: it is to open now.
    void draw(Frame&, bool ask);
    bool busy() const { return measuring_; }
    void describe(nlohmann::json& shown) const;

private:
    void open(Frame&);
    void draw_cache(Frame&);
    void draw_devices(Frame&);
    void draw_number(Frame&, const core::DeviceSetting&, const core::DeviceNumber&);
    void draw_reopen(Frame&) const;
    void draw_limits(Frame&);
    void draw_limit(Frame&, std::size_t row);
    // A number that the user may type or clear. True once it is entered: `value` is then it, or unset.
    bool edit_number(const std::string& id, bool is_given, std::optional<double>& value);

    bool shown_ = false;
    bool measuring_ = false;
    core::Job<core::CacheUse> measure_;
    core::CacheUse cache_;
    std::vector<core::DeviceSetting> devices_;  // as they were when the dialog opened, and after each change
    std::map<std::string, std::string> typed_;  // by device and key, until it is saved
    core::Limits limits_;  // likewise
    bool shows_limits_ = false;
    bool changed_ = false;  // since a run was opened
    bool stale_ = false;  // collect devices_ again in the next frame
};

}  // namespace ui
