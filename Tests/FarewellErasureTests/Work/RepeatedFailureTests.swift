// SPDX-License-Identifier: Apache-2.0

@testable import FarewellErasure
import Testing

@Suite("The log of repeated failures")
struct RepeatedFailureTests {
    @Test("a failure is logged at first, with another code, after a minute, and after a success")
    func lines() {
        var failure = RepeatedFailure()
        var lines: [Int] = []
        for second in 0..<150 where failure.isWorthALine("sql.08001", at: .seconds(second)) { lines.append(second) }
        #expect(lines == [0, 60, 120])
        #expect(failure.isWorthALine("sql.57P03", at: .seconds(150)) && !failure.isWorthALine("sql.57P03", at: .seconds(151)))
        #expect(failure.isWorthALine("sql.08001", at: .seconds(152)), "the cause has changed back")
        failure.succeeded()
        #expect(failure.isWorthALine("sql.08001", at: .seconds(153)))
    }
}
