// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The place at which the next page of a list begins.
struct S3Marker: Sendable, Hashable, Codable {
    var key: String
    var id: String?
}
