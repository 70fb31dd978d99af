// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import LinearGrowth
import Testing

@testable import FarewellClient

@Suite("Server answers to a device, parsed in linear time", .serialized)
struct LinearAnswerTests {
    @Test("SC-2 answers and tokens are read in linear time")
    func answers() async {
        let faults =
            await LinearGrowth.faults(of: "names") { Self.read("{\"\($0)\":1}") }
            + LinearGrowth.faults(of: "values") { Self.read("{\"code\":\"\($0)\",\"access_token\":\"\($0)\"}") }
            + LinearGrowth.faults(of: "all") { Self.read($0) }
            + LinearGrowth.faults(of: "claims") { _ = TokenClaims("a.\(Base64URL.text(Array("{\"\($0)\":1}".utf8))).c") }
            + LinearGrowth.faults(of: "a token") { _ = TokenClaims($0) }
        #expect(faults.isEmpty, "\(faults)")
    }

    private static func read(_ body: String) {
        let answer = HTTPExchange.Answer(status: 400, fields: ["Date": body, "X-Sb-Error-Code": body], body: Data(body.utf8))
        _ = FarewellRefusal(answer).failure(at: .renewal)
        _ = try? TokenGrant(answer)
        _ = answer.date
    }
}
