// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import Testing

@Suite("Existing but unusable key files")
struct ServerKeyFileTests {
    /// The fault. Root may read any file, so none is made unreadable by its mode.
    enum Wrong: String, Sendable, CaseIterable {
        case folder = "a folder"
        case empty = "an empty file"
        case garbage = "bytes that are no text"

        func make(at place: URL) throws {
            switch self {
            case .folder: try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
            case .empty: try Data().write(to: place)
            case .garbage: try (Data([0xff, 0xfe, 0x00, 0xc3, 0x28]) + Data("geheim".utf8)).write(to: place)
            }
        }
    }

    /// A setting that names a file.
    struct Setting: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let settings: String
    }

    static let settings: [Setting] = [
        Setting(testDescription: "tokens.secret-file", settings: "tokens: {secret-file: own.key}"),
        Setting(testDescription: "feed.key-file", settings: "feed: {key-file: own.key}"),
        Setting(testDescription: "apple.key-file", settings: "apple: {team-id: TEAM, key-id: KEY, key-file: own.key}"),
    ]

    @Test("the server prints one message, exits 2 and opens no port", .timeLimit(.minutes(30)), arguments: settings, Wrong.allCases)
    func refused(_ setting: Setting, _ wrong: Wrong) async throws {
        try await ServerPlace.with(.sqlite) { place in
            let end = try await started(place, setting, wrong)
            expect(end, says: wrong == .empty ? "The file own.key is empty." : "The secret in own.key cannot be read.")
        }
    }

    @Test("nothing is created before the error: no keys, no database", .timeLimit(.minutes(30)), arguments: settings)
    func nothingMade(_ setting: Setting) async throws {
        try await ServerPlace.with(.sqlite) { place in
            let end = try await started(place, setting, .garbage)
            #expect(end.status == 2, "\(end)")
            let left = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
            #expect(left.sorted() == ["own.key", "settings.yaml"])
        }
    }

    @Test(
        "a file of event receivers is read before anything is created", .timeLimit(.minutes(30)),
        arguments: [
            ("", "events.yaml has no list of endpoints."), ("endpoints: [\n", "events.yaml:2:1: This is not YAML: "),
            (
                "endpoints:\n  - {name: crm, kind: webhook, url: 'https://crm.example.org/hooks'}",
                "events.yaml:2:5: A webhook needs a secret-file."
            ),
            (
                "endpoints: [{name: crm, kind: webhook, url: 'https://crm.example.org/hooks', secret-file: own.key}]",
                "own.key cannot be read."
            ),
            ("endpoints: [{name: crm, kind: caep, url: 'http://crm.example.org/geheim', audience: crm}]", "plain HTTPS address"),
            ("endpoints: [{name: crm, kind: caep, url: 'https://127.0.0.1:70000/geheim', audience: crm}]", "plain HTTPS address"),
        ])
    func endpoints(_ text: String, _ says: String) async throws {
        try await ServerPlace.with(.sqlite) { place in
            try Data(text.utf8).write(to: place.folder.appendingPathComponent("events.yaml"))
            try Data("erasures: {webhooks-file: events.yaml}".utf8)
                .write(to: place.folder.appendingPathComponent("settings.yaml"))
            let end = try await place.call(["serve", "--port", "0", "--settings", "settings.yaml"])
            #expect(end.status == 2 && end.errors.contains(says) && end.output.isEmpty, "\(end)")
            #expect(!end.description.contains("geheim"), "\(end)")
            let left = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
            #expect(left.sorted() == ["events.yaml", "settings.yaml"], "half-started: \(left)")
        }
    }

    @Test("a changed keys.json gives an error and stays unchanged; once the original is back, everything works", .timeLimit(.minutes(30)))
    func keyStore() async throws {
        try await ServerPlace.with(.sqlite) { place in
            let token = Guarded("")
            try await place.serving { server in
                let person = try await server.person()
                token.withLock { $0 = person.access }
            }
            let file = place.state.appendingPathComponent("keys.json")
            let good = try Data(contentsOf: file)
            var changed = [UInt8](good)
            changed[changed.count / 2] ^= 1
            for bad in [Data(), Data("geheim\n".utf8), Data(good.dropLast(8)), Data(changed)] {
                try overwrite(file, bad)
                let end = try await place.call(["serve", "--port", "0"])
                expect(end, says: "The key file (keys.json) was changed.")
                #expect(try Data(contentsOf: file) == bad, "no other keys take its place")
            }
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createDirectory(
                at: file, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            expect(try await place.call(["serve", "--port", "0"]), says: "keys.json is not an ordinary file.")
            try FileManager.default.removeItem(at: file)
            try good.write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            let status = try await place.serving { server async throws in
                #expect(try await server.isAccepted(token.withLock { $0 }))
            }
            #expect(status == 0)
        }
    }

    @Test("a process stopped with the lock of the state directory delays a start for a limited time", .timeLimit(.minutes(30)))
    func heldLock() async throws {
        try await ServerPlace.with(.sqlite) { place in
            try FileManager.default.createDirectory(
                at: place.state, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            let lock = place.state.appendingPathComponent("lock").path
            #expect(FileManager.default.createFile(atPath: lock, contents: nil, attributes: [.posixPermissions: 0o600]))
            let holder = try #require(FileHandle(forUpdatingAtPath: lock))
            #expect(flock(holder.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
            let end = try await place.call(["serve", "--port", "0"])
            #expect(end.status == 75 && end.errors.contains("holds the lock of the state directory"), "\(end)")
            let made = try FileManager.default.contentsOfDirectory(atPath: place.state.path)
            #expect(end.output.isEmpty && !made.contains { $0.hasSuffix(".key") || $0 == "keys.json" }, "\(made)")
            try holder.close()
        }
    }

    private func started(_ place: ServerPlace, _ setting: Setting, _ wrong: Wrong) async throws -> CommandEnd {
        try wrong.make(at: place.folder.appendingPathComponent("own.key"))
        try Data(setting.settings.utf8).write(to: place.folder.appendingPathComponent("settings.yaml"))
        return try await place.call(["serve", "--port", "0", "--settings", "settings.yaml"])
    }

    private func expect(_ end: CommandEnd, says words: String) {
        #expect(end.status == 2, "\(end)")
        let told = end.errors.split(separator: "\n").filter { $0.hasPrefix("error: ") }
        #expect(told == [Substring("error: " + words)], "\(end)")
        #expect(end.output.isEmpty && !end.description.contains("geheim"), "\(end)")
    }

    /// Writes in place, so that mode and owner stay as they are.
    private func overwrite(_ file: URL, _ data: Data) throws {
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: data)
        try handle.close()
    }
}
