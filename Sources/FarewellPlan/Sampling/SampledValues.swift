// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// A place where sampled values stood: a column, or a member of the JSON documents in it.
struct SampledPlace: Hashable {
    let column: ColumnName
    /// The member names that lead to the value; `nil` if the value is part of a longer text or list.
    var path: [String]? = []
    /// The form of the list if each value is a member of one.
    var list: Link.ListForm?
}

/// The possible meanings of one place's sampled values: keys or other names of people. Never leaves the check.
struct SampledValues {
    /// Different values, in the form in which keys are compared: UUIDs in lower case.
    private(set) var uuids: Set<String> = []
    private(set) var integers: Set<Int64> = []
    private(set) var texts: Set<String> = []
    /// How many values were seen that are not null.
    private(set) var seen = 0

    static let longestText = 200
    /// Shorter texts are words more often than names.
    static let shortestText = 5

    /// Sorts one value into the places at which it may name a subject.
    static func collect(_ value: SQLValue, of column: ColumnName, into places: inout [SampledPlace: SampledValues]) {
        let whole = SampledPlace(column: column)
        switch value {
        case .null, .bytes, .bool, .double, .timestamp:
            return
        case .uuid(let uuid):
            places[whole, default: SampledValues()].add(uuid: uuid.text)
        case .integer(let number):
            places[whole, default: SampledValues()].add(integer: number)
        case .numeric(let text):
            if let number = Int64(text) { places[whole, default: SampledValues()].add(integer: number) }
        case .text(let text):
            let first = text.utf8.first
            if first == UInt8(ascii: "{") || first == UInt8(ascii: "["), collect(json: text, of: column, into: &places)
            {
                return
            }
            collect(text, at: whole, into: &places)
        case .json(let text):
            _ = collect(json: text, of: column, into: &places)
        case .array(let elements):
            let inList = SampledPlace(column: column, list: .array)
            for element in elements.prefix(50) {
                guard let text = element.text else { continue }
                collect(text, at: inList, into: &places)
            }
        }
    }

    private static func collect(
        _ text: String, at place: SampledPlace, into places: inout [SampledPlace: SampledValues]
    ) {
        let bytes = Array(text.utf8.prefix(4_000))
        let found = UUIDText.all(in: bytes)
        if bytes.count == 36, let uuid = found.first {
            places[place, default: SampledValues()].add(uuid: uuid)
            return
        }
        if !found.isEmpty {
            var within = place
            within.path = nil
            for uuid in found.prefix(20) { places[within, default: SampledValues()].add(uuid: uuid) }
        }
        places[place, default: SampledValues()].add(text: text)
    }

    /// - Returns: whether the text was JSON.
    private static func collect(
        json text: String, of column: ColumnName, into places: inout [SampledPlace: SampledValues]
    ) -> Bool {
        guard text.utf8.count <= 100_000, CanonicalJSON.hasSafeTexts(Data(text.utf8)),
            let document = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        else { return false }
        var left = 200
        walk(document, SampledPlace(column: column), &left, into: &places)
        return true
    }

    private static func walk(
        _ value: Any, _ place: SampledPlace, _ left: inout Int, into places: inout [SampledPlace: SampledValues]
    ) {
        guard left > 0 else { return }
        left -= 1
        switch value {
        case let object as [String: Any]:
            for (key, member) in object.sorted(by: { $0.key < $1.key }) {
                // A member may have the subject's key as its name: {"<user id>": true}.
                collect(key, at: SampledPlace(column: place.column, path: nil), into: &places)
                guard (place.path?.count ?? 0) < 16 else { continue }
                walk(
                    member, SampledPlace(column: place.column, path: place.path.map { $0 + [key] }), &left,
                    into: &places)
            }
        case let list as [Any]:
            for element in list {
                let isValue = element is String || element is NSNumber
                let inList = SampledPlace(
                    column: place.column, path: isValue && place.list == nil ? place.path : nil,
                    list: isValue && place.list == nil && place.path != nil ? .json : nil)
                walk(element, inList, &left, into: &places)
            }
        case let text as String:
            collect(text, at: place, into: &places)
        case let number as NSNumber:
            if let integer = Int64(number.stringValue) { places[place, default: SampledValues()].add(integer: integer) }
        default:
            return
        }
    }

    private mutating func add(uuid: String) {
        seen += 1
        uuids.insert(uuid)
    }

    /// Takes over the UUIDs and the long texts that were seen elsewhere, except for some.
    ///
    /// - Parameter these: In lower case.
    mutating func add(keysOf others: SampledValues, but these: Set<String>) {
        uuids.formUnion(others.uuids.subtracting(these))
        // Sentences are no keys, and there are too many of them to compare.
        texts.formUnion(
            others.texts.filter { text in
                text.utf8.count >= Self.longText && !text.utf8.contains(UInt8(ascii: " "))
                    && !these.contains(text.lowercased())
            })
        seen += others.seen
    }

    /// A text of this many bytes that is a subject's key is no coincidence.
    static let longText = 20

    private mutating func add(integer: Int64) {
        seen += 1
        integers.insert(integer)
    }

    private mutating func add(text: String) {
        seen += 1
        if let number = Int64(text), String(number) == text { integers.insert(number) }
        let count = text.utf8.count
        if count >= Self.shortestText, count <= Self.longestText { texts.insert(text) }
    }
}
