// SPDX-License-Identifier: Apache-2.0

import Foundation
import Subprocess
import SystemPackage
import Testing

/// The second run of `make test`, with a command in the place of `swift` that writes the records of a run.
@Suite("Scripts/suite, which runs the tests")
struct SuiteScriptTests {
    @Test("a test that fails beside the others may pass alone; one that fails twice, or does not run again, fails the run")
    func again() async throws {
        let once = Records(failed: ["T.A/a()"]), clean = Records(failed: [])
        try await #expect(Self.status(first: once, second: clean) == 0)
        try await #expect(Self.status(first: once, second: once) == 1)
        try await #expect(Self.status(first: once, second: Records(failed: [], without: "T.A/a()")) == 1)
        try await #expect(Self.status(first: once, second: nil) == 1)
    }

    @Test("a run that crashes, that fails as a whole, or in which many tests fail has no second chance")
    func whole() async throws {
        let clean = Records(failed: [])
        try await #expect(Self.status(first: Records(failed: ["T.A/a()"], ended: false), second: clean) == 1)
        try await #expect(Self.status(first: clean, second: clean) == 1)
        try await #expect(Self.status(first: nil, second: clean) == 1)
        let many = (0..<13).map { "T.A/a\($0)()" }
        try await #expect(Self.status(first: Records(failed: many), second: Records(failed: [], others: many)) == 1)
        try await #expect(Self.status(first: Records(failed: ["T.A/a()"]), second: clean, once: true) == 1)
    }

    @Test("a run without a failure runs no test again")
    func clean() async throws {
        try await #expect(Self.status(first: Records(failed: []), second: nil, firstStatus: 0) == 0)
    }

    @Test("a run that stands still is stopped and fails")
    func still() async throws {
        let stuck = Records(failed: [], stuck: ["T.A/c()": ["first", "second"]], ended: false)
        let end = try await Self.end(first: stuck, second: nil, firstStatus: 0, silence: 1)
        #expect(end.status == 1)
        #expect(end.output.hasSuffix("for 1 s no test began or ended. At work:\n  T.A/c()\n    second\n"), "\(end.output)")
    }

    /// The records of a run of two tests, as the testing library writes them.
    private struct Records {
        var failed: [String]
        var without: String?
        var others: [String] = []
        /// Tests that do not end, and their cases, of which only the last does not end.
        var stuck: [String: [String]] = [:]
        var ended = true

        var text: String {
            var lines: [String] = []
            for test in ["T.A/a()", "T.A/b()"] + others + failed where test != without {
                let id = "\(test)/File.swift:1:1"
                lines.append(#"{"kind":"test","payload":{"id":"\#(id)","name":"n","kind":"function"},"version":0}"#)
                if failed.contains(test) {
                    lines.append(
                        #"{"kind":"event","payload":{"kind":"issueRecorded","issue":{"isKnown":false},"testID":"\#(id)"}}"#)
                }
                lines.append(#"{"kind":"event","payload":{"kind":"testEnded","testID":"\#(id)"}}"#)
            }
            for (test, cases) in stuck {
                func event(_ kind: String, _ rest: String = "") -> String {
                    #"{"kind":"event","payload":{"kind":"\#(kind)","testID":"\#(test)"\#(rest)}}"#
                }
                lines.append(#"{"kind":"test","payload":{"id":"\#(test)","name":"\#(test)","kind":"function"},"version":0}"#)
                lines.append(event("testStarted"))
                let named = cases.map { #","_testCase":{"displayName":"\#($0)"}"# }
                lines += named.map { event("testCaseStarted", $0) } + named.dropLast().map { event("testCaseEnded", $0) }
            }
            if ended { lines.append(#"{"kind":"event","payload":{"kind":"runEnded"}}"#) }
            return lines.joined(separator: "\n") + "\n"
        }
    }

    private static func status(
        first: Records?, second: Records?, firstStatus: Int = 1, once: Bool = false
    ) async throws -> Int32 {
        try await end(first: first, second: second, firstStatus: firstStatus, once: once).status
    }

    /// The script's exit status and output when a run writes these records. A run that writes any failure ends with
    /// status 1.
    private static func end(
        first: Records?, second: Records?, firstStatus: Int = 1, once: Bool = false, silence: Int? = nil
    ) async throws -> (status: Int32, output: String) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("suite-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try first?.text.write(to: folder.appendingPathComponent("first"), atomically: true, encoding: .utf8)
        try second?.text.write(to: folder.appendingPathComponent("second"), atomically: true, encoding: .utf8)
        let program = """
            #!/usr/bin/env bash
            case " $* " in *" --filter "*) run=second status=\(second?.failed.isEmpty == false ? 1 : 0) ;;
              *) run=first status=\(firstStatus) ;; esac
            [ ! -f "\(folder.path)/$run" ] || cp "\(folder.path)/$run" "${@: -1}"
            \(silence == nil ? "" : "sleep 600")
            exit $status

            """
        let swift = folder.appendingPathComponent("swift")
        try program.write(to: swift, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: swift.path)
        var environment: [Environment.Key: String?] = [
            "PATH": folder.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? ""), "FAREWELL_TEST_ONCE": nil,
        ]
        if once { environment["FAREWELL_TEST_ONCE"] = "1" }
        if let silence { environment["FAREWELL_TEST_SILENCE"] = String(silence) }
        let end = try await Subprocess.run(
            .path(FilePath(Python.root + "/Scripts/suite")), arguments: ["swift", "test"],
            environment: .inherit.updating(environment), output: .string(limit: 1 << 16), error: .discarded)
        let output = end.standardOutput
        guard case .exited(let status) = end.terminationStatus else { return (-1, output) }
        return (status, output)
    }
}
