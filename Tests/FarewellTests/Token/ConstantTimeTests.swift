// SPDX-License-Identifier: Apache-2.0

import Farewell
import Testing

@Suite("The comparison of secrets")
struct ConstantTimeTests {
    @Test("secrets are equal if all bytes are; a prefix and a longer text are not")
    func equal() {
        #expect(ConstantTime.isEqual("secret".utf8, Array("secret".utf8)))
        #expect(ConstantTime.isEqual("".utf8, "".utf8))
        for other in ["", "secre", "secrets", "Secret", "secreu", "terces"] {
            #expect(!ConstantTime.isEqual("secret".utf8, other.utf8), "\(other)")
        }
    }
}
