// SPDX-License-Identifier: Apache-2.0

/// The treatment of an interrupted export.
package enum InterruptedExport: Sendable {
    /// Nothing of it stays.
    case removed
    /// The next export of the same data to the same place takes over the files that were complete.
    case continued
}
