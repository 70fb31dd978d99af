// SPDX-License-Identifier: Apache-2.0

import Farewell
import HTTPTypes

/// The words of the pages, in the browser's preferred language: those of `Copy`, and their own.
struct PageWords: Sendable {
    let copy: Copy
    private let own: [String: String]

    /// - Parameter replacing: An app's own texts, by language and name.
    init(_ copy: Copy, replacing: [String: [String: String]] = [:]) {
        var own = Self.tables[copy.language] ?? Self.english
        var copy = copy
        for (name, text) in replacing[copy.language] ?? [:] {
            if let key = Copy.Key(rawValue: name) { copy[key] = text } else { own[name] = text }
        }
        self.copy = copy
        self.own = own
    }

    /// - Parameter headers: `Accept-Language` (RFC 9110, 12.5.4).
    init(for headers: HTTPFields, replacing: [String: [String: String]] = [:]) {
        let entries = (headers[.languages] ?? "").prefix(400).split(separator: ",").prefix(20)
        let weighted = entries.enumerated().compactMap { place, entry -> (tag: String, weight: Double, place: Int)? in
            let parts = entry.split(separator: ";").map { $0.filter { $0 != " " } }
            guard let tag = parts.first else { return nil }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            // 0 means: not this one.
            return weight > 0 ? (tag, weight, place) : nil
        }
        let tags = weighted.sorted { $0.weight != $1.weight ? $0.weight > $1.weight : $0.place < $1.place }
        self.init(Copy.preferred(tags.map(\.tag)), replacing: replacing)
    }

    static let tables = ["en": english, "de": german, "es": spanish, "ja": japanese, "ar": arabic]

    subscript(_ name: String) -> String { own[name] ?? Copy.Key(rawValue: name).map { copy[$0] } ?? name }

    /// With `{name}` in the words replaced by a value. In words that run from right to left the value keeps its own
    /// direction (Unicode's first strong isolate): otherwise a browser shows the parts of a date in reverse.
    func callAsFunction(_ name: String, _ slot: String, _ value: String) -> String {
        self[name].replacing("{\(slot)}", with: copy.isRightToLeft ? "\u{2068}\(value)\u{2069}" : value)
    }

    /// All of them, for the templates.
    var all: [String: String] {
        var all = own
        for key in Copy.Key.allCases { all[key.rawValue] = copy[key] }
        return all
    }
}
