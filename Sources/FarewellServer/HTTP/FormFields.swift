// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The fields of a form (application/x-www-form-urlencoded, the URL standard, 5.1), the first of each name.
struct FormFields: Sendable, Equatable {
    private let values: [ExactText: String]

    init(_ bytes: some Sequence<UInt8>) {
        var values: [ExactText: String] = [:]
        for pair in Array(bytes).split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.text(parts[0]).map(ExactText.init), values[name] == nil else { continue }
            values[name] = parts.count == 2 ? Self.text(parts[1]) : ""
        }
        self.values = values
    }

    /// A field as text; empty if it is missing, is not UTF-8, or holds a NUL or a long run of combining marks.
    subscript(_ name: String) -> String { values[ExactText(name)] ?? "" }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        let plain = Self.plain(bytes)
        guard !plain.contains(0), plain.isStreamSafe else { return nil }
        return String(validating: plain, as: UTF8.self)
    }

    /// The bytes of percent encoding and plus signs; invalid codes stay unchanged.
    static func plain(_ text: some Sequence<UInt8>) -> [UInt8] {
        PercentEncoding.bytes(text, plus: .space)
    }

    /// A text in form encoding.
    static func written(_ text: String) -> String {
        PercentEncoding.text(text)
    }

    /// Fields as a form, in the order of their names.
    static func written(_ fields: [String: String]) -> String {
        fields.sorted { $0.key < $1.key }.map { "\($0.key)=\(written($0.value))" }.joined(separator: "&")
    }
}
