// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellKeys
@testable import FarewellPlan
import FarewellSQL
import Foundation
import LinearGrowth
import Testing

@Suite("Plans, receipts and names of users, parsed in linear time", .serialized)
struct LinearPlanTests {
    private func expectLinear(_ name: String, _ work: (String) -> Void) async {
        let faults = await LinearGrowth.faults(of: name, work)
        #expect(faults.isEmpty, "\(faults)")
    }

    @Test("SC-2 a plan file is read in linear time, for any keys and texts")
    func plans() async {
        await expectLinear("a key") { _ = try? PlanFile.read(Array("farewell: 1\n\"\($0)\": 1\n".utf8), path: "p") }
        await expectLinear("a text") {
            _ = try? PlanFile.read(Array("farewell: 1\nschema: \"\($0)\"\n".utf8), path: "p")
        }
        await expectLinear("a file") { _ = try? PlanFile.read(Array($0.utf8), path: "p") }
    }

    @Test(
        "SC-2 a plan with a long run of indicator characters is refused before a parser sees it, however the run is written",
        arguments: [
            String(repeating: "\u{301}\u{327}", count: 16), String(repeating: #"\u0301\U00000327"#, count: 16),
            String(repeating: "\u{301}\\u0327", count: 16),
            Array(repeating: String(repeating: "\u{301}", count: 20), count: 2).joined(separator: "\\\n  "),
        ])
    func refused(_ marks: String) throws {
        let error = try #require(throws: FarewellError.self) {
            try PlanFile.read(Array("farewell: 1\nschema: \"a\(marks)\"\n".utf8), path: "p")
        }
        #expect(error.code == "plan.unreadable" && error.message.contains("combining marks"), "\(error)")
    }

    @Test("SC-2 a plan in any script, with escapes, is read as before")
    func allowed() throws {
        let reason = String(repeating: #"\u6cd5\u5f8b"#, count: 40) + "e\u{301}\\u0327 Gesetz"
        #expect(YAMLText.isStreamSafe(Array("reason: \"\(reason)\" \\x \\u12".utf8)))
    }

    @Test("SC-2 receipts and key lists are read in linear time")
    func receipts() async throws {
        let verifier = ReceiptVerifier(keys: PublicKeyList([]))
        await expectLinear("a receipt") { _ = try? verifier.verify($0) }
        await expectLinear("parts of a receipt") { _ = try? verifier.verify("\($0).\($0).\($0)") }
        await expectLinear("what is signed") { _ = try? Receipt(json: Data("{\"\($0)\":\"\($0)\"}".utf8)) }
        await expectLinear("a list of keys") {
            _ = try? PublicKeyList(json: Data("{\"keys\":[{\"\($0.prefix(1 << 15))\":1}]}".utf8))
        }
    }

    @Test("SC-2 names of users are collected and compared in linear time")
    func names() async {
        await expectLinear("what is looked for") { name in
            let subject = SealedSubject(
                key: StoredValue(.text(name)), identifiers: [name, name + "b"], captured: [:], isCaptureBounded: false,
                retainedUntil: [:], files: [:], incarnation: "", counts: [:])
            _ = SearchedSubject(subject)
            _ = ResidueScan.needles(of: [subject])
            _ = ResidueScan.patterns(of: [name, name])
        }
        await expectLinear("sampled values") { text in
            var places: [SampledPlace: SampledValues] = [:]
            let column = ColumnName(TableName("t"), "c")
            for value in [text, "{" + text, "{\"\(text)\":\"\(text)\"}", "[\"\(text)\"]"] {
                SampledValues.collect(.text(value), of: column, into: &places)
                SampledValues.collect(.json(value), of: column, into: &places)
            }
        }
    }
}
