// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The place at which the next page of a list begins.
struct S3Marker: Sendable, Hashable, Codable {
    var key: String
    var id: String?

    /// Two keys that Unicode treats as equal are two places.
    static func == (one: S3Marker, other: S3Marker) -> Bool {
        one.key.isByteEqual(to: other.key) && one.id.map(ExactText.init) == other.id.map(ExactText.init)
    }
}
