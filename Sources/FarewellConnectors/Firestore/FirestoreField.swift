// SPDX-License-Identifier: Apache-2.0

import Farewell

/// A field of Firestore that names the subject, and its form.
///
/// Firestore compares values of one type only, so a query for text finds no reference and no element of an array and
/// returns an empty result ("Supported data types", https://firebase.google.com/docs/firestore/manage-data/data-types).
/// The type is therefore declared by the plan and compared with the field's values.
struct FirestoreField: Sendable, Hashable {
    enum Kind: String, Sendable, Hashable, CaseIterable {
        case string, integer, reference, array, map
        case references = "array-of-references"

        /// The name of the value's type in the interface.
        var member: String {
            switch self {
            case .string: "stringValue"
            case .integer: "integerValue"
            case .reference: "referenceValue"
            case .array, .references: "arrayValue"
            case .map: "mapValue"
            }
        }

        /// The name of the type of an array's elements; `nil` if the type is no array.
        var element: String? {
            switch self {
            case .array: "stringValue"
            case .references: "referenceValue"
            case .string, .integer, .reference, .map: nil
            }
        }

        /// Whether a document may belong to several users.
        var isShared: Bool { [.array, .references, .map].contains(self) }
    }

    let collection: String
    let name: String
    let kind: Kind
    let template: NameTemplate?
    /// Collections of that name wherever they are, or only the one.
    let isGroup: Bool
    /// The subject is taken out of the field, and the document stays.
    let removes: Bool
    /// The field may have values of other types and forms.
    let isMixed: Bool

    /// - Throws: `plan.system`.
    init(_ settings: SystemSettings) throws {
        collection = try settings.required("collection")
        isGroup = try settings.word("scope", of: ["collection", "group"]) == "group"
        let parts = collection.slashParts
        guard !parts.contains(""), parts.count % 2 == 1, !isGroup || parts.count == 1 else {
            throw settings.fault("needs as its collection a path to one, or the name of a group")
        }
        name = try settings.required("field")
        let words = Kind.allCases.map(\.rawValue)
        kind = Kind(rawValue: try settings.word("type", of: words)) ?? .string
        template = try settings.template("value")
        if [.reference, .references].contains(kind) {
            let path = template.map { ($0.before + "x" + $0.after).slashParts } ?? []
            guard path.count >= 2, path.count % 2 == 0, !path.contains("") else {
                throw settings.fault(
                    "needs the setting value, the path of the referenced document: users/{person}")
            }
        } else if template != nil, kind != .string, kind != .array {
            throw settings.fault("has a setting value, which is for text and references")
        }
        isMixed = try settings.isMixed()
        removes = try settings.word("shared", of: ["remove", "erase"]) == "remove" && kind.isShared
        if settings["shared"] != nil, !kind.isShared {
            throw settings.fault("has a setting shared, which is for arrays and maps")
        }
    }

    // MARK: The subject's value

    /// - Returns: `nil` if the field cannot hold the name.
    func value(of person: String, root: String) -> JSONValue? {
        let name = template?.name(of: person) ?? person
        switch kind {
        case .string, .array, .map: return .object(["stringValue": .string(name)])
        case .integer:
            guard let number = Int64(person), String(number).isByteEqual(to: person) else { return nil }
            return .object(["integerValue": .string(person)])
        case .reference, .references:
            guard FirestoreConnector.isIdentifier(person) else { return nil }
            return .object(["referenceValue": .string("\(root)/\(name)")])
        }
    }

    /// The name in a text that has the plan's form; `nil` if it has another one.
    func name(in text: String, _ root: String) -> String? {
        let before = (element == "referenceValue" ? root + "/" : "") + (template?.before ?? "")
        let after = template?.after ?? ""
        guard text.hasBytePrefix(before), text.hasByteSuffix(after),
            text.utf8.count >= before.utf8.count + after.utf8.count
        else { return nil }
        return String(decoding: text.utf8.dropFirst(before.utf8.count).dropLast(after.utf8.count), as: UTF8.self)
    }

    private var element: String { kind.element ?? kind.member }

    /// The filter that finds the subject's documents; `nil` for a map: sorting by the subject's place there leaves out
    /// the documents without it, and a filter would also leave out those with the value null.
    ///
    /// https://firebase.google.com/docs/firestore/query-data/order-limit-data
    func filter(_ value: JSONValue, person: String) -> JSONValue? {
        switch kind {
        case .map: return nil
        case .array, .references: return Self.filter(name, "ARRAY_CONTAINS", value)
        case .string, .integer, .reference: return Self.filter(name, "EQUAL", value)
        }
    }

    /// The subject's place in a map.
    func path(of person: String) -> String { "\(name).\(Self.quoted(person))" }

    /// Whether a field has a value other than null.
    static func isSet(_ path: String) -> JSONValue {
        .object(["unaryFilter": .object(["op": .string("IS_NOT_NULL"), "field": field(path)])])
    }

    private static func filter(_ path: String, _ operation: String, _ value: JSONValue) -> JSONValue {
        .object(["fieldFilter": .object(["field": field(path), "op": .string(operation), "value": value])])
    }

    static func field(_ path: String) -> JSONValue { .object(["fieldPath": .string(path)]) }

    /// A name as a part of a path to a field: plain, or between backticks.
    static func quoted(_ name: String) -> String {
        let isPlain = name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil
        guard !isPlain else { return name }
        var quoted = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            if scalar == "`" || scalar == "\\" { quoted.append("\\") }
            quoted.append(scalar)
        }
        return "`\(String(quoted))`"
    }

    // MARK: Present values

    /// The first or the last value of the field in Firestore's order, and its document; no value if the answer lacks
    /// it.
    struct End: Sendable {
        let document: String
        let value: RawJSON?
    }

    static func isEmpty(_ value: RawJSON, as kind: Kind) -> Bool {
        switch kind {
        case .array, .references: value["arrayValue"].map { $0["values"]?.elements?.isEmpty ?? true } ?? false
        case .map: value["mapValue"].map { $0["fields"]?.members?.isEmpty ?? true } ?? false
        case .string, .integer, .reference: false
        }
    }

    /// The name of a value's type in the interface; numbers of both kinds are compared with each other.
    static func member(of value: RawJSON) -> String? {
        let name = value.beginning.firstName
        return name == "doubleValue" ? "integerValue" : name
    }

    /// The names of the types of an array's elements; null is left out.
    static func elements(of value: RawJSON) -> [String] {
        (value["arrayValue"]?["values"]?.elements ?? []).map { member(of: $0) ?? "" }.filter { $0 != "nullValue" }
    }

    /// Whether a value between these ends can have the form that the plan gives names: the beginning of the form is
    /// not before all of them or behind all of them. Firestore sorts text by its bytes, references part by part.
    func mayHaveForm(_ ends: [End], root: String) -> Bool {
        guard [.string, .reference].contains(kind), let template, !template.before.isEmpty else { return true }
        let values = ends.compactMap { $0.value?[kind.member]?.string }
        guard let first = values.first, let last = values.last, values.count == ends.count else { return true }
        let isPath = kind == .reference
        // No byte of a name comes before the one that stands for the slash.
        let key = { (text: String) -> [UInt8] in Array(text.utf8).map { isPath && $0 == UInt8(ascii: "/") ? 0 : $0 } }
        let beginning = key(isPath ? "\(root)/\(template.before)" : template.before)
        let isAfterAll = key(last).lexicographicallyPrecedes(beginning)
        let isBeforeAll = beginning.lexicographicallyPrecedes(key(first)) && !key(first).starts(with: beginning)
        return !isAfterAll && !isBeforeAll
    }

    /// The type of an array's element, in words.
    static func words(ofElement member: String) -> String {
        switch member {
        case "stringValue": "text (type: array)"
        case "integerValue": "numbers"
        case "referenceValue": "references (type: array-of-references, and value: users/{person})"
        case "mapValue": "maps, which no query searches (find the documents by a field with the names alone)"
        default: "values of another type"
        }
    }

    /// A value's type, in words.
    static func words(of member: String) -> String {
        switch member {
        case "stringValue": "text"
        case "integerValue": "numbers"
        case "referenceValue": "references (type: reference, and value: the path of the document, users/{person})"
        case "arrayValue": "arrays (type: array)"
        case "mapValue": "maps (type: map)"
        default: "values of another type"
        }
    }
}
