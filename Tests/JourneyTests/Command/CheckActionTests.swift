// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Foundation
import Subprocess
import SystemPackage
import Testing

/// The step of `deploy/action`, run as GitHub runs it.
@Suite("The action for GitHub")
struct CheckActionTests {
    private static let file = Python.root + "/deploy/action/action.yml"

    /// The script of the action's step, and the variables that the step sets from the inputs.
    private static func step() throws -> (script: String, variables: Set<String>) {
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let parts = text.components(separatedBy: "      run: |\n")
        try #require(parts.count == 2)
        let lines = parts[1].components(separatedBy: "\n").map { $0.hasPrefix("        ") ? String($0.dropFirst(8)) : $0 }
        let variables = parts[0].matches(of: #/(?m)^ {8}(FAREWELL_[A-Z_]+): \$\{\{ inputs\.[a-z]+ \}\}$/#).map { String($0.1) }
        return (lines.joined(separator: "\n"), Set(variables))
    }

    /// - Parameter checkout: The folder that GitHub names; `nil` for that of the place.
    private static func run(
        _ place: CommandPlace, arguments: String = "", checkout: String? = nil
    ) async throws -> CommandEnd {
        let (script, variables) = try step()
        let values = [
            "FAREWELL_DATABASE_URL": place.address, "FAREWELL_PLAN": "farewell.yaml",
            "FAREWELL_COMMAND": TestBinary.path("farewell"), "FAREWELL_ARGUMENTS": arguments,
        ]
        #expect(variables == Set(values.keys))
        var changes: [Subprocess.Environment.Key: String?] = [:]
        for (name, value) in values { changes[.init(stringLiteral: name)] = value }
        changes["GITHUB_WORKSPACE"] = checkout ?? place.folder.path
        let result = try await Subprocess.run(
            .name("bash"), arguments: ["--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            environment: .inherit.updating(changes), workingDirectory: FilePath(place.folder.path),
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        return CommandEnd(
            status: CommandPlace.status(result.terminationStatus), output: result.standardOutput, errors: result.standardError)
    }

    @Test("PK-3 the action fails with an annotation while a table has no place in the plan, and succeeds once it has one")
    func fails() async throws {
        try await CommandPlace.with(.sqlite, people: 3) { place in
            let planned = try await Self.run(place)
            #expect(planned.status == 0, "\(planned)")
            _ = try await place.query("CREATE TABLE forgotten (id integer PRIMARY KEY, body text)")
            let failed = try await Self.run(place)
            let annotation = failed.output.split(separator: "\n").first { $0.contains("title=table.unaccounted") }
            #expect(failed.status == 1 && annotation?.hasPrefix("::error file=farewell.yaml,") == true, "\(failed)")
            // The annotation finds the file of a step that runs in a folder of the checkout.
            let below = try await Self.run(place, checkout: place.folder.deletingLastPathComponent().path + "/")
            #expect(below.output.contains("file=\(place.folder.lastPathComponent)/farewell.yaml,"), "\(below)")
            let merged = try await place.farewell("init", "--merge")
            #expect(merged.status == 0, "\(merged)")
            let accepted = try await place.farewell("check", "--accept")
            #expect(accepted.status == 0, "\(accepted)")
            let passed = try await Self.run(place, arguments: "--rehearse\n--verbose\n")
            #expect(passed.status == 0, "\(passed)")
            let misspelt = try await Self.run(place, arguments: "--rehearse\n--no-such-option\n")
            #expect(misspelt.status == 2, "each line counts: \(misspelt)")
        }
    }

    @Test("PK-3 the example for a team's repository installs the release's package and uses the action of Farewell's repository")
    func example() throws {
        let text = try String(contentsOfFile: Python.root + "/deploy/action/example.yml", encoding: .utf8)
        let version = try #require(text.firstMatch(of: #/VERSION: ([0-9.]+)/#)?.1)
        #expect(text.contains("uses: OWNER/farewell/deploy/action@v\(version)\n"))
        #expect(text.contains("releases/download/v$VERSION") && text.contains("sha256sum --check"))
        // As Scripts/package names the package.
        let made = try String(contentsOfFile: Python.root + "/Scripts/package", encoding: .utf8)
        #expect(made.contains("dist/farewell_$version-1_$architecture.deb"))
        #expect(text.contains("apt-get install --yes \"./farewell_$VERSION-1_amd64.deb\""))
        let page = try String(contentsOfFile: Python.root + "/docs/ci.md", encoding: .utf8)
        #expect(!page.contains("uses: ./deploy") && page.contains("deploy/action/example.yml"))
    }
}
