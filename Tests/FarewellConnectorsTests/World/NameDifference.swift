// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The least by which a neighbour's name differs from the subject's.
enum NameDifference: String, Sendable, CaseIterable {
    case capitals, normalisation, mark, prefix, wildcard

    /// Names of neighbours; one of them is enough.
    func names(like name: String) -> [String] {
        switch self {
        case .capitals: [name.uppercased(), name.lowercased()].filter { $0 != name }
        // A fake may compose the last character alone in another way.
        case .normalisation: [name.decomposedStringWithCanonicalMapping, String(name.dropLast()) + "e\u{301}"]
        case .mark: [name + "\u{301}"]
        case .prefix: [name + "0", name + "1"]
        case .wildcard: ["_", "%", "*", "?"].map { String(name.dropLast()) + $0 }
        }
    }
}
