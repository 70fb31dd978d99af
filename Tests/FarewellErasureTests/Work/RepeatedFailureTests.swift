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
        let others = [("sql.57P03", 150), ("sql.57P03", 151), ("sql.08001", 152)].map { code, second in
            failure.isWorthALine(code, at: .seconds(second))
        }
        #expect(others == [true, false, true], "the cause changes, lasts, and changes back")
        failure.succeeded()
        let next = failure.isWorthALine("sql.08001", at: .seconds(153))
        #expect(next)
    }
}
