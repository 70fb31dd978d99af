// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellServer
import Foundation

/// The settings of a server's authority, and the options that override them: the same for all its commands.
struct AuthorityOptions: ParsableArguments {
    @Option(
        name: .customLong("settings"), help: ArgumentHelp("Settings (YAML).", valueName: "file"), completion: .file())
    var file: String?

    @Option(
        name: [.customLong("database-url"), .customLong("database")],
        help: ArgumentHelp(
            "The database: postgresql://user@host/name or sqlite:path. Or set FAREWELL_DATABASE_URL.",
            valueName: "address"))
    var database: String?

    @Option(
        help: ArgumentHelp("The folder of keys and default database. Default: .farewell", valueName: "folder"),
        completion: .directory)
    var state: String?

    func validate() throws {
        try refuseEmpty([("--settings", file), ("--database-url", database), ("--state", state)])
    }

    func settings() throws -> ServeSettings {
        guard #available(macOS 15, *) else {
            throw misuse("serve.system", "This system is too old to serve.", remedy: "Use macOS 15 or later, or Linux.")
        }
        var read = try ServeSettings.read(path: file, environment: ProcessInfo.processInfo.environment)
        if let database {
            read.database = database
            read.databaseOrigin = .settings
        }
        read.state = state ?? read.state
        return read
    }
}
