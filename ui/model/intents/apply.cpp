#include "ui/model/intents/apply.hpp"

#include "ui/model/intents/applied_to.hpp"

namespace ui {
namespace {

struct ApplyToHome {
    const Intent& intent;
    const AppliedTo& to;
    void operator()(const DocumentIntent& one) const { apply_to_document(intent, one, to); }
    void operator()(const SessionIntent& one) const { apply_to_session(one, to); }
    void operator()(const FrameRequest& one) const { add_request(one, to); }
    void operator()(const WindowIntent&) const {}  // the window's own
};

}  // namespace

Applied apply(std::span<const Intent> intents, core::Session& session, DocumentStore& store, Ephemera& ephemera,
              core::Side side) {
    Applied applied;
    for (const Intent& intent : intents) {
        const AppliedTo to{.session = session,
                           .run = session.run(side),
                           .store = store,
                           .ephemera = ephemera,
                           .applied = applied,
                           .side = side};
        std::visit(ApplyToHome{intent, to}, intent.value().home);
        store.record(session);
    }
    return applied;
}

Addressee addressee_of(const Intent& intent) {
    const auto of_one = [](const auto& one) {
        Addressee addressee;
        if constexpr (requires { one.kSide; }) addressee.target = one.kSide;
        if constexpr (requires { one.side.has_value(); }) addressee.side = one.side;
        return addressee;
    };
    return std::visit([&](const auto& home) { return std::visit(of_one, home); }, intent.value().home);
}

}  // namespace ui
