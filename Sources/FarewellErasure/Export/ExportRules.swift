// SPDX-License-Identifier: Apache-2.0

/// The limits of exports.
package struct ExportRules: Sendable, Hashable {
    /// The most bytes that the files of one export have.
    package var bytes = 1 << 30
    /// The most bytes of all exports that one server keeps.
    package var totalBytes = 10 << 30
    /// The seconds from the end of an export to its removal.
    package var life = 3_600
    /// How many exports are written at once; others wait.
    package var concurrency = 2
    /// The most exports that one server keeps, those that wait included.
    package var most = 1_000

    package init() {}
}
