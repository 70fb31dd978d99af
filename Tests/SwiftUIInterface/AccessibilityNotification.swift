// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The messages to screen readers.
public enum AccessibilityNotification {
    /// Words that are said.
    public struct Announcement: Sendable {
        private let words: String

        public init(_ words: String) { self.words = words }

        public func post() { Self.heard.withLock { $0.append(words) } }

        static let heard = Mutex<[String]>([])

        /// The messages so far, for tests; the next call returns only later ones.
        public static func takeHeard() -> [String] {
            heard.withLock { words in
                defer { words = [] }
                return words
            }
        }
    }

    /// A change of the whole screen, with the words that are said for it.
    public struct ScreenChanged {
        private let element: Any?

        public init(_ element: Any?) { self.element = element }

        public func post() { Announcement.heard.withLock { $0.append("screen: \(element ?? "")") } }
    }
}
