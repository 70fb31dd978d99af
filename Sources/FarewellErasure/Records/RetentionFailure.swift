// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Retained rows whose last day is over and that could not be erased or emptied; a worker tries again.
package struct RetentionFailure: Sendable, Hashable {
    package let erasure: UUID
    /// The table.
    package let place: String
    /// The last error, without values of rows.
    package let trouble: String
}
