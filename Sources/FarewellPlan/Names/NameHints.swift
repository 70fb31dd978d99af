// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Suggests the names that were probably meant, for the first unknown names of a plan file or a check.
///
/// To compare one name with all the names of a database takes time, and a plan may name thousands that are unknown.
/// The first few are enough of a hint.
final class NameHints: Sendable {
    /// The most names that get a hint.
    static let most = 20

    private let left = Guarded(most)

    /// ` (did you mean “messages”?)`, or nothing.
    func hint<Names: Sequence<String>>(_ name: String, in candidates: @autoclosure () -> Names) -> String {
        let isOne = left.withLock { left in
            guard left > 0 else { return false }
            left -= 1
            return true
        }
        return isOne ? NearestName.hint(name, in: candidates()) : ""
    }
}
