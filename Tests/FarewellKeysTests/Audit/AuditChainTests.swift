// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellKeys
import Foundation
import TestFixtures
import Testing

@Suite("The audit log")
struct AuditChainTests {
    static let start = Date(timeIntervalSince1970: 1_763_723_280.123)

    static func log(_ count: Int, act: String = "step.finished") throws -> [AuditEntry] {
        var entries: [AuditEntry] = []
        for number in 0..<count {
            entries.append(
                try AuditChain.entry(
                    after: entries.last.map(AuditHead.init(of:)), at: start.addingTimeInterval(Double(number)),
                    actor: "worker", act: act, run: UUID(uuidString: "6E3B6C3E-53C7-4C4E-9B1D-2F3A5E0B7C11"),
                    subject: SubjectHash(rawValue: String(repeating: "ab", count: 32)),
                    details: ["rows": String(number), "place": "public.größe/\u{1F600}"]))
        }
        return entries
    }

    static func verdict(_ entries: [AuditEntry], _ head: AuditHead? = nil) -> String {
        switch AuditChain.verify(entries, head: head) {
        case .intact(let count, _): "intact \(count)"
        case .broken(let damage): "\(damage.kind.rawValue) \(damage.sequence)"
        }
    }

    @Test("no entry follows an entry with the greatest possible number")
    func spent() {
        let error = #expect(throws: FarewellError.self) {
            try AuditChain.entry(
                after: AuditHead(sequence: .max, hash: AuditChain.beginning), at: Self.start, actor: "worker", act: "step.finished")
        }
        #expect(error?.code == "audit.broken")
    }

    @Test("BX-6 an untouched audit log is valid, with and without its head")
    func intact() throws {
        let entries = try Self.log(10)
        #expect(Self.verdict(entries) == "intact 10")
        #expect(Self.verdict(entries, AuditHead(of: entries[9])) == "intact 10")
        #expect(Self.verdict(entries, AuditHead(of: entries[4])) == "intact 10", "newer entries than the head are fine")
        #expect(Self.verdict([]) == "intact 0")
        #expect(AuditChain.verify(entries) == .intact(entries: 10, last: AuditHead(of: entries[9])))
    }

    @Test("BX-6 a change of any field of any audit entry is found, with its position")
    func edited() throws {
        let entries = try Self.log(5)
        for position in entries.indices {
            let old = entries[position]
            func with(
                at: Date? = nil, actor: String? = nil, act: String? = nil, run: UUID?? = nil,
                subject: SubjectHash?? = nil,
                details: [String: String]? = nil, previous: String? = nil, hash: String? = nil
            ) -> AuditEntry {
                AuditEntry(
                    sequence: old.sequence, at: at ?? old.at, actor: actor ?? old.actor, act: act ?? old.act,
                    run: run ?? old.run, subject: subject ?? old.subject, details: details ?? old.details,
                    previous: previous ?? old.previous, hash: hash ?? old.hash)
            }
            let changed = [
                with(at: old.at.addingTimeInterval(0.001)), with(actor: "x"), with(act: "x"), with(run: .some(nil)),
                with(run: UUID()), with(subject: .some(nil)), with(subject: SubjectHash(rawValue: "")),
                with(details: [:]),
                with(details: old.details.merging(["rows": "999"]) { $1 }),
                with(details: old.details.merging(["more": ""]) { $1 }),
                with(previous: String(repeating: "1", count: 64)), with(hash: String(repeating: "1", count: 64)),
                with(hash: ""), with(hash: old.hash.uppercased()),
            ]
            for entry in changed {
                var bad = entries
                bad[position] = entry
                #expect(Self.verdict(bad) == "edited \(position + 1)")
            }
        }
    }

    @Test("BX-6 a dropped audit entry is found at any position")
    func dropped() throws {
        let entries = try Self.log(5)
        for position in 0..<4 {
            var bad = entries
            bad.remove(at: position)
            #expect(Self.verdict(bad) == "dropped \(position + 2)")
        }
        #expect(Self.verdict(Array(entries.dropFirst(2))) == "dropped 3")
    }

    @Test("BX-6 swapped and duplicated audit entries are found")
    func reordered() throws {
        let entries = try Self.log(5)
        for position in 0..<4 {
            var swapped = entries
            swapped.swapAt(position, position + 1)
            #expect(Self.verdict(swapped) == "dropped \(position + 2)")
            var doubled = entries
            doubled.insert(entries[position], at: position + 1)
            #expect(Self.verdict(doubled) == "reordered \(position + 1)")
        }
        var moved = entries
        moved.append(moved.remove(at: 4))
        moved.append(moved[1])
        #expect(Self.verdict(moved) == "reordered 2")
    }

    @Test("BX-6 the signed head reveals a truncated audit log")
    func truncated() throws {
        let entries = try Self.log(5)
        let head = AuditHead(of: entries[4])
        for count in 0..<5 {
            #expect(Self.verdict(Array(entries.prefix(count)), head) == "truncated \(count + 1)")
            #expect(Self.verdict(Array(entries.prefix(count))) == "intact \(count)", "which is why heads are exported")
        }
    }

    @Test("BX-6 a rewritten audit log with valid hashes is found by its head and by its neighbours")
    func rewritten() throws {
        let entries = try Self.log(5)
        let anew = try Self.log(5, act: "nothing.happened")
        #expect(Self.verdict(anew) == "intact 5")
        #expect(Self.verdict(anew, AuditHead(of: entries[4])) == "replaced 5")
        #expect(Self.verdict(anew, AuditHead(of: entries[2])) == "replaced 3")
        #expect(Self.verdict(Array(entries.prefix(2)) + anew.suffix(3)) == "replaced 3")
    }

    @Test("the head is signed, and only our own keys' signature is accepted")
    func head() throws {
        let folder = try StateFolder()
        let keys = try folder.keys()
        let head = AuditHead(of: try #require(try Self.log(3).last))
        let text = try head.signed(by: keys.signingKey)
        #expect(try AuditHead(signed: text + "\n", keys: keys.publicKeys) == head)
        let foreign = try StateFolder().keys()
        #expect(code { _ = try AuditHead(signed: text, keys: foreign.publicKeys) } == "signature.unknown-key")
        let parts = text.split(separator: ".", maxSplits: 2)
        var signature = try #require(Base64URL.bytes(parts[2]))
        signature[40] ^= 1
        let changed = "\(parts[0]).\(parts[1]).\(Base64URL.text(signature))"
        #expect(code { _ = try AuditHead(signed: changed, keys: keys.publicKeys) } == "signature.wrong")
        let receipt = try ReceiptSigner(key: keys.signingKey).sign(try sampleReceipt())
        #expect(code { _ = try AuditHead(signed: receipt, keys: keys.publicKeys) } == "signature.malformed")
        #expect(code { _ = try ReceiptVerifier(keys: keys.publicKeys).verify(text) } == "signature.malformed")
    }

    @Test("lines read back as the same entries; an invalid line is named by its number")
    func lines() throws {
        let entries = try Self.log(20)
        let data = try AuditLines.data(entries)
        #expect(try AuditLines.entries(data) == entries)
        #expect(data.filter { $0 == UInt8(ascii: "\n") }.count == 20)
        #expect(try AuditLines.entries(Data()).isEmpty)
        let error = #expect(throws: FarewellError.self) {
            try AuditLines.entries(try AuditLines.data(entries.prefix(2)) + Data("{}\n".utf8))
        }
        #expect(error?.code == "audit.malformed" && error?.message.contains("Line 3") == true)
    }

    @Test("every bit of an exported log matters: flipping any of them makes it invalid")
    func flips() throws {
        let entries = try Self.log(2)
        let data = try AuditLines.data(entries)
        let head = AuditHead(of: entries[1])
        // The last byte only ends the last line.
        for place in data.indices.dropLast() {
            for bit in [UInt8(1), 2, 32] {
                var bad = data
                bad[place] ^= bit
                guard let read = try? AuditLines.entries(bad) else { continue }
                #expect(!Self.verdict(read, head).hasPrefix("intact") || read == entries, "byte \(place)")
            }
        }
    }

    @Test("another implementation computes the same hashes from the exported lines")
    func oracle() throws {
        let script = """
            import hashlib, json, sys
            previous = "0" * 64
            for line in sys.stdin.buffer.read().decode().splitlines():
                entry = json.loads(line)
                given = entry.pop("hash")
                text = json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
                assert entry["previous"] == previous
                previous = hashlib.sha256(b"farewell/audit/v1\\n" + text.encode()).hexdigest()
                assert given == previous, line
            print(previous, end="")
            """
        let entries = try Self.log(12)
        let answer = try Program.python(script, input: try AuditLines.data(entries))
        #expect(answer == entries.last?.hash)
    }

    @Test(
        "text that could name a user or forge a line is kept out of the log",
        arguments: [
            "jane@example.org", "a\nb", "\u{1B}[31m", "\u{202E}abc", "\u{0}", String(repeating: "x", count: 257),
            "a\u{2028}b",
        ])
    func withheld(text: String) throws {
        let entry = try AuditChain.entry(
            after: nil, at: Self.start, actor: text, act: text, details: ["a": text, text: "b", "ok": "public.users"])
        #expect(entry.actor == "withheld" && entry.act == "withheld")
        #expect(entry.details == ["a": "withheld", "withheld": "b", "ok": "public.users"])
        #expect(Self.verdict([entry]) == "intact 1")
    }
}
