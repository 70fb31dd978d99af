// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// A file that holds one secret, as text.
enum SecretFile {
    /// The secret without the line feed after it.
    ///
    /// - Throws: `settings.unreadable`, which names the file and nothing of what is in it.
    static func text(_ path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path), data.count <= 64 << 10,
            let text = String(data: data, encoding: .utf8)
        else {
            throw FarewellError(
                "settings.unreadable", .yoursToFix, "The secret in \(path) cannot be read.",
                remedy: "Check that the file is there, is text, and that the server's user may read it.")
        }
        let secret = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !secret.isEmpty else {
            throw FarewellError(
                "settings.unreadable", .yoursToFix, "The file \(path) is empty.", remedy: "Put the secret into it.")
        }
        return secret
    }
}
