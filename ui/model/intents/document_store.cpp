#include "ui/model/intents/document_store.hpp"

#include "ui/model/intent_value.hpp"

namespace ui {

void DocumentStore::apply(const Intent& intent, const Facts& facts) {
    const RankChoices before = document_.choices.ranks;
    const core::Params what_if = document_.choices.what_if;
    document_ = reduce(std::move(document_), intent, facts);
    if (what_if != document_.choices.what_if) commit_what_if(intent);
    if (have_same_pins(before, document_.choices.ranks)) return;
    const bool by_user = intent.find<SetRanks>() || intent.find<ChangeRanks>() || intent.find<ChangeRows>();
    Document step = steps_.current();
    copy_pins(document_.choices.ranks, step.choices.ranks);
    if (by_user)
        steps_.commit(std::move(step));
    else
        steps_.amend(std::move(step));
}

void DocumentStore::commit_what_if(const Intent& intent) {
    Document step = steps_.current();
    step.choices.what_if = document_.choices.what_if;
    if (const auto* set = intent.find<SetWhatIf>())
        steps_.commit(std::move(step), {core::Gesture::Kind::WhatIf, set->gesture});
    else
        steps_.amend(std::move(step));
}

void DocumentStore::end_frame(bool by_hand, double seconds) {
    constexpr double kRestSeconds = 0.4;  // between two motions
    rest_seconds_ += seconds;
    const bool alone = std::exchange(commits_, steps_.commits()) == steps_.commits();
    const core::BySide<View>& recorded = steps_.current().views;
    bool known = true;
    bool moved = false;
    for (const core::Side side : core::kSides) {
        const View& view = document_.views[side];
        if (!document_.query.runs[side] || !view.fitted) continue;
        known &= recorded[side].fitted;
        moved |= !recorded[side].fitted || !show_same_time(recorded[side], view);
    }
    if (!moved) return;
    if (rest_seconds_ > kRestSeconds) ++motion_;
    rest_seconds_ = 0;
    if (known && by_hand && alone)
        steps_.commit(document_, {core::Gesture::Kind::View, motion_});
    else
        steps_.amend(document_);
    commits_ = steps_.commits();
}

void DocumentStore::commit(core::ViewQuery query, core::Gesture gesture) {
    if (query == document_.query) return;
    document_ = with_query(std::move(document_), std::move(query));
    steps_.commit(document_, gesture);
}

void DocumentStore::replace(core::ViewQuery query) {
    steps_.replace(with_query(steps_.current(), query));
    document_ = with_query(std::move(document_), std::move(query));
}

// Views that input is moving are recorded after the frame.
void DocumentStore::amend(core::ViewQuery query) {
    Document recorded = steps_.current();
    recorded.query = query;
    steps_.amend(std::move(recorded));
    document_.query = std::move(query);
}

void DocumentStore::record(core::Session& session) {
    for (core::QueryChange& change : session.take_changes()) {
        switch (change.kind) {
            case core::QueryChange::Kind::Commit:
                commit(std::move(change.query), change.gesture);
                break;
            case core::QueryChange::Kind::Replace:
                replace(std::move(change.query));
                break;
            case core::QueryChange::Kind::Amend:
                amend(std::move(change.query));
                break;
        }
    }
    steps_.forget_from(
        [too_many = core::HoldsTooManyRuns()](const Document& step) mutable { return too_many(step.query); });
}

void DocumentStore::begin(core::Session& session) {
    record(session);
    if (document_.query == session.query()) return;
    document_.query = session.query();
    steps_ = core::History<Document>(document_);
    commits_ = steps_.commits();
}

void DocumentStore::undo(core::Session& session) {
    record(session);
    if (!steps_.can_undo()) return;
    steps_.undo();
    show_step(session);
}

void DocumentStore::redo(core::Session& session) {
    record(session);
    if (!steps_.can_redo()) return;
    steps_.redo();
    show_step(session);
}

void DocumentStore::show_step(core::Session& session) {
    document_ = with_step(std::move(document_), steps_.current());
    restored_ = true;
    session.show(document_.query);
}

}  // namespace ui
