// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinearGrowth
import Testing

@testable import Farewell

@Suite("Untrusted text, processed in linear time", .serialized)
struct LinearTextTests {
    private func expectLinear(_ name: String, _ work: (String) -> Void) async {
        let faults = await LinearGrowth.faults(of: name, work)
        #expect(faults.isEmpty, "\(faults)")
    }

    @Test("SC-2 the measurement itself distinguishes a quadratic reader from a linear one")
    func measure() {
        let hashed = LinearGrowth.of("a hash", { HostileText.marks.text($0 / 4) }) { (text: String) in _ = text.hashValue }
        #expect(!hashed.isLinear, "\(hashed)")
        let scanned = LinearGrowth.of("a scan", HostileText.marks.text) { (text: String) in _ = text.isStreamSafe }
        #expect(scanned.isLinear, "\(scanned)")
    }

    @Test("SC-2 SRV-02 JSON is read in linear time, whether names, values or the whole are hostile")
    func json() async {
        for marks in [StrictJSON.Marks.refused, .separated] {
            await expectLinear("names") { _ = try? StrictJSON.value(Array("{\"\($0)\":1}".utf8), marks: marks) }
            await expectLinear("values") { text in
                let value = try? StrictJSON.value(Array("{\"a\":\"\(text)\"}".utf8), marks: marks)
                _ = value?["a"] == "b"
                _ = value.map(\.hashValue)
            }
            await expectLinear("all") { _ = try? StrictJSON.value(Array($0.utf8), depth: 64, marks: marks) }
        }
        await expectLinear("names, by the system") {
            _ = try? CanonicalJSON.value(JSONValue.self, from: Data("{\"\($0)\":1}".utf8))
        }
        await expectLinear("values, by the system") {
            let value = try? CanonicalJSON.value(JSONValue.self, from: Data("{\"a\":\"\($0)\"}".utf8))
            _ = value?["a"] == "b"
        }
        await expectLinear("all, by the system") { _ = try? CanonicalJSON.value(JSONValue.self, from: Data($0.utf8)) }
    }

    @Test("SC-2 many members of one object are read in linear time")
    func members() {
        let growth = LinearGrowth.of(
            "members",
            { size in
                "{" + (0..<size / 12).map { "\"m\($0)\":1" }.joined(separator: ",") + "}"
            }
        ) { (text: String) in _ = try? StrictJSON.value(Array(text.utf8)) }
        #expect(growth.isLinear, "\(growth)")
    }

    @Test("SC-2 SRV-02 an e-mail address is measured before it is normalised")
    func addresses() async {
        await expectLinear("an address") { _ = EmailAddress($0 + "@example.org") }
        await expectLinear("a spelling") { _ = EmailAddress.spelling(of: " " + $0 + " ") }
        await expectLinear("spellings") { _ = EmailAddress.spellings(of: $0) }
        let long = String(repeating: "\u{301}", count: 200) + "@example.org"
        #expect(EmailAddress(long) == nil)
        #expect(EmailAddress.spelling(of: long).utf8.elementsEqual(long.utf8))
        #expect(EmailAddress("  Jos\u{65}\u{301}@Example.ORG ")?.text == "jos\u{e9}@example.org")
        #expect(EmailAddress("a b@example.org") == nil && EmailAddress("   ") == nil)
    }

    @Test("SC-2 tokens, passwords and printed text are read in linear time")
    func others() async {
        await expectLinear("a token") { _ = try? CompactToken($0, limits: .init(token: 1 << 20)) }
        await expectLinear("claims") { text in
            let claims = Base64URL.text(Array("{\"\(text)\":\"\(text)\"}".utf8))
            _ = try? CompactToken("e30.\(claims).AA", limits: .init(token: 4 << 20))
        }
        await expectLinear("printed text") { _ = $0.printable }
        await expectLinear("exact text") { text in
            _ = ExactText(text).hashValue
            _ = ExactText(text) < ExactText(text + "b")
        }
    }
}
