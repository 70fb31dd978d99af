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
            (["fence", "--plan", ""], "--plan"), (["export", "--subject", "7", "--output", ""], "--output"),
            (["export", "--check", "data", "--keys", ""], "--keys"), (["export", "--check", ""], "--check"),
            (["receipt", "verify", "--keys", ""], "--keys"), (["receipt", "page", "--output", ""], "--output"),
            (["plan", "--output", ""], "--output"), (["init", "--subject", ""], "--subject"),
            (["preview", "--subject", ""], "--subject"), (["status", "--subject", ""], "--subject"),
            (["verify", "--audit", "--head", ""], "--head"), (["rehearse", "--subjects-file", ""], "--subjects-file"),
            (["erase", "--subject", "7", "--export-first", ""], "--export-first"),
            (["erase", "--release", ""], "--release"), (["serve", "--host", ""], "--host"),
            (["demo", "--state", ""], "--state"), (["keys", "remove", "--id", ""], "--id"),
        ])
    func empty(_ arguments: [String], _ option: String) {
        let said = Self.refusal(of: arguments)
        #expect(said.contains("\(option) is empty"), "\(said)")
    }

    @Test(
        "DX-1 a negative number is refused with the numbers that the option takes, not as a missing value",
        arguments: [
            (["status", "--limit", "-1"], "--limit takes 1 to"), (["demo", "--port", "-1"], "--port is 0 to"),
            (["serve", "--port", "-1"], "--port is 0 to"),
            (["erase", "--subject", "7", "--lease", "-1"], "--lease takes 2 to"),
            (["erase", "--subject", "7", "--group", "-1"], "--group takes 1 to"),
            (["erase", "--subject", "7", "--concurrency", "-1"], "--concurrency takes 1 to"),
            (["verify", "--subject", "7", "--deep", "--deep-rows", "-1"], "--deep-rows takes 1 to"),
            (["rehearse", "--sample", "-1"], "--sample takes 1 to"),
            (["rehearse", "--sample", "1", "--lock-timeout", "-1"], "--lock-timeout takes 1 to"),
            (["rehearse", "--sample", "1", "--statement-timeout", "-1"], "--statement-timeout 1 to"),
        ])
    func negative(_ arguments: [String], _ words: String) {
        let said = Self.refusal(of: arguments)
        #expect(said.contains(words), "\(said)")
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
