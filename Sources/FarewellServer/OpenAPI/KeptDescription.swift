// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The text of `/openapi.json`, made at the first call. Making it costs more than most answers, callers need no token,
/// and the routes of a server do not change.
final class KeptDescription: Sendable {
    private let kept = Guarded<String?>(nil)
    private let make: @Sendable () throws -> String

    init(_ make: @escaping @Sendable () throws -> String) {
        self.make = make
    }

    /// - Throws: what making the text throws; the next call tries again.
    func text() throws -> String {
        if let text = kept.withLock({ $0 }) { return text }
        let made = try make()
        kept.withLock { $0 = made }
        return made
    }
}
