// SPDX-License-Identifier: Apache-2.0

/// A purpose of a key that is derived from the installation's master key. Each purpose has a label, and each label has
/// a key of its own.
///
/// A conforming type lists all its purposes, so that tests can enumerate them; no text derives a key.
package protocol KeyPurpose: Sendable, Hashable, CaseIterable {
    /// The label of the key derivation, such as `farewell/operator-name/v2`. It never changes: with another label, what
    /// the key made before is no longer valid.
    var label: String { get }
}
