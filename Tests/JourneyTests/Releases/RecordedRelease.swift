// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Foundation
import Subprocess
import SystemPackage
import Testing

/// The stores that a release wrote on one kind of database: a folder of `Tests/Releases`.
struct RecordedRelease: Sendable {
    private static let folder = URL(fileURLWithPath: Python.root + "/Tests/Releases")

    /// The versions that are recorded.
    static let all = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.first?.isNumber == true }.sorted()

    private let dialect: SQLDialect
    private let folder: URL

    init(_ release: String, _ dialect: SQLDialect) {
        self.dialect = dialect
        folder = Self.folder.appendingPathComponent("\(release)/\(dialect.rawValue)")
    }

    /// Both databases, the plan, the public keys and a state directory are there.
    var isComplete: Bool {
        let ending = dialect == .sqlite ? "db" : "sql"
        let names = ["app.\(ending)", "server.\(ending)", "farewell.yaml", "keys.json", "state/keys.json", "state/ledger.jsonl"]
        return names.allSatisfy { FileManager.default.fileExists(atPath: folder.appendingPathComponent($0).path) }
    }

    /// Removes the trigger that parked an erasure.
    var removalOfRefusal: [String] {
        dialect == .sqlite ? ["DROP TRIGGER boats"] : ["DROP TRIGGER boats ON notes", "DROP FUNCTION boats()"]
    }

    /// Copies the state directory, the plan and one of the two recorded databases into an empty place.
    func restore(_ database: String, to place: ServerPlace) async throws {
        let manager = FileManager.default
        for name in ["farewell.yaml", "keys.json"] {
            try manager.copyItem(
                at: folder.appendingPathComponent(name), to: place.folder.appendingPathComponent(name))
        }
        try manager.copyItem(at: folder.appendingPathComponent("state"), to: place.state)
        try restrict(place.state)
        guard dialect == .postgresql else {
            return try manager.copyItem(
                at: folder.appendingPathComponent(database + ".db"),
                to: place.state.appendingPathComponent("farewell.sqlite"))
        }
        let dump = folder.appendingPathComponent(database + ".sql").path
        let result = try await Subprocess.run(
            .path(FilePath(Python.root + "/Scripts/postgres")),
            arguments: ["client", "psql", "--quiet", "--no-psqlrc", "-v", "ON_ERROR_STOP=1", "-f", dump, place.address],
            output: .string(limit: 1 << 16), error: .string(limit: 1 << 16))
        try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
    }

    /// Gives a state directory the modes that Farewell gave it: version control keeps none of them.
    private func restrict(_ state: URL) throws {
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: state.path)
        for path in try manager.subpathsOfDirectory(atPath: state.path) {
            let item = state.appendingPathComponent(path).path
            var isFolder: ObjCBool = false
            guard manager.fileExists(atPath: item, isDirectory: &isFolder) else { continue }
            try manager.setAttributes([.posixPermissions: isFolder.boolValue ? 0o700 : 0o600], ofItemAtPath: item)
        }
    }
}
