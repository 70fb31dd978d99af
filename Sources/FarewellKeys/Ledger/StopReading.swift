// SPDX-License-Identifier: Apache-2.0

/// The contents of the files of stops, as they were read on from a mark, or from the beginning.
package struct StopReading: Sendable {
    /// Of the cancellations only those after the mark.
    package let stops: Stops
    /// The bytes that were read: those after the mark.
    package let size: Int
    /// Up to where the files were read.
    let ends: [LedgerPlace]
}
