// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUI)
import FarewellUI
import SwiftUI

#if canImport(Accessibility)
import Accessibility
#endif

/// Does once what a model wants done: a tap that is felt, words that a screen reader says.
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
            switch effect {
            case .haptic(.medium): taps += 1
            case .announce(let words): AccessibilityNotification.Announcement(words).post()
            case .announceScreen(let words): AccessibilityNotification.ScreenChanged(words).post()
            }
        }
    }
}
#endif
