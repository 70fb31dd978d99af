// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSessions
import Foundation

/// Hands mails to a program such as `sendmail -t`: its arguments are as configured, without a shell, and contain
/// nothing personal.
struct MailCommand: MailSending {
    let words: [String]
    let from: String
    let site: String
    let landing: MailLanding
    let now: @Sendable () -> Date
    let deadline: Deadline

    func send(_ mail: Mail) async throws {
        let letter = Data(Letter(mail, from: from, site: site, landing: landing, at: now()).text.utf8)
        let run = MailRun(words)
        // A program that takes too long is terminated.
        let ended = try await deadline.run {
            try await withTaskCancellationHandler {
                try await run.end(reading: letter)
            } onCancel: {
                run.stop()
            }
        }
        guard let status = ended else {
            throw FarewellError("mail.refused", .tryAgain, "The mail command did not end within \(deadline.limit).")
        }
        guard status == 0 else {
            throw FarewellError("mail.refused", .tryAgain, "The mail command exited \(status).")
        }
    }
}

/// One run of a program.
private final class MailRun: Sendable {
    private let words: [String]
    private let number = Guarded<Int32?>(nil)

    init(_ words: [String]) { self.words = words }

    /// The exit status of the program, which reads the letter from its standard input.
    func end(reading letter: Data) async throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.environment = ["PATH": "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"]
        let input = Pipe()
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { ended in
            end.yield(ended.terminationStatus)
            end.finish()
        }
        // A program that ends before it has read the letter must not end this process. The event loops of a server
        // ignore the signal as well.
        signal(SIGPIPE, SIG_IGN)
        try process.run()
        number.withLock { $0 = process.processIdentifier }
        // A letter is far smaller than a pipe's buffer, so this call does not block.
        try? input.fileHandleForWriting.write(contentsOf: letter)
        try? input.fileHandleForWriting.close()
        if Task.isCancelled { stop() }
        var status: Int32 = -1
        for await ended in ends { status = ended }
        number.withLock { $0 = nil }
        return status
    }

    func stop() {
        number.withLock { number in
            if let number { kill(number, SIGKILL) }
        }
    }
}
