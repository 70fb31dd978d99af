// SPDX-License-Identifier: Apache-2.0

/// A one-time effect of a view, beside showing a model: decided by the model, so that a test sees it.
public enum ScreenEffect: Sendable, Hashable {
    /// A tap that is felt.
    case haptic(Haptic)
    /// Said by a screen reader.
    case announce(String)
    /// Said by a screen reader as a change of the whole screen, which nothing interrupts (SO-11).
    case announceScreen(String)

    /// How a tap feels.
    public enum Haptic: String, Sendable, Hashable { case medium }
}

extension ScreenEffect {
    /// Whether a screen reader says it.
    var isAnnouncement: Bool {
        switch self {
        case .haptic: false
        case .announce, .announceScreen: true
        }
    }
}

extension [ScreenEffect] {
    /// The announcements, handed over once.
    mutating func takeAnnouncements() -> [ScreenEffect] {
        defer { removeAll(where: \.isAnnouncement) }
        return filter(\.isAnnouncement)
    }

    /// All of them, handed over once.
    mutating func takeAll() -> [ScreenEffect] {
        defer { self = [] }
        return self
    }
}
