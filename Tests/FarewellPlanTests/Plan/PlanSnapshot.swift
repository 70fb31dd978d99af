// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellPlan
import FarewellSQL
import Foundation
import Testing

/// Everything that the rules of a plan decide, as text: the files, drawings, findings and statements.
struct PlanSnapshot {
    private(set) var sections: [(name: String, text: String)] = []

    init() {}

    init(_ plan: Plan, _ schema: Schema, probed: [Finding]) {
        add("file", PlanFile.text(for: plan))
        add("findings", Self.text(PlanCheck.findings(plan, schema) + probed))
        for format in PlanDrawing.Format.allCases {
            add("drawing as \(format.rawValue)", PlanDrawing.draw(plan, schema: schema, as: format))
        }
        add("statements", Self.statements(plan, schema))
    }

    private static func statements(_ plan: Plan, _ schema: Schema) -> String {
        do {
            var lines: [String] = []
            collect(try RowProgram(graph: RowGraph(plan: plan, schema: schema)), "", &lines)
            return lines.joined(separator: "\n")
        } catch {
            return "\(error)"
        }
    }

    mutating func add(_ name: String, _ text: String) { sections.append((name, text)) }

    static func text(_ findings: [Finding]) -> String {
        findings.map { "\($0.severity) \($0.code.rawValue) \($0.place): \($0.message) \($0.remedy ?? "-")" }
            .joined(separator: "\n")
    }

    /// Records an issue for each section that is not as recorded, and keeps its text for comparison.
    func expect(as name: String) throws {
        for section in sections {
            let key = "\(name) \(section.name)"
            let digest = Self.digest(section.text)
            guard Self.recorded[key] != digest else { continue }
            let folder = FileManager.default.temporaryDirectory.appending(path: "farewell-snapshot")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appending(path: key.replacing(" ", with: "-") + ".txt")
            try Data(section.text.utf8).write(to: file)
            Issue.record("\(key) is not as recorded: \(digest). See \(file.path)")
        }
    }

    /// The number of bytes and their FNV-1a hash of 64 bits.
    static func digest(_ text: String) -> String {
        let hash = text.utf8.reduce(into: 0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return "\(text.utf8.count) \(String(hash, radix: 16))"
    }

    /// Every value within a program, by its path; the graph it was made from is left out.
    private static func collect(_ value: Any, _ path: String, _ lines: inout [String]) {
        let mirror = Mirror(reflecting: value)
        guard !mirror.children.isEmpty else {
            lines.append("\(path) \(value)")
            return
        }
        if mirror.displayStyle == .dictionary || mirror.displayStyle == .set {
            lines += mirror.children.map { child in
                var own: [String] = []
                collect(child.value, "\(path).", &own)
                return own.joined(separator: "\n")
            }.sorted()
            return
        }
        for (place, child) in mirror.children.enumerated() where child.label != "graph" {
            collect(child.value, "\(path).\(child.label ?? "\(place)")", &lines)
        }
    }
}
