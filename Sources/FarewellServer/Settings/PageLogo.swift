// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// A picture, read once.
public struct PageLogo: Sendable, Hashable {
    let type: String
    let bytes: [UInt8]

    /// Reads a PNG, JPEG or SVG file of at most 50 KB.
    ///
    /// - Throws: `settings.unreadable`.
    public init(path: String) throws {
        let types = ["png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "svg": "image/svg+xml"]
        guard let type = types[URL(fileURLWithPath: path).pathExtension.lowercased()],
            let data = FileManager.default.contents(atPath: path), (1...51_200).contains(data.count)
        else {
            throw FarewellError(
                "settings.unreadable", .yoursToFix, "The picture of pages.logo cannot be used.",
                remedy: "Name a PNG, JPEG or SVG file of at most 50 KB.")
        }
        self.type = type
        bytes = Array(data)
    }
}
