// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What screen readers are told.
public enum AccessibilityNotification {
    /// Words that are said.
    public struct Announcement: Sendable {
        private let words: String

        public init(_ words: String) { self.words = words }

        public func post() { Self.heard.withLock { $0.append(words) } }

        private static let heard = Mutex<[String]>([])

        /// What was said, for tests; the next time only what is said from now on.
        public static func takeHeard() -> [String] {
            heard.withLock { words in
                defer { words = [] }
                return words
            }
        }
    }
}
