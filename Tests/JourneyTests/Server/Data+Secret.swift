// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Data {
    /// Writes a file that only its owner may read.
    func writeSecret(to place: URL) throws {
        try write(to: place)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: place.path)
    }
}
