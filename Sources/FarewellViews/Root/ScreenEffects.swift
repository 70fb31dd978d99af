// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUI)
import FarewellUI
import SwiftUI

#if canImport(Accessibility)
import Accessibility
#endif

/// Performs each effect of a model once: a tap that is felt, words that a screen reader says.
@MainActor
struct ScreenEffects: ViewModifier {
    let effects: [ScreenEffect]
    let take: @MainActor () -> [ScreenEffect]
    @State private var taps = 0

    init(effects: [ScreenEffect], take: @escaping @MainActor () -> [ScreenEffect]) {
        self.effects = effects
        self.take = take
    }

    func body(content: Content) -> some View {
        content
            .onChange(of: effects, initial: true) { perform() }
            .sensoryFeedback(.impact(weight: .medium), trigger: taps)
    }

    private func perform() {
        for effect in take() {
            if effect == .haptic(.medium) { taps += 1 }
            effect.announce()
        }
    }
}

extension ScreenEffect {
    /// Has a screen reader say its words, if it has any.
    @MainActor
    fileprivate func announce() {
        switch self {
        case .haptic: return
        case .announce(let words): AccessibilityNotification.Announcement(words).post()
        case .announceScreen(let words): AccessibilityNotification.ScreenChanged(words).post()
        }
    }
}

extension Announcing {
    /// Begins an act of this model, and announces its end: an app may put the screen of the act away before it ends,
    /// and then no view is left to do it.
    func begin(_ act: @escaping @MainActor () async -> Void) {
        Task {
            await act()
            for effect in takeAnnouncements() { effect.announce() }
        }
    }
}
#endif
