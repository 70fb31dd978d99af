// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import TestFixtures
import Testing

@Suite("The published schema of receipts")
struct ReceiptSchemaTests {
    /// docs/receipt.schema.json of this package.
    static let schema = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("docs/receipt.schema.json")

    /// Receipts that between them hold every outcome, extent and state, and every optional member with and without.
    static func receipts() throws -> [Receipt] {
        var receipts = [try sampleReceipt()]
        for outcome in ReceiptStep.Outcome.allCases {
            for extent in ReceiptVerification.DeepScan.Extent.allCases {
                for state in ReceiptVerification.Residue.State.allCases {
                    var receipt = try sampleReceipt()
                    receipt.steps[0].outcome = outcome
                    receipt.steps[0].places[0].bytes = 5
                    receipt.retained[0].until = nil
                    receipt.verification.deepScan = .init(
                        extent: extent, columns: 1, rows: 1, left: 1, leftIn: ["a.b"], similar: 2, similarIn: ["a.c"],
                        notSearched: [UnsearchedPlace(place: "a.d", reason: "bytes")])
                    receipt.verification.residue = .init(state: state, files: 1, bytes: 1, occurrences: 1)
                    receipt.outOfScope = [.backups(expire: CalendarDay(year: 2026, month: 1, day: 1))]
                    receipts.append(receipt)
                }
            }
        }
        return receipts
    }

    @Test("every receipt matches the schema, and receipts contain every member of the schema")
    func keeps() throws {
        let script = """
            import json, sys
            from jsonschema import Draft202012Validator
            schema = json.load(open(sys.argv[1]))
            Draft202012Validator.check_schema(schema)
            validator = Draft202012Validator(schema)
            receipts = json.loads(sys.stdin.buffer.read())
            faults = [e.json_path + " " + e.message for r in receipts for e in validator.iter_errors(r)]
            # A member taken away or added is a fault, so the schema describes the receipt and nothing looser.
            def objects(value):
                if isinstance(value, dict):
                    yield value
                for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
                    yield from objects(child)
            for receipt in receipts[:1]:
                for part in list(objects(receipt)):
                    part["more"] = 1
                    if validator.is_valid(receipt): faults.append("an additional member passes")
                    del part["more"]
                    for name in [n for n in part if n not in ("until", "expires", "bytes")]:
                        value = part.pop(name)
                        if validator.is_valid(receipt): faults.append("passes without " + name)
                        part[name] = value
            seen = {name for r in receipts for part in objects(r) for name in part}
            def members(value):
                if isinstance(value, dict):
                    yield from value.get("properties", {})
                for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
                    yield from members(child)
            faults += ["no receipt has " + name for name in set(members(schema)) - seen]
            print(len(receipts), sorted(set(faults)), end="")
            """
        let receipts = try Self.receipts()
        let json =
            Data("[".utf8) + Data(try receipts.map { try $0.canonicalJSON() }.joined(separator: Data(",".utf8)))
            + Data("]".utf8)
        #expect(try Program.python(script, [Self.schema.path], input: json) == "\(receipts.count) []")
    }
}
