// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// A stored password hash that we can check.
enum PasswordHash: Sendable, Hashable {
    /// `$scrypt$ln=15,r=8,p=3$salt$hash`: the PHC string format with base64 without padding.
    case scrypt(ScryptCost, salt: [UInt8], hash: [UInt8])
    /// `$2a$`, `$2b$` or `$2y$`: made elsewhere and imported.
    case bcrypt(String)

    /// `nil` for every other scheme, and for costs that would occupy the server for long.
    init?(_ text: String) {
        if Self.bcryptCost(text) != nil { self = .bcrypt(text); return }
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt", let cost = Self.cost(parts[2]),
            let salt = Self.base64(parts[3]), let hash = Self.base64(parts[4]), salt.count >= 8, hash.count == 32
        else { return nil }
        self = .scrypt(cost, salt: salt, hash: hash)
    }

    /// The text to store; for scrypt only, because no other hash is made here.
    var text: String {
        switch self {
        case .bcrypt(let text): text
        case .scrypt(let cost, let salt, let hash):
            "$scrypt$ln=\(cost.logN),r=\(cost.blockSize),p=\(cost.parallelism)$\(Self.text(salt))$\(Self.text(hash))"
        }
    }

    /// The costs of bcrypt that are worked with; one more takes twice the time.
    static let bcryptCosts = 4...15

    /// The cost of a bcrypt hash; `nil` for one that costs too much to check, and for any other text.
    static func bcryptCost(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 60, ["$2a$", "$2b$", "$2y$"].contains(String(text.prefix(4))),
            bytes[6] == UInt8(ascii: "$"), bytes[7...].allSatisfy(isBcryptDigit)
        else { return nil }
        return bcryptCost(written: String(decoding: bytes[4..<6], as: UTF8.self))
    }

    /// The cost as its two digits say.
    static func bcryptCost(written digits: String) -> Int? {
        guard digits.utf8.count == 2, digits.utf8.allSatisfy({ $0.isASCIIDigit }), let cost = Int(digits),
            bcryptCosts.contains(cost)
        else { return nil }
        return cost
    }

    private static func isBcryptDigit(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "/")
    }

    private static func cost(_ text: Substring) -> ScryptCost? {
        let members = text.split(separator: ",").map { $0.split(separator: "=") }
        guard members.count == 3, members.allSatisfy({ $0.count == 2 }), members.map(\.[0]) == ["ln", "r", "p"],
            let logN = Int(members[0][1]), let blockSize = Int(members[1][1]), let parallelism = Int(members[2][1])
        else { return nil }
        let cost = ScryptCost(logN: logN, blockSize: blockSize, parallelism: parallelism)
        return cost.isSupported ? cost : nil
    }

    private static func text(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("=", with: "")
    }

    private static func base64(_ text: Substring) -> [UInt8]? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text + padding).map(Array.init)
    }
}
