// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A token, or any other secret for access: no log, message, mirror or encoder shows it.
///
/// Its bytes are wiped from memory when the last reference ends, and two tokens are compared in constant time. It is
/// not `Codable`, so that nothing stores it by accident: only a token store writes it, sealed.
public struct Token: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let bytes: Secret

    public init(_ text: String) { bytes = Secret(data: Data(text.utf8)) }

    /// Lends the text to the one place that needs it, such as a request's header.
    public func reveal<Result>(_ use: (String) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes { try use(String(decoding: $0, as: UTF8.self)) }
    }

    public var isEmpty: Bool { bytes.bitCount == 0 }

    public var description: String { "***" }
    public var debugDescription: String { "***" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
