// SPDX-License-Identifier: Apache-2.0

import FarewellVerifier
import Testing

@Suite("The reason for a refused token")
struct TokenRefusalTests {
    @Test("every reason has its own word, for counting")
    func words() {
        #expect(Set(TokenRefusal.allCases.map(\.rawValue)).count == TokenRefusal.allCases.count)
    }
}
