// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// The spellings in which apps store a UUID as text.
package enum UUIDSpelling: Sendable, Hashable, CaseIterable {
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

extension UUID {
    /// Reads each of the spellings; `nil` for any other text.
    package init?(spelled text: String) {
        guard text.utf8.count == 32 else {
            self.init(text: text)
            return
        }
        var hyphenated: [UInt8] = []
        for (place, digit) in text.utf8.enumerated() {
            if [8, 12, 16, 20].contains(place) { hyphenated.append(UInt8(ascii: "-")) }
            hyphenated.append(digit)
        }
        self.init(text: String(decoding: hyphenated, as: UTF8.self))
    }
}
