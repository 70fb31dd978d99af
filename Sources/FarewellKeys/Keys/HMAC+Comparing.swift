// SPDX-License-Identifier: Apache-2.0

import Crypto

extension HMAC<SHA256> {
    /// Compares in constant time.
    package static func isValid(_ shown: some Collection<UInt8>, _ expected: some Collection<UInt8>) -> Bool {
        guard shown.count == expected.count else { return false }
        return zip(shown, expected).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
