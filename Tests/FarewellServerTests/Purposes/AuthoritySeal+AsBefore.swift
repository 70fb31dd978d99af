// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
@testable import FarewellKeys
import Foundation

/// In the form of earlier versions, written here independently.
extension AuthoritySeal {
    func sealedAsBefore(_ bytes: [UInt8], for label: String) throws -> [UInt8] {
        let box = try AES.GCM.seal(bytes, using: shared, authenticating: Data(label.utf8))
        return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
    }
}
