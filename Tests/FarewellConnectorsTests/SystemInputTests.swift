// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

@Suite("What systems answer and stores give back that nobody could have meant")
struct SystemInputTests {
    @Test("how long to wait is read as seconds or as a date of HTTP; what is neither says nothing, however large its numbers are")
    func retryAfter() {
        func wait(_ text: String) -> Double? {
            SystemReply(status: 503, headers: ["retry-after": text]).retryAfter(at: 784_111_700)
        }
        #expect(wait("7") == 7 && wait("1e300") == 86_400 && wait("Sun, 06 Nov 1994 08:49:37 GMT") == 77)
        let bads = [
            "", "-1", "nan", "inf", "1e400", "Sun, 06 Nov \(Int.max) 08:49:37 GMT", "Sun, \(Int.max) Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 \(Int.max):49:37 GMT", "Sun, 06 Nov 1994 08:\(Int.max):37 GMT",
            "Sun, 06 Nov 1994 08:49:\(Int.max) GMT", "Sun, 06 Nov 1994 \(Int.min):49:37 GMT",
        ]
        for bad in bads { #expect(wait(bad) == nil, "\(bad)") }
    }
}
