// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Subprocess
import Testing

/// The files in `deploy`, held against what is really there: no container is built, but everything its file names is.
@Suite("Deployment files")
struct ServerDeploymentTests {
    private static func lines(_ path: String) throws -> [String] {
        let text = try String(contentsOfFile: "\(Python.root)/\(path)", encoding: .utf8)
        return text.replacing("\\\n", with: " ").split(separator: "\n").map(String.init)
    }

    @Test("systemd accepts the unit without a warning, and its command serves, reloads and ends")
    func unit() async throws {
        try await ServerPlace.with(.sqlite) { place in
            let file = place.folder.appendingPathComponent("farewell.service")
            let unit = try Self.lines("deploy/farewell.service")
            // Where the unit will find the command, there is none on the machine that tests.
            let text = unit.joined(separator: "\n").replacing("/usr/local/bin/farewell", with: TestBinary.path("farewell"))
            try Data((text + "\n").utf8).write(to: file)
            let verified = try await Subprocess.run(
                .name("systemd-analyze"), arguments: ["verify", "--man=no", "--recursive-errors=no", file.path], input: .none,
                output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
            #expect(verified.terminationStatus == .exited(0) && verified.standardError.isEmpty, "\(verified)")

            let start = try #require(unit.first { $0.hasPrefix("ExecStart=") }).dropFirst("ExecStart=".count)
            var words = start.split(separator: " ").map(String.init)
            try #require(words.removeFirst() == "/usr/local/bin/farewell")
            try Data("http: {port: 0}\n".utf8).write(to: place.folder.appendingPathComponent("server.yaml"))
            let arguments = words.map {
                $0.replacing("/etc/farewell", with: place.folder.path).replacing("/var/lib/farewell", with: place.folder.path)
            }
            #expect(unit.contains("ExecReload=/bin/kill -HUP $MAINPID"))
            let status = try await place.running(arguments, until: "Listening on ") { server in
                server.signal(SIGHUP)
                let answer = try await server.ask(.GET, "/readyz")
                #expect(answer.status == 200)
            }
            #expect(status == 0)
            #expect(FileManager.default.fileExists(atPath: place.folder.path + "/state/service.key"))
        }
    }

    @Test("the container file copies only existing files and all compiled ones, builds a product, and its command serves")
    func container() async throws {
        let file = try Self.lines("deploy/Containerfile")
        func words(_ instruction: String) -> [[String]] {
            file.filter { $0.hasPrefix(instruction + " ") }.map {
                $0.dropFirst(instruction.count).split(separator: " ").map(String.init)
            }
        }
        let copied = words("COPY").filter { $0.first?.hasPrefix("--from") == false }.flatMap { $0.dropLast() }
        // `Package.*` is the manifest, and the resolved versions if there is such a file.
        for path in copied {
            let exact = path.replacing("Package.*", with: "Package.swift")
            #expect(FileManager.default.fileExists(atPath: "\(Python.root)/\(exact)"), "\(path)")
        }
        let package = try String(contentsOfFile: "\(Python.root)/Package.swift", encoding: .utf8)
        #expect(package.contains(#".executable(name: "farewell""#) && file.contains { $0.contains("--product farewell ") })
        let places = package.matches(of: #/path: "([^"]+)"/#).map { String($0.1) } + ["Sources", "Tests"]
        for place in places { #expect(copied.contains { place == $0 || place.hasPrefix($0 + "/") }, "\(place)") }
        #expect(words("EXPOSE") == [["9999"]])

        try await ServerPlace.with(.sqlite) { place in
            let entry = try #require(Self.list(words("ENTRYPOINT"))), command = try #require(Self.list(words("CMD")))
            #expect(entry == ["farewell"])
            var environment: [String: String] = [:]
            for pair in words("ENV").joined() {
                let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
                environment[parts[0]] = parts[1].replacing("/state", with: place.folder.path)
            }
            let nameless = try await place.call(command + ["--port", "0"], environment: environment)
            #expect(nameless.status == 2 && nameless.errors.contains("FAREWELL_TOKENS_ISSUER"), "\(nameless)")
            #expect(!FileManager.default.fileExists(atPath: place.folder.path + "/keys"))
            environment["FAREWELL_TOKENS_ISSUER"] = "https://id.example.org/auth/v1"
            let status = try await place.running(
                command + ["--port", "0"], environment: environment, until: "Listening on "
            ) { server in
                let local = RunningServer(
                    url: "http://127.0.0.1:\(server.port)", folder: server.folder, said: "", process: server.process)
                let answer = try await local.ask(.GET, "/readyz")
                #expect(answer.status == 200)
            }
            #expect(status == 0)
            #expect(FileManager.default.fileExists(atPath: place.folder.path + "/keys/service.key"))
            let log = try String(contentsOf: place.log, encoding: .utf8).split(separator: "\n")
            #expect(log.allSatisfy { $0.hasPrefix("{") }, "\(log)")
        }
    }

    /// The words of an instruction in its JSON form.
    private static func list(_ instructions: [[String]]) -> [String]? {
        guard instructions.count == 1 else { return nil }
        return try? JSONDecoder().decode([String].self, from: Data(instructions[0].joined(separator: " ").utf8))
    }
}
