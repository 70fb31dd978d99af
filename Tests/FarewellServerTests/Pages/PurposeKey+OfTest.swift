// SPDX-License-Identifier: Apache-2.0

import FarewellKeys
@testable import FarewellServer

extension PurposeKey {
    /// A key of its own, made from fresh random bytes.
    static func ofTest(_ purpose: String = "test") -> PurposeKey { PurposeKey(purpose, Secret(Entropy.live.bytes(32))) }
}

extension PageKeys {
    /// Keys of one installation, made from fresh random bytes.
    static func ofTest() -> PageKeys {
        let root = Secret(Entropy.live.bytes(32))
        // One key for all purposes: the labels alone keep them apart.
        return PageKeys { PurposeKey($0.label, root) }
    }
}
