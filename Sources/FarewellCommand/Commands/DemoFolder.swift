// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import Foundation

/// The state directory of the demo: no other server's, whose database would get the demo's tables and users.
enum DemoFolder {
    /// The file that a demo writes before anything else.
    private static let mark = "demo"

    /// Makes the folder, or recognises it as a demo's own.
    ///
    /// - Throws: `demo.folder` where it has files and is no demo's; errors of the folder.
    static func prepare(_ path: String) throws {
        let folder = try StateDirectory.prepared(at: path)
        guard try !folder.contains(mark) else { return }
        // A demo that ended before it had written its first file leaves a part of it.
        let others = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0 != mark + ".new" }
        guard others.isEmpty else {
            throw FarewellError(
                "demo.folder", .yoursToFix,
                "The folder \(path) was not made by farewell demo and is not empty; nothing was changed.",
                remedy: "Name another folder with --state. If an earlier version of the demo made it, remove it.")
        }
        try folder.replace(mark, with: Data("This folder belongs to farewell demo.\n".utf8))
    }
}
