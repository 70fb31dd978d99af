// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The command line of an example: `SERVER FOLDER VERB [WORD]`.
package struct ExampleWords: Sendable {
    package let server: URL
    package let folder: String
    package let verb: String
    package let word: String?

    private init?(_ arguments: [String]) {
        guard arguments.count >= 4, let server = URL(string: arguments[1]) else { return nil }
        self.server = server
        (folder, verb) = (arguments[2], arguments[3])
        word = arguments.count > 4 ? arguments[4] : nil
    }

    /// Reads them and does what they say; ends the process with 64 where there are none, with 1 where it failed.
    package static func run(_ name: String, _ body: (ExampleWords) async throws -> Void) async {
        guard let words = ExampleWords(CommandLine.arguments) else {
            print("usage: \(name) SERVER FOLDER VERB [WORD]")
            exit(64)
        }
        do {
            try await body(words)
        } catch {
            print("failed: \(error)")
            exit(1)
        }
    }
}
