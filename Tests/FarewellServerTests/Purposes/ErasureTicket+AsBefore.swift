// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
@testable import FarewellErasure
@testable import FarewellKeys
import Foundation

/// In the form of earlier versions, written here independently.
extension ErasureTicket {
    static func asBefore(for asking: String, of erasure: UUID, keys: KeyStore) throws(FarewellError) -> ErasureTicket {
        let key = SymmetricKey(data: keys.derivedKey(for: InstallationKey.formerErasureTicket).bytes)
        let code = HMAC<SHA256>.authenticationCode(for: Data("\(erasure.uuidString)/\(asking)".utf8), using: key)
        return try ErasureTicket(Base64URL.text(Array(code)))
    }
}
