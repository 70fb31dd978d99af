// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The claims of a token that came from its issuer just now: read for names, trusted for nothing.
struct TokenClaims {
    private let members: JSONValue

    init?(_ token: String) {
        let parts = token.utf8.split(separator: UInt8(ascii: "."))
        guard parts.count == 3, let bytes = Base64URL.bytes(of: parts[1]),
            let members = try? CanonicalJSON.value(JSONValue.self, from: Data(bytes))
        else { return nil }
        self.members = members
    }

    subscript(name: String) -> JSONValue? { members[name] }
}
