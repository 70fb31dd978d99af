// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import Foundation
internal import Yams

/// `farewell.yaml`: reads a plan from its file and writes it into one.
public enum PlanFile {
    /// The greatest size that is read, in bytes: far more than a plan for 10,000 tables.
    public static let greatestSize = 4 << 20

    /// Reads the plan at a path.
    ///
    /// - Throws: `plan.unreadable` naming path, line and column of everything that is wrong; `plan.missing`
    ///   when there is no such file.
    public static func load(path: String) throws(FarewellError) -> Plan {
        try read(try bytes(path: path), path: path)
    }

    /// The bytes of the plan at a path, one more than are read at most where there are more.
    ///
    /// - Throws: `plan.missing`, `plan.unreadable`; also for a pipe or a device, which could block or never end.
    package static func bytes(path: String) throws(FarewellError) -> [UInt8] {
        do {
            return try OrdinaryFile.read(path, limit: greatestSize + 1)
        } catch .missing {
            throw FarewellError(
                "plan.missing", .yoursToFix, "There is no plan file at \(Shown.line(path, limit: 200)).",
                remedy: "Write one with `farewell init`, or name it with --plan.")
        } catch .notOrdinary {
            throw FarewellError(
                "plan.unreadable", .yoursToFix, "The plan at \(Shown.line(path, limit: 200)) is not an ordinary file.",
                remedy: "Write it to a file and name the file with --plan.")
        } catch {
            throw FarewellError(
                "plan.unreadable", .yoursToFix, "The plan at \(Shown.line(path, limit: 200)) cannot be read.",
                remedy: "Allow this user to read it.")
        }
    }

    /// The first place that is not UTF-8.
    private static func notText(_ bytes: [UInt8]) -> PlanProblem {
        // Each piece that is not UTF-8 is repaired, so the repaired text is equal up to there.
        let repaired = Array(String(decoding: bytes, as: UTF8.self).utf8)
        let place = zip(bytes, repaired).prefix { $0 == $1 }.count
        let before = bytes[..<place]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return PlanProblem(
            line, String(decoding: bytes[start..<place], as: UTF8.self).unicodeScalars.count + 1,
            "The file is not text in UTF-8 from here on.")
    }

    /// Reads a plan from the bytes of its file. `path` is only named in errors.
    ///
    /// Strict: an unknown key, a wrong type, a duplicate or a missing part is an error, because a plan that
    /// is misread deletes the wrong rows. All problems are found at once, as far as one does not hide another.
    ///
    /// - Throws: `plan.unreadable`.
    public static func read(_ bytes: [UInt8], path: String) throws(FarewellError) -> Plan {
        guard bytes.count <= greatestSize else {
            throw PlanProblem.error([PlanProblem(1, 1, "The file is larger than 4 MiB.")], path: path)
        }
        guard var text = String(validating: bytes, as: UTF8.self) else {
            throw PlanProblem.error([notText(bytes)], path: path)
        }
        let scan = PlanText(bytes)
        if let problem = scan.refusal { throw PlanProblem.error([problem], path: path) }
        guard YAMLText.isStreamSafe(bytes) else { throw PlanProblem.error([YAMLText.problem], path: path) }
        var reader = PlanReader()
        if !scan.marks.isEmpty {
            guard let replaced = YAMLMarks.replaced(scan.marks, in: bytes) else {
                let problem = PlanProblem(1, 1, "The file has every character for private use (U+E000 to U+F8FF).")
                throw PlanProblem.error([problem], path: path)
            }
            reader.standIn = replaced.standIn
            text = String(decoding: replaced.bytes, as: UTF8.self)
        }
        text = YAMLMarks.divided(text).rest
        let plan = compose(text, into: &reader)
        guard reader.problems.isEmpty, let plan else {
            throw PlanProblem.error(reader.problems, path: path)
        }
        return plan
    }

    private static func compose(_ text: String, into reader: inout PlanReader) -> Plan? {
        do {
            let parser = try Parser(yaml: text, encoding: .utf8)
            // The parser owns the anchors; nodes only point at them, and the reader refuses anchored nodes.
            return try withExtendedLifetime(parser) {
                guard let root = try parser.singleRoot() else {
                    reader.problems.append(PlanProblem(1, 1, "The file is empty."))
                    return nil
                }
                return reader.plan(root)
            }
        } catch {
            let problem = PlanProblem(parsing: text, failedBy: error)
            reader.problems.append(problem ?? PlanProblem(1, 1, "The file is not YAML."))
        }
        return nil
    }
}
