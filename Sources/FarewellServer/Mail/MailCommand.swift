// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellEngine
import Foundation
import Subprocess

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// Hands mails to a program such as `sendmail -t`: its arguments are as configured, no shell is in between, and nothing
/// of a person stands in them.
struct MailCommand: MailSending {
    let words: [String]
    let from: String
    let site: String
    let now: @Sendable () -> Date
    let deadline: Deadline

    func send(_ mail: Mail) async throws {
        let letter = Letter(mail, from: from, site: site, at: now()).text
        let configuration = Subprocess.Configuration(
            executable: .path(FilePath(words[0])), arguments: .init(Array(words.dropFirst())),
            environment: .custom(["PATH": "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"]))
        // Whoever takes too long is ended.
        let end = try await deadline.run {
            try await Subprocess.run(configuration, input: .string(letter), output: .discarded, error: .discarded)
                .terminationStatus
        }
        guard end.isSuccess else {
            throw FarewellError("mail.refused", .tryAgain, "The mail command ended with \(end).")
        }
    }
}
