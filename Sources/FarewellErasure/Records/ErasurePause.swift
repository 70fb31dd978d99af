// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The pause of an erasure after an attempt that failed for a passing cause. No worker takes it before the end.
package struct ErasurePause: Sendable, Hashable {
    /// The number of failed attempts since the last success.
    package let failures: Int
    /// When a worker tries again, by the database's clock.
    package let end: Date
}
