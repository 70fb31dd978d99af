// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

struct StalledAttemptsTests {
    @Test("attempts without progress have growing pauses and an end, and progress begins anew")
    func pauses() {
        var attempts = StalledAttempts()
        let stalled: [Duration?] = [.milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800), nil]
        #expect(attempts.pause(hasProgress: true) == .milliseconds(50))
        for pause in stalled.dropLast() { #expect(attempts.pause(hasProgress: false) == pause) }
        #expect(attempts.pause(hasProgress: true) == .milliseconds(50))
        for pause in stalled { #expect(attempts.pause(hasProgress: false) == pause) }
    }
}
