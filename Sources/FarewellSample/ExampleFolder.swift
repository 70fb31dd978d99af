// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
public import FarewellSQL

/// The folder of the example profiles' SQL files: `Examples` of a checked-out Farewell.
public struct ExampleFolder: Sendable, Hashable {
    public let path: String

    /// Takes `path` as the folder; its files are looked for when they are needed.
    public init(path: String) {
        self.path = path
    }

    /// Looks for a folder `Examples` beside or above any of the given places.
    ///
    /// - Throws: `sample.no-examples` when there is none.
    public init(near places: [String]) throws {
        for place in places {
            var folder = URL(fileURLWithPath: place).standardizedFileURL
            for _ in 0..<32 {
                let path = folder.appendingPathComponent("Examples").path
                if FileManager.default.fileExists(atPath: path + "/coachme/schema.sqlite.sql") {
                    self.init(path: path)
                    return
                }
                guard folder.path != "/" else { break }
                folder.deleteLastPathComponent()
            }
        }
        throw FarewellError(
            "sample.no-examples", .yoursToFix, "The folder Examples was not found here or in any folder above.",
            remedy: "Run farewell-sample inside a checkout of Farewell, or name the folder with --examples.")
    }

    /// The SQL of one profile for one database.
    ///
    /// - Throws: `sample.no-examples` when the file is missing or is no text.
    public func script(_ profile: SamplePeople.Profile, _ dialect: SQLDialect) throws -> SQLScript {
        let name =
            switch (profile, dialect) {
            case (.chinook, .sqlite): "Chinook_Sqlite.sql"
            case (.chinook, .postgresql): "Chinook_PostgreSql.sql"
            case (_, .sqlite): "schema.sqlite.sql"
            case (_, .postgresql): "schema.postgresql.sql"
            }
        guard let text = try? String(contentsOfFile: "\(path)/\(profile.rawValue)/\(name)", encoding: .utf8) else {
            throw FarewellError(
                "sample.no-examples", .yoursToFix, "\(path)/\(profile.rawValue)/\(name) cannot be read.",
                remedy: "Give the folder Examples of a checked-out Farewell.")
        }
        return SQLScript(text)
    }
}
