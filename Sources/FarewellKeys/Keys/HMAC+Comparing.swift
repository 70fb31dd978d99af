// SPDX-License-Identifier: Apache-2.0

import Crypto

extension HMAC<SHA256> {
    /// Compares in constant time.
    package static func isValid(_ shown: some Collection<UInt8>, _ expected: some Collection<UInt8>) -> Bool {
        // Arrays, because other modules cannot specialise this function, and each step of a generic one is a call.
        let (shown, expected) = (Array(shown), Array(expected))
        guard shown.count == expected.count else { return false }
        var difference: UInt8 = 0
        for place in shown.indices { difference |= shown[place] ^ expected[place] }
        return difference == 0
    }
}
