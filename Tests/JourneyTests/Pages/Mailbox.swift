// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A program that puts each mail into a folder.
struct Mailbox {
    let folder: URL
    let settings: String

    init(in place: URL) throws {
        folder = place.appendingPathComponent("mails")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let program = place.appendingPathComponent("send-mail")
        try Data("#!/bin/sh\nexec cat > \"$(mktemp \"$1/XXXXXX\")\"\n".utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        settings = """
            mail: {command: ['\(program.path)', '\(folder.path)'], from: 'Farewell <farewell@example.org>'}

            """
    }
}
