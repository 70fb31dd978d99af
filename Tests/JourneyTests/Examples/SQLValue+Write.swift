// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Foundation

extension SQLValue {
    /// The value as text, different for different values. Swift's own descriptions of enums take ten times as long.
    var written: String {
        switch self {
        case .null: "null"
        case .text(let text): text.debugDescription
        case .uuid(let uuid): "uuid \(uuid.uuidString)"
        case .integer(let number): "integer \(number)"
        case .timestamp(let date): "timestamp \(date.timeIntervalSinceReferenceDate)"
        default: "\(self)"
        }
    }
}
