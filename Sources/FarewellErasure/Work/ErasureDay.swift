// SPDX-License-Identifier: Apache-2.0

/// One day of the last ones.
package struct ErasureDay: Sendable, Hashable {
    /// `YYYY-MM-DD`, universal time.
    package var day: String
    package var asked = 0
    package var done = 0
    package var cancelled = 0
    /// Attempts without immediate success, by system.
    package var failures: [String: Int] = [:]
}
