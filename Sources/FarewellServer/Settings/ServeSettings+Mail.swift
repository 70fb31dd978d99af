// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSessions
import FarewellVerifier
import Foundation

@available(macOS 15, iOS 18, *)
extension ServeSettings {
    mutating func takeMail(_ reader: SettingsReader) throws {
        mailSite = try reader.safeAddress(.mailSite)
        server.redirects = try reader.list(.mailRedirects) ?? server.redirects
        guard server.redirects.allSatisfy(RedirectRule.isAddress) else {
            throw FarewellError(
                "settings.wrong", .yoursToFix, "An entry of mail.redirects is not a complete address.",
                remedy: "Write for instance https://app.example.org/in/ or org.example.app://signed-in.")
        }
        guard !server.redirects.contains(where: RedirectRule.isExposed) else {
            throw FarewellError(
                "settings.wrong", .yoursToFix, "An entry of mail.redirects uses HTTP on another machine.",
                remedy: "Write it with https: the redirect contains tokens, and HTTP would expose them.")
        }
        let (hook, command) = (try reader.text(.mailHook), try reader.list(.mailCommand))
        let (secret, file) = (try reader.text(.mailSecret), try reader.text(.mailSecretFile))
        guard hook == nil || command == nil else {
            throw FarewellError(
                "settings.ambiguous", .yoursToFix, "Both mail.hook and mail.command are set.",
                remedy: "Keep the one that sends the mails.")
        }
        guard secret == nil || file == nil else {
            throw FarewellError(
                "settings.ambiguous", .yoursToFix, "Both mail.hook-secret and mail.hook-secret-file are set.",
                remedy: "Keep the file: process lists do not show it.")
        }
        if let hook {
            guard let text = try file.map(SecretFile.text) ?? secret else {
                throw incomplete("mail.hook is set without a secret.", "Set mail.hook-secret-file.")
            }
            let secrets = try text.split { $0.isWhitespace || $0 == "|" }.map { try WebhookSecret(String($0)) }
            guard !secrets.isEmpty else { _ = try WebhookSecret(""); return }
            mail = .hook(address: try Self.address(hook), secrets: secrets, site: "", landing: .verification(""))
        } else if let command {
            guard let program = command.first, program.hasPrefix("/"),
                FileManager.default.isExecutableFile(atPath: program)
            else {
                throw FarewellError(
                    "settings.unreadable", .yoursToFix, "The program of mail.command does not exist or cannot be run.",
                    remedy: "Name it by its whole path, e.g. /usr/sbin/sendmail, then its arguments.")
            }
            guard let from = try reader.text(.mailFrom), Self.isField(from) else {
                throw incomplete("mail.command is set without mail.from.", "Set it to the sender's address.")
            }
            mail = .command(command, from: from, site: "", landing: .verification(""))
        }
        if case .withCode = authority.passwordChange, mail == nil {
            throw incomplete(
                "people.password-change needs a code, but no mail is configured.", "Set mail.hook or mail.command.")
        }
    }

    private func incomplete(_ what: String, _ remedy: String) -> FarewellError {
        FarewellError("settings.incomplete", .yoursToFix, what, remedy: remedy)
    }

    /// An address on one line, with or without a name before it.
    private static func isField(_ text: String) -> Bool {
        text.contains("@") && text.utf8.count <= 320
            && !text.unicodeScalars.contains { $0.value < 32 || $0.value == 127 }
    }

    private static func address(_ text: String) throws -> URL {
        do {
            return try SafeAddress.url(text)
        } catch {
            throw FarewellError(
                "settings.wrong", .yoursToFix, "The setting mail.hook is not a plain HTTPS address.",
                remedy: "Write it as https://host/path, without a name or a password; HTTP works only on this machine.")
        }
    }
}

extension MailSettings {
    func about(_ name: String, _ landing: MailLanding) -> MailSettings {
        switch self {
        case .hook(let address, let secrets, _, _):
            .hook(address: address, secrets: secrets, site: name, landing: landing)
        case .command(let words, let from, _, _): .command(words, from: from, site: name, landing: landing)
        }
    }
}
