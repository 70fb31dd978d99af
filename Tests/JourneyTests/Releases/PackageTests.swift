// SPDX-License-Identifier: Apache-2.0

import Foundation
import Subprocess
import SystemPackage
import Testing

/// The files of `make package` beside the program. `Scripts/try-package` installs the whole package, which needs root.
@Suite("Packages")
struct PackageTests {
    @Test("PK-1 each command has a manual page, with its options and examples")
    func manual() async throws {
        try await Self.inFolder { folder in
            let call = "\"$0\" --experimental-dump-help | Scripts/manual 0.1.0 \"$1\""
            try await Self.run("bash", ["-c", call, TestBinary.path("farewell"), folder.path])
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.count > 25 && names.contains("farewell.1") && names.contains("farewell-receipt-verify.1"), "\(names)")
            #expect(!names.contains("farewell-references.1"), "a command for Farewell's developers has no page")
            for name in names {
                let page = try String(contentsOfFile: folder.appendingPathComponent(name).path, encoding: .utf8)
                #expect(page.hasPrefix(".TH \"FAREWELL") && page.contains("\n.SH SYNOPSIS\n"), "\(name)")
            }
            let erase = try String(contentsOfFile: folder.appendingPathComponent("farewell-erase.1").path, encoding: .utf8)
            #expect(erase.contains("\n\\fB\\-\\-resume\\fR\n") && erase.contains("farewell erase \\-\\-resume"), "\(erase)")
        }
    }

    @Test("PK-1 the bill of materials names every resolved package with its version and licence")
    func materials() async throws {
        try await Self.inFolder { folder in
            let bill = folder.appendingPathComponent("bill.json"), licences = folder.appendingPathComponent("licences.txt")
            try await Self.run("Scripts/materials", ["0.1.0", "", bill.path, licences.path])
            let document = try Self.json(bill)
            #expect(document["bomFormat"] as? String == "CycloneDX")
            let components = try #require(document["components"] as? [[String: Any]])
            let resolved = try Self.json(URL(fileURLWithPath: Python.root + "/Package.resolved"))
            let pins = try #require(resolved["pins"] as? [[String: Any]])
            // The Swift runtime is none of the resolved packages.
            #expect(components.count == pins.count + 1)
            for component in components {
                let isWhole = ["name", "version", "purl"].allSatisfy { (component[$0] as? String)?.isEmpty == false }
                #expect(isWhole && (component["licenses"] as? [Any])?.count == 1, "\(component)")
            }
            let text = try String(contentsOf: licences, encoding: .utf8)
            #expect(text.contains("Permission is hereby granted") && text.contains("Version 2.0, January 2004"))
        }
    }

    @Test("PK-1 the shells accept the package's scripts, and a purge without an answer deletes nothing")
    func maintainerScripts() async throws {
        let folder = Python.root + "/deploy/debian"
        for name in ["config", "postinst", "prerm", "postrm"] { try await Self.run("sh", ["-n", "\(folder)/\(name)"]) }
        for name in ["package", "try-package", "try-service", "try-container", "package-journey", "release", "record-release"] {
            try await Self.run("bash", ["-n", "Scripts/\(name)"])
        }
        // A command behind `!` ends no script, so a script checks nothing by it.
        for name in try FileManager.default.contentsOfDirectory(atPath: Python.root + "/Scripts") {
            let script = try String(contentsOfFile: "\(Python.root)/Scripts/\(name)", encoding: .utf8)
            #expect(script.matches(of: #/(?m)^\s*! .+$/#).isEmpty, "\(name)")
        }
        let postrm = try String(contentsOfFile: folder + "/postrm", encoding: .utf8)
        let deletions = postrm.split(separator: "\n").filter { $0.contains("rm -rf") }
        #expect(deletions == ["    rm -rf /var/lib/farewell /etc/farewell"])
        #expect(postrm.contains("\n  if [ \"$answer\" = true ]; then\n    rm -rf") && postrm.contains("\n  answer=false\n"))
        #expect(try String(contentsOfFile: folder + "/templates", encoding: .utf8).contains("\nDefault: false\n"))
    }

    private static func inFolder(_ use: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("package-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await use(folder)
    }

    private static func json(_ file: URL) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    }

    /// Runs a program in the folder of this package and expects it to end well.
    private static func run(_ program: String, _ arguments: [String]) async throws {
        let executable: Executable = program.contains("/") ? .path(FilePath(Python.root + "/" + program)) : .name(program)
        let result = try await Subprocess.run(
            executable, arguments: .init(arguments), workingDirectory: FilePath(Python.root), output: .string(limit: 1 << 20),
            error: .string(limit: 1 << 20))
        try #require(result.terminationStatus.isSuccess, "\(program) \(arguments): \(result.standardError)")
    }
}
