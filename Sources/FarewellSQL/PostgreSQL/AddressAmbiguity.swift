// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Whether the characters of a server's address leave open where its user name and password end: then a part of the
/// password would be taken for a host, a port or a database, and shown as such.
struct AddressAmbiguity {
    private let isThere: Bool

    /// - Parameter address: With a scheme and `://`.
    init(_ address: String) {
        let bytes = Array(address.utf8)
        let start = bytes.firstRange(of: Array("://".utf8))?.upperBound ?? bytes.startIndex
        let rest = bytes[start...]
        guard let last = rest.lastIndex(of: UInt8(ascii: "@")) else {
            isThere = false
            return
        }
        isThere = rest[..<last].contains { Array("@/?#".utf8).contains($0) }
    }

    /// Shows nothing of the address.
    ///
    /// - Parameter place: The option, setting or variable that holds it.
    /// - Throws: `sql.bad-address`.
    func refuse(of place: String?) throws {
        guard isThere else { return }
        throw FarewellError(
            "sql.bad-address", .yoursToFix,
            "The PostgreSQL address\(place.map { " of \($0)" } ?? "") has @, /, ? or # before its last @: "
                + "where the password ends is not certain.",
            remedy: "Percent-encode @ as %40, / as %2F, ? as %3F, # as %23 and : as %3A in user name, password and "
                + "parameters.")
    }
}
