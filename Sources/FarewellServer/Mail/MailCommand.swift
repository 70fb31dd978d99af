// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSessions
import Foundation
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// Hands mails to a program such as `sendmail -t`: its arguments are as configured, without a shell, and contain
/// nothing personal.
///
/// The program's own end decides. It may leave a process behind that delivers the mail, as some do.
struct MailCommand: MailSending {
    let words: [String]
    let from: String
    let site: String
    let landing: MailLanding
    let now: @Sendable () -> Date
    let deadline: Deadline

    func send(_ mail: Mail) async throws {
        let message = MailMessage(mail, from: from, site: site, landing: landing, at: now()).text
        let ended: TerminationStatus?
        do {
            // A program that takes too long is ended, with its children.
            ended = try await deadline.run { try await end(reading: Array(message.utf8)) }
        } catch is SubprocessError {
            throw FarewellError("mail.refused", .tryAgain, "The mail command could not be run.")
        }
        switch ended {
        case .exited(0): return
        case .exited(let status):
            throw FarewellError("mail.refused", .tryAgain, "The mail command exited \(status).")
        case .signaled(let signal):
            throw FarewellError("mail.refused", .tryAgain, "The signal \(signal) ended the mail command.")
        case nil:
            throw FarewellError("mail.refused", .tryAgain, "The mail command did not end within \(deadline.limit).")
        }
    }

    /// The end of the program, which reads the message from its standard input.
    private func end(reading message: [UInt8]) async throws -> TerminationStatus {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [.send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)]
        // A program that ends before it has read the message must not end this process. The event loops of a server
        // ignore the signal as well.
        signal(SIGPIPE, SIG_IGN)
        let ended = try await Subprocess.run(
            .path(FilePath(words[0])), arguments: Arguments(Array(words.dropFirst())),
            environment: .custom(["PATH": "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"]),
            platformOptions: options, input: .inputWriter, output: .discarded, error: .discarded
        ) { program in
            // Whether the program wanted all of it, its exit status says.
            _ = try? await program.standardInputWriter.write(message)
            try? await program.standardInputWriter.finish()
        }
        return ended.terminationStatus
    }
}
