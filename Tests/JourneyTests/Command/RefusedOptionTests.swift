// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import Foundation
import Testing

@testable import FarewellCommand

@Suite("Options and lists that a command refuses before any work")
struct RefusedOptionTests {
    /// The message that refuses these arguments; empty if they are accepted.
    private static func refusal(of arguments: [String]) -> String {
        do {
            _ = try FarewellCommand.parseAsRoot(arguments)
            return ""
        } catch {
            return FarewellCommand.message(for: error)
        }
    }

    @Test(
        "DX-1 an option with an empty value is refused by its name, and no default takes its place",
        arguments: [
            (["check", "--database", ""], "--database"), (["erase", "--subject", "7", "--plan", ""], "--plan"),
            (["status", "--state", ""], "--state"), (["doctor", "--settings", ""], "--settings"),
            (["serve", "--state", ""], "--state"), (["keys", "list", "--database", ""], "--database-url"),
            (["fence", "--plan", ""], "--plan"),
        ])
    func empty(_ arguments: [String], _ option: String) {
        let said = Self.refusal(of: arguments)
        #expect(said.contains("\(option) is empty"), "\(said)")
    }

    @Test(
        "DX-1 the refusal of options that exclude each other, or need another one, says so",
        arguments: [
            (["verify", "--audit", "--subject", "7"], "not both"), (["verify"], "Give --subject or --audit."),
            (["erase", "--resume", "--subject", "7"], "only one of"), (["erase"], "Give --subject"),
            (["erase", "--take-over"], "--take-over needs --resume"),
            (["export", "--check", "data", "--subject", "7", "--output", "more"], "only one of"),
        ])
    func exclusive(_ arguments: [String], _ words: String) {
        let said = Self.refusal(of: arguments)
        #expect(said.contains(words), "\(said)")
    }

    @Test("DX-1 the error about a list that cannot be read names the file, and whether it is missing, a folder or no text")
    func lists() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lists-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let binary = folder.appendingPathComponent("binary").path
        try Data([0x61, 0xFF, 0x0A]).write(to: URL(fileURLWithPath: binary))
        let missing = folder.appendingPathComponent("missing").path
        for (path, words) in [
            (missing, "there is no file at \(missing)"), (folder.path, "\(folder.path) is not an ordinary file"),
            (binary, "it is not text in UTF-8"),
        ] {
            let refused = #expect(throws: FarewellError.self) { try NameList(.subjects, named: [], file: path) }
            #expect(refused?.code == "command.list-unreadable", "\(words)")
            #expect(refused?.message.contains(words) == true, "\(refused?.message ?? "")")
        }
    }
}
