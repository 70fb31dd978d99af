// SPDX-License-Identifier: Apache-2.0

/// A place in a file of the ledger, between two lines.
struct LedgerPlace: Sendable, Hashable, Codable {
    /// Bytes before it.
    var size: Int
    /// Lines before it.
    var lines: Int
    /// The code of the line before.
    var code: String

    static func beginning(of volume: LedgerVolume) -> LedgerPlace {
        LedgerPlace(size: 0, lines: 0, code: volume.beginning)
    }

    func after(_ line: LedgerLine) -> LedgerPlace {
        LedgerPlace(size: size + line.length, lines: lines + 1, code: line.code)
    }
}
