// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

extension Receipt {
    /// A receipt with something in every field.
    static func example() throws -> Receipt {
        let start = Date(timeIntervalSince1970: 1_763_723_280)
        return Receipt(
            id: try #require(UUID(uuidString: "6E3B6C3E-53C7-4C4E-9B1D-2F3A5E0B7C11")),
            subject: String(repeating: "ab", count: 32), requestedAt: start, finishedAt: start.addingTimeInterval(0.25),
            issuedAt: start.addingTimeInterval(0.5), planFingerprint: "plan-1", schemaFingerprint: "schema-1",
            engineVersion: "0.1.0",
            steps: [
                ReceiptStep(
                    name: "files", store: "photos", outcome: .erased,
                    places: [PlaceCount(place: "photos", erased: 3, bytes: 12_345)]),
                ReceiptStep(
                    name: "rows", store: "postgresql", outcome: .erased,
                    places: [
                        PlaceCount(place: "public.messages", erased: 1_234_567),
                        PlaceCount(place: "public.invoices", anonymised: 2, retained: 7),
                    ]),
            ],
            retained: [
                RetainedPlace(
                    place: "public.invoices", rows: 7, reason: "Tax law, § 147",
                    until: CalendarDay(year: 2035, month: 12, day: 31))
            ],
            verification: ReceiptVerification(
                readBack: .init(places: 12, rowsLeft: 0),
                deepScan: .init(extent: .complete, columns: 40, rows: 9_000, occurrences: 0),
                residue: .init(state: .scrubbedAndScanned, files: 2, bytes: 65_536)),
            notVerifiable: [.backups(expire: CalendarDay(year: 2026, month: 1, day: 1)), .postgreSQLDeadRows],
            outOfScope: [ReceiptNote(about: "e-mail", note: "Messages in other people's mailboxes.")])
    }
}

@Suite("A receipt")
struct ReceiptTests {
    @Test("a receipt reads back as written, byte for byte")
    func roundTrip() throws {
        let receipt = try Receipt.example()
        let json = try receipt.canonicalJSON()
        let again = try Receipt(json: json)
        #expect(again == receipt)
        #expect(try again.canonicalJSON() == json)
    }

    @Test("the canonical JSON has its members in order, no white space, and times in UTC")
    func canonical() throws {
        let text = String(decoding: try Receipt.example().canonicalJSON(), as: UTF8.self)
        #expect(text.hasPrefix(#"{"engineVersion":"0.1.0","finishedAt":"2025-11-21T11:08:00.250Z","id":"6e3b6c3e-"#))
        #expect(!text.contains("\n") && !text.contains(": ") && !text.contains("\\/"))
        #expect(text.contains(#""until":"2035-12-31""#))
    }

    @Test("totals add up the places of all steps")
    func totals() throws {
        var receipt = try Receipt.example()
        #expect(
            receipt.totals == PlaceCount(place: "total", erased: 1_234_570, anonymised: 2, retained: 7, bytes: 12_345))
        receipt.steps[0].places[0].erased = .max
        #expect(receipt.totals.erased == .max)
    }

    @Test("a failed step, a remaining row, an occurrence and a residue each make a receipt incomplete")
    func completeness() throws {
        let whole = try Receipt.example()
        #expect(whole.isComplete)
        let changes: [(inout Receipt) -> Void] = [
            { $0.steps[1].outcome = .failed },
            { $0.verification.readBack.rowsLeft = 1 },
            { $0.verification.deepScan.occurrences = 1 },
            { $0.verification.residue.occurrences = 1 },
        ]
        for change in changes {
            var receipt = whole
            change(&receipt)
            #expect(!receipt.isComplete)
            #expect(ReceiptPage.html(receipt, jws: "").contains(#"<p class="open">"#))
        }
    }

    @Test("every outcome and extent survives its JSON")
    func words() throws {
        var receipt = try Receipt.example()
        for outcome in ReceiptStep.Outcome.allCases {
            receipt.steps[0].outcome = outcome
            for extent in ReceiptVerification.DeepScan.Extent.allCases {
                receipt.verification.deepScan.extent = extent
                for state in ReceiptVerification.Residue.State.allCases {
                    receipt.verification.residue.state = state
                    #expect(try Receipt(json: receipt.canonicalJSON()) == receipt)
                }
            }
        }
    }

    @Test("JSON that is not a receipt is refused")
    func malformed() {
        let deep = [String(repeating: "[", count: 100_000), String(repeating: #"{"version":"#, count: 50_000)]
        for text in ["", "{}", "[]", "null", #"{"version":1}"#, "\u{0}"] + deep {
            #expect(throws: FarewellError.self, "\(text.prefix(20))") { try Receipt(json: Data(text.utf8)) }
        }
    }

    @Test("a receipt of a newer format gives an error instead of a wrong reading")
    func newer() throws {
        let json = String(decoding: try Receipt.example().canonicalJSON(), as: UTF8.self)
        let newer = json.replacing(#""version":1"#, with: #""version":2"#)
        let error = #expect(throws: FarewellError.self) { try Receipt(json: Data(newer.utf8)) }
        #expect(error?.code == "receipt.version")
    }
}
