// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSessions
import FarewellVerifier
import Foundation
import Testing

@testable import FarewellServer

@Suite("Sending mail")
struct MailSendingTests {
    private static func mail(_ address: String = "anna@example.org", _ purpose: MailPurpose = .recovery) -> Mail {
        let user = User(id: UUID(), audience: "authenticated", createdAt: .distantPast, updatedAt: .distantPast)
        return Mail(id: UUID(), purpose: purpose, address: address, code: "012345", token: "token", user: user)
    }

    private let now = Date(timeIntervalSince1970: 1_790_000_000)

    @Test("Item 47: a call is signed as in Standard Webhooks, by each of the secrets")
    func signature() throws {
        // The example of the specification, whose secret is shorter than it demands itself.
        let body = Array(#"{"test": 2432232314}"#.utf8)
        let first = try WebhookSecret("v1,whsec_" + Data(repeating: 1, count: 32).base64EncodedString())
        let second = try WebhookSecret("whsec_" + Data(repeating: 2, count: 24).base64EncodedString())
        func signature(_ id: String, _ secrets: WebhookSecret...) -> String {
            WebhookSignature.value(id: id, timestamp: 1_614_265_330, body: body, secrets: secrets.map(\.bytes))
        }
        let both = signature("msg_p5jXN8AQM9LWM0D4loKWxJek", first, second)
        let parts = both.split(separator: " ")
        #expect(parts.count == 2 && parts.allSatisfy { $0.hasPrefix("v1,") && Data(base64Encoded: String($0.dropFirst(3)))?.count == 32 })
        #expect(parts[0] == Substring(signature("msg_p5jXN8AQM9LWM0D4loKWxJek", first)))
        #expect(signature("msg", first) != parts[0])
        #expect("\(first)" == "***")
        for text in ["", "whsec_", "whsec_AAAA", "whsec_!", Data(repeating: 1, count: 32).base64EncodedString()] {
            #expect(throws: FarewellError.self) { try WebhookSecret(text) }
        }
    }

    @Test(
        "a mail for a user has its fields, its code or none, and no address except the recipient's",
        arguments: MailPurpose.allCases)
    func letter(purpose: MailPurpose) throws {
        let text = MailMessage(
            Self.mail("anna@example.org", purpose), from: "App <app@example.net>", site: "https://app",
            landing: .page("https://id.example.net/account/link"), at: now
        ).text
        let parts = text.components(separatedBy: "\n\n")
        let fields = parts[0].split(separator: "\n").map { $0.split(separator: ":")[0] }
        #expect(fields.prefix(5) == ["From", "To", "Subject", "Date", "Message-ID"] && Set(fields).count == fields.count)
        #expect(parts[0].contains("Date: Mon, 21 Sep 2026 14:13:20 +0000") && parts[0].contains("@example.net>"))
        #expect(text.components(separatedBy: "anna@example.org").count == 2)
        #expect(!parts[0].split(separator: "\n").contains { !$0.hasPrefix("Message-ID:") && $0.contains("012345") })
        #expect(parts.dropFirst().joined().contains("012345") == purpose.bringsCode && !text.split(separator: "\n").contains("."))
    }

    @Test("a program receives the message with its arguments unchanged and no data of the user among them")
    func command() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = try Self.program(
            "printf '%s\\n' \"$@\" > '\(folder.path)/arguments'\ncat > '\(folder.path)/message'\n", at: "a mailer", in: folder)
        func sender(_ words: [String], limit: Duration = .seconds(300)) -> MailCommand {
            self.sender(words, Deadline(limit: limit) { try await ContinuousClock().sleep(for: $0) })
        }
        try await sender([program, "-t", "$(touch x) ; *", "two words"]).send(Self.mail())
        let arguments = try String(contentsOf: folder.appendingPathComponent("arguments"), encoding: .utf8)
        #expect(arguments == "-t\n$(touch x) ; *\ntwo words\n")
        let message = try String(contentsOf: folder.appendingPathComponent("message"), encoding: .utf8)
        #expect(message.contains("To: anna@example.org\n") && message.contains("012345"))
        await #expect(throws: FarewellError.self) { try await sender(["/bin/false"]).send(Self.mail()) }
        await #expect(throws: (any Error).self) { try await sender([folder.path + "/none"]).send(Self.mail()) }
        // One that never ends is ended.
        await #expect(throws: FarewellError.self) { try await sender(["/bin/sleep", "3600"], limit: .milliseconds(50)).send(Self.mail()) }
    }

    @Test("OPS-07 a mail program that exits 0 and leaves a process behind has sent the mail")
    func background() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = try Self.program("cat > message\nsleep 3600 &\necho $! > left\n", at: "mailer", in: folder)
        try await sender([program], Deadline(limit: .seconds(300)) { try await ContinuousClock().sleep(for: $0) }).send(Self.mail())
        let left = try #require(try Self.number(in: folder.appendingPathComponent("left")))
        #expect(kill(left, SIGKILL) == 0, "it may still deliver the mail, so it goes on")
        // One that reads nothing decides by its status as well.
        try await sender(["/bin/true"], .init(limit: .seconds(300)) { try await ContinuousClock().sleep(for: $0) }).send(Self.mail())
    }

    @Test("OPS-07 a mail program that takes too long is ended with its children, and nothing of it remains")
    func late() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let ready = folder.appendingPathComponent("ready")
        let program = try Self.program(
            "trap '' TERM\nsleep 3600 &\necho $! > child\necho $$ > own\n: > ready\nwait\n", at: "mailer", in: folder)
        // The time is over as soon as the program runs.
        let deadline = Deadline(limit: .seconds(30)) { _ in
            try await eventually { FileManager.default.fileExists(atPath: ready.path) }
        }
        let error = await #expect(throws: FarewellError.self) { try await sender([program], deadline).send(Self.mail()) }
        #expect(error?.code == "mail.refused" && error?.message.contains("did not end") == true)
        let own = try #require(try Self.number(in: folder.appendingPathComponent("own")))
        #expect(kill(own, 0) == -1, "it was waited for")
        let child = try #require(try Self.number(in: folder.appendingPathComponent("child")))
        // Without its parent it is the system's to wait for.
        try await eventually { Self.hasEnded(child) }
    }

    private func sender(_ words: [String], _ deadline: Deadline) -> MailCommand {
        MailCommand(
            words: words, from: "app@example.net", site: "https://app", landing: .verification("https://app/auth/v1"), now: { now },
            deadline: deadline)
    }

    private static func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mail-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// The path of a program that a shell runs in the folder.
    private static func program(_ text: String, at name: String, in folder: URL) throws -> String {
        let path = folder.appendingPathComponent(name).path
        try Data("#!/bin/sh\ncd '\(folder.path)' || exit 1\n\(text)".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        return path
    }

    private static func number(in file: URL) throws -> pid_t? {
        pid_t(try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// Whether a process is gone, or has ended and was not waited for yet.
    private static func hasEnded(_ process: pid_t) -> Bool {
        guard kill(process, 0) == 0 else { return true }
        let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return state?.contains(") Z ") == true
    }
}
