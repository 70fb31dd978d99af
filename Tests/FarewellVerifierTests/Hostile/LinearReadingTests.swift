// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import LinearGrowth
import Testing

@testable import FarewellVerifier

@Suite("Hostile issuers and callers, handled in linear time", .serialized)
struct LinearReadingTests {
    private func expectLinear(_ name: String, _ work: (String) -> Void) async {
        let faults = await LinearGrowth.faults(of: name, work)
        #expect(faults.isEmpty, "\(faults)")
    }

    @Test("SC-2 key sets are read in linear time")
    func keys() async {
        await expectLinear("names") { _ = try? KeySet(Array("{\"keys\":[{\"\($0)\":1}]}".utf8), for: [.es256]) }
        await expectLinear("values") {
            _ = try? KeySet(Array("{\"keys\":[{\"kid\":\"\($0)\",\"kty\":\"\($0)\"}]}".utf8), for: [.es256, .rs256])
        }
    }

    @Test("SC-2 a stream of events is read in linear time")
    func stream() async {
        for kind in HostileText.allCases {
            await Task.yield()
            // A line is refused beyond its limit; so the larger stream has more lines, and not longer ones.
            let growth = LinearGrowth.of(
                "lines, \(kind)",
                { size in
                    String(repeating: "\(kind.text(15 << 10)):\(kind.text(400))\nevent: a\ndata:\(kind.text(200))\n\n", count: size >> 13)
                }
            ) { (text: String) in
                var reader = EventStreamReader()
                for event in (try? reader.read(text.utf8)) ?? [] { _ = event.name == "revocation" }
            }
            #expect(growth.isLinear, "\(growth)")
        }
        let field = LinearGrowth.of("a field", { HostileText.marks.text($0 / 4) }) { (text: String) in
            var reader = EventStreamReader()
            _ = try? reader.read("\(text):\(text)\n\n".utf8)
        }
        #expect(field.isLinear, "\(field)")
    }

    @Test("SC-2 signatures of webhooks are read in linear time")
    func webhooks() async {
        let secret = [UInt8](repeating: 7, count: 32)
        await expectLinear("signatures") {
            _ = WebhookSignature.isValid("v1,\($0)", id: $0, timestamp: "7", body: [], secrets: [secret], now: 7)
        }
        let good = WebhookSignature.value(id: "a", timestamp: 7, body: [1], secrets: [secret])
        #expect(WebhookSignature.isValid(good, id: "a", timestamp: "7", body: [1], secrets: [secret], now: 7))
    }
}
