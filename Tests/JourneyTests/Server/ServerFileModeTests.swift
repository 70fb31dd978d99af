// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Foundation
import NIOHTTP1
import Subprocess
import Testing

@Suite("Files of a server that is started under a permissive umask")
struct ServerFileModeTests {
    /// The files below a folder that anyone but their owner may access.
    private static func shared(in folder: URL) throws -> [String] {
        let manager = FileManager.default
        return try manager.subpathsOfDirectory(atPath: folder.path).filter { path in
            let attributes = try? manager.attributesOfItem(atPath: folder.appendingPathComponent(path).path)
            let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? 0
            return attributes?[.type] as? FileAttributeType == .typeRegular && mode & 0o077 != 0
        }
    }

    @Test("SRV-06 only the owner can read the accounts' database, the files beside it and the keys, whatever the umask")
    func server() async throws {
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving(before: "umask 000") { server in
                _ = try await server.person()
                let names = try FileManager.default.contentsOfDirectory(atPath: place.state.path)
                #expect(Set(names).isSuperset(of: ["farewell.sqlite", "farewell.sqlite-wal", "farewell.sqlite-shm"]), "\(names)")
                #expect(try Self.shared(in: place.state).isEmpty)
            }
            #expect(try Self.shared(in: place.state).isEmpty)
            let warning = "can be read or changed by other users of this machine"
            #expect(try !String(contentsOf: place.log, encoding: .utf8).contains(warning))
            // A file that exists keeps its mode: it may be the app's.
            let file = place.state.appendingPathComponent("farewell.sqlite").path
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
            try await place.serving { _ in }
            #expect(try String(contentsOf: place.log, encoding: .utf8).contains(warning))
        }
    }

    @Test("SRV-06 the same holds for the database of the sample users")
    func demonstration() async throws {
        try await ServerPlace.with(.sqlite) { place in
            let address = "sqlite:" + place.folder.appendingPathComponent("sample.sqlite").path
            let made = try await Subprocess.run(
                .name("sh"),
                arguments: .init([
                    "-c", #"umask 000; exec "$0" "$@""#, TestBinary.path("farewell-sample"), "coachme", "--people", "3",
                    "--database", address,
                ]), output: .string(limit: 1 << 16), error: .string(limit: 1 << 16))
            #expect(made.terminationStatus.isSuccess, "\(made.standardOutput)\(made.standardError)")
            #expect(try Self.shared(in: place.folder).filter { $0.contains("sqlite") }.isEmpty)
        }
    }
}
