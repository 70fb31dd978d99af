// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing
import Yams

struct PlanJSONSchemaTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test("the published schema of plan files matches the code")
    func published() throws {
        let file = Self.root.appending(path: "docs/farewell.schema.json")
        #expect(try String(contentsOf: file, encoding: .utf8) == PlanJSONSchema.text)
    }

    @Test("an editor accepts and refuses the same files as the reader")
    func validates() throws {
        var random = PlanSeed(seed: 5)
        let schema = RandomSchema.schema(tables: 12, &random)
        var accepted = [
            PlanFile.text(for: try RandomSchema.plan(for: schema)), PlanFile.text(for: try PlanCheckTests.good().0),
            PlanFileTests.good,
        ]
        for profile in ["coachme", "muse", "chinook", "aws"] {
            for name in ["farewell.sqlite.yaml", "farewell.postgresql.yaml"] {
                let file = Self.root.appending(path: "Examples/\(profile)/\(name)")
                accepted.append(try String(contentsOf: file, encoding: .utf8))
            }
        }
        let refused = [
            ("farewell: 1", "farewell: 2"), ("key: id", "kye: id"), ("rule: retain", "rule: keep"),
            ("for: 10 years", "for: ever"), ("    for: 10 years\n", ""), ("email: hash", "email: hsh"),
            ("key: cascade", "key: cascades"), ("shared: erase", "shared: maybe"),
            ("folder: \"{subject}/\"", "folder: all/"),
            ("columns: []", "colums: []"), ("rule: not personal", "rule: not personal\n    reason: a"),
            ("{constant: \"\"}", "{constant: \"\", expression: a}"), ("table: auth.users, ", ""),
            ("[rows, files, identity]", "[rows, rows, identity]"), ("to: auth.users.id", "to: auth"),
        ].map { PlanFileTests.good.replacing($0.0, with: $0.1) }
        for text in accepted { _ = try PlanFile.read(Array(text.utf8), path: "p") }
        for text in refused {
            #expect(text != PlanFileTests.good)
            if !text.contains("folder: all/") {
                #expect(throws: FarewellError.self) { try PlanFile.read(Array(text.utf8), path: "p") }
            }
        }
        #expect(try Self.faults(accepted) == Array(repeating: 0, count: accepted.count))
        #expect(try !Self.faults(refused).contains(0))
    }

    @Test("DX-2 every key of the plan has a description and an example, and its examples are valid")
    func examples() throws {
        let paths = [
            [], ["$defs", "subject"], ["$defs", "table"], ["$defs", "link"], ["$defs", "question"], ["$defs", "folder"],
            ["$defs", "system"], ["$defs", "effect"], ["$defs", "system", "properties", "owned"],
            ["$defs", "system", "properties", "secrets", "additionalProperties"], ["$defs", "columnRule", "anyOf", "last"],
        ]
        for path in paths {
            let keys = try PlanReference.keys(path)
            #expect(!keys.isEmpty, "\(path)")
            for key in keys { #expect(!key.meaning.isEmpty && !key.example.isEmpty, "\(path) \(key.name)") }
        }
        let script = """
            import json, sys
            from jsonschema import Draft202012Validator
            schema = json.loads(sys.stdin.buffer.read())
            def walk(node):
                if isinstance(node, dict):
                    if isinstance(node.get("examples"), list):
                        validator = Draft202012Validator({**node, "$defs": schema["$defs"]})
                        wrong.extend(e for e in node["examples"] if list(validator.iter_errors(e)))
                        count.extend(node["examples"])
                    for value in node.values(): walk(value)
                elif isinstance(node, list):
                    for value in node: walk(value)
            wrong, count = [], []
            walk(schema)
            print(json.dumps([len(count), wrong]), end="")
            """
        let output = try Program.python(script, input: Data(PlanJSONSchema.text.utf8))
        let result = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [Any])
        #expect(try #require(result[0] as? Int) > 50 && (result[1] as? [Any])?.isEmpty == true, "\(output)")
    }

    /// How many faults an independent validator finds in each file.
    private static func faults(_ files: [String]) throws -> [Int] {
        let script = """
            import json, sys
            from jsonschema import Draft202012Validator
            schema, files = json.loads(sys.stdin.buffer.read())
            Draft202012Validator.check_schema(schema)
            validator = Draft202012Validator(schema)
            print([len(list(validator.iter_errors(file))) for file in files], end="")
            """
        let schema = try JSONSerialization.jsonObject(with: Data(PlanJSONSchema.text.utf8))
        let documents = try files.map { try Yams.load(yaml: $0) ?? NSNull() }
        let input = try JSONSerialization.data(withJSONObject: [schema, documents])
        let output = try Program.python(script, input: input)
        return try JSONDecoder().decode([Int].self, from: Data(output.utf8))
    }
}
