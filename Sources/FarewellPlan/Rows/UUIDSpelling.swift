// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// The spellings in which apps store a UUID as text.
package enum UUIDSpelling: Sendable, Hashable {
    /// `0a1b2c3d-…`, as RFC 9562 writes it.
    case lower
    /// `0A1B2C3D-…`
    case upper
    /// The 32 digits without hyphens: Django's spelling in a database without the type.
    case digits

    func text(of uuid: UUID) -> String {
        switch self {
        case .lower: uuid.text
        case .upper: uuid.uuidString
        case .digits: uuid.text.filter { $0 != "-" }
        }
    }
}
